"""A port of a stage, shown on the machine's loopback at a name of its own: BRANCH.localhost:PORT.

Every browser takes such a name for this machine. Who comes by another name (a web page whose own
name was pointed here) is turned away: the `Host` of its first request says so.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from understudy.stage.reach.forward import NotReached, Pipe, joined
from understudy.values.errors import OutsideFailure, UnderstudyError

_HEAD_S = 30.0
_CHUNK = 64 * 1024
_LOOPBACKS = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))

Enter = Callable[[int], Awaitable[Pipe]]
"""A connection to a port on the stage; raises NotReached."""


@dataclass
class Published:
    """A port that is shown; `port` is that on the stage, `url` where it is found."""

    port: int
    url: str
    _servers: list[asyncio.Server]

    @property
    def what(self) -> str:
        """The port in words."""
        return f"port {self.port}" if self.port else "what listens first"

    def close(self) -> None:
        """Show it no more; what goes through it goes on to its end."""
        for server in self._servers:
            server.close()


async def publish(port: int, branch: str, enter: Enter) -> Published:
    """Show a port of the stage, at the same number if that is free here, else at another.

    Port 0 is the first at which anything listens there when somebody comes.

    Raises OutsideFailure `cannot-listen` where none can be had.
    """
    name = f"{host_label(branch)}.localhost"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _serve((reader, writer), name, port, enter)
        finally:
            writer.close()

    for wanted in (port, 0):
        sockets = _bound(wanted)
        if sockets:
            shown = int(sockets[0].getsockname()[1])
            servers = [await asyncio.start_server(serve, sock=one) for one in sockets]
            return Published(port, f"http://{name}:{shown}/", servers)
    raise OutsideFailure("cannot-listen", "no port of this machine can be had", f"--publish {port}")


def host_label(branch: str) -> str:
    """The branch's name as a part of a host's name."""
    label = re.sub(r"[^a-z0-9]+", "-", branch.lower()).strip("-")
    return label[:63].rstrip("-") or "branch"


def _bound(port: int) -> list[socket.socket]:
    """Sockets on the loopback addresses that there are, all at one port; none if it is taken."""
    found: list[socket.socket] = []
    for family, address in _LOOPBACKS:
        try:
            one = socket.socket(family, socket.SOCK_STREAM)
        except OSError:  # a kernel without IPv6, or no descriptor is left
            continue
        try:
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((address, found[0].getsockname()[1] if found else port))
            one.listen(128)
            one.setblocking(False)
            found.append(one)
        except OSError:
            one.close()
            if family == socket.AF_INET:
                break
    return found


async def _serve(outside: Pipe, name: str, port: int, enter: Enter) -> None:
    reader, writer = outside
    try:
        head, host = await asyncio.wait_for(_first_request(reader), _HEAD_S)
    except (ValueError, OSError, asyncio.TimeoutError):
        return
    if host.lower().partition(":")[0] != name:
        writer.write(_answer(421, f"this port is shown as {name} alone"))
        return
    try:
        inside = await enter(port)
    except (NotReached, UnderstudyError) as error:
        writer.write(_answer(502, str(error)))
        return
    inside[1].write(head)
    with suppress(OSError):
        await joined(outside, inside)


async def _first_request(reader: asyncio.StreamReader) -> tuple[bytes, str]:
    """All that was read up to the end of the first request's head, and its one `Host`."""
    import h11  # noqa: PLC0415 - most stages show no port

    server, taken = h11.Connection(h11.SERVER), b""
    try:
        while (event := server.next_event()) is h11.NEED_DATA:
            data = await reader.read(_CHUNK)
            taken += data
            server.receive_data(data)
    except h11.RemoteProtocolError as error:
        raise ValueError(str(error)) from error
    headers = event.headers if isinstance(event, h11.Request) else ()
    hosts = [value for key, value in headers if key == b"host"]
    if len(hosts) != 1:
        raise ValueError("not one host")
    return taken, hosts[0].decode("ascii", "replace")


def _answer(status: int, text: str) -> bytes:
    body = f"understudy: {text}\n".encode()
    head = f"HTTP/1.1 {status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n%s" % (len(body), body)
