"""The proxy of a stage for hosts that a pattern stands for: h11 reads, we decide and connect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import urlsplit

from understudy.stage.reach.forward import NotReached, Pipe, connected, joined
from understudy.values.frozen import frozen
from understudy.values.hosts import HTTPS, HostList, ListedHost

_CHUNK = 64 * 1024
_HEAD_S = 30.0
_HTTP = 80


@frozen
class _Wanted:
    """Where a client wants to go, and what is sent there first (nothing through a tunnel)."""

    name: str
    port: int
    head: bytes | None


class Refusal(Exception):
    """What a client is told instead of a connection: a status and a sentence."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


async def serve(inside: Pipe, hosts: HostList, missed: Callable[[str], None]) -> None:
    """Serve one connection: a CONNECT, or one plain request; `missed` hears what is refused."""
    reader, writer = inside
    try:
        wanted, rest = await asyncio.wait_for(_wanted(reader), _HEAD_S)
        _check(wanted, hosts, missed)
        host = ListedHost(wanted.name, wanted.port)
        is_named = host in hosts.exact and host.may_be_here
        outside = await connected(host.name, host.port, named=is_named)
    except (Refusal, NotReached, OSError, asyncio.TimeoutError) as error:
        status = error.status if isinstance(error, Refusal) else 502
        writer.write(_response(status, str(error) or "no request came"))
        writer.close()
        return
    if wanted.head is None:
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        outside[1].write(rest)
    else:
        outside[1].write(wanted.head + rest)
    await joined(inside, outside)


def _check(wanted: _Wanted, hosts: HostList, missed: Callable[[str], None]) -> None:
    if not hosts.allows(wanted.name, wanted.port):
        missed(f"{wanted.name}:{wanted.port}")
        raise Refusal(403, f"{wanted.name}:{wanted.port} is not on the list of --net")


async def _wanted(reader: asyncio.StreamReader) -> tuple[_Wanted, bytes]:
    """The request's target, and what came behind its head."""
    import h11  # noqa: PLC0415 - most stages have no proxy

    server = h11.Connection(h11.SERVER)
    try:
        while True:
            event = server.next_event()
            if isinstance(event, h11.Request):
                break
            if event is not h11.NEED_DATA:
                raise Refusal(400, "no request")
            server.receive_data(await reader.read(_CHUNK))
    except h11.RemoteProtocolError as error:
        raise Refusal(error.error_status_hint, str(error)) from error
    rest, _ = server.trailing_data
    target = event.target.decode("ascii", "replace")
    if event.method == b"CONNECT":
        split = _split(f"//{target}", 0)
        return _Wanted(*split, None), rest
    if not target.startswith("http://"):
        raise Refusal(400, "a proxy takes CONNECT, or a whole http:// address")
    name, port = _split(target, _HTTP)
    # One request a connection: what follows on it would go to this host, wherever it is meant to.
    kept = [
        (key, value)
        for key, value in event.headers.raw_items()
        if key.lower() not in (b"proxy-connection", b"proxy-authorization", b"connection")
    ]
    path = target.partition("://")[2]
    path = path[path.find("/") :] if "/" in path else "/"
    lines = [b"%s %s HTTP/1.1" % (event.method, path.encode("ascii", "replace"))]
    lines += [b"%s: %s" % pair for pair in kept]
    return _Wanted(name, port, b"\r\n".join([*lines, b"connection: close", b"", b""])), rest


def _split(target: str, usual: int) -> tuple[str, int]:
    try:
        parts = urlsplit(target)
        name, port = parts.hostname, parts.port or usual or HTTPS
    except ValueError as error:
        raise Refusal(400, str(error)) from error
    if not name:
        raise Refusal(400, "no host is named")
    return name, port


def _response(status: int, text: str) -> bytes:
    body = f"understudy: {text}\n".encode()
    head = f"HTTP/1.1 {status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\n"
    head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    return head.encode() + body
