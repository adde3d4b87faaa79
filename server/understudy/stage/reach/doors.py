"""What leads out of a stage with a list of hosts: a listener in its network for each of them.

A listed name has a loopback address of its own in the stage's hosts file; what connects there is
carried on by us, outside, to that name and port. Clients need to know nothing of it. Only the hosts
that a pattern stands for need the proxy that the stage's variables name.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from understudy.stage.channel import Channel, Message
from understudy.stage.reach.forward import NotReached, Pipe, connected, joined
from understudy.stage.reach.names import NameServer
from understudy.stage.reach.proxy import serve
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.hosts import HostList, ListedHost

_NAMES_AT = ("127.66.255.53", 53)
_PROXY_AT = ("127.66.255.80", 3128)
_MOST_MISSED = 100
_MOST_AT_ONCE = 400
"""Connections; each takes two of our descriptors."""
_PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy")
_HOSTS = Path("/etc/hosts")
_FIRST_LINES = "127.0.0.1 localhost\n::1 localhost\n"


class Doors:
    """The listeners of one stage, asked of its first process; no `hosts`, no doors."""

    def __init__(self, hosts: HostList | None, channel: Callable[[], Channel]) -> None:
        self._hosts = HostList() if hosts is None else hosts
        self._is_wanted = hosts is not None
        self._channel = channel
        self._servers: list[asyncio.Server] = []
        self._names: asyncio.DatagramTransport | None = None
        self._missed: dict[str, None] = {}
        self._pipes: set[asyncio.StreamWriter] = set()

    @property
    def _own_ports(self) -> frozenset[int]:
        """Of listed hosts at addresses of the stage's own: `localhost`, and addresses."""
        return frozenset(host.port for host in self._hosts.exact if host.may_be_here)

    @property
    def missed(self) -> tuple[str, ...]:
        """What was asked for and refused, or not reached, sorted; at most 100."""
        return tuple(sorted(self._missed))

    @property
    def variables(self) -> Mapping[str, str | None]:
        """What leads clients to our proxy, or away from one that is out of reach here."""
        return _variables(self._hosts) if self._is_wanted else {}

    async def open(self) -> None:
        """Open them all; raises OutsideFailure `cannot-listen` with the host."""
        if not self._is_wanted:
            return
        own = dict(_addresses(self._hosts))
        for host in self._hosts.exact:
            for address in own[host.name]:
                await self._open(host, address)
        names = await self._listen(*_NAMES_AT, socket.SOCK_DGRAM)
        self._names, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: NameServer(self._hosts.knows, self._miss), sock=names
        )
        if self._hosts.patterns:
            sock = await self._listen(*_PROXY_AT, socket.SOCK_STREAM)
            self._servers.append(await asyncio.start_server(self._serve_proxy, sock=sock))

    def close(self) -> None:
        """Close the listeners and all that goes through them."""
        for server in self._servers:
            server.close()
        if self._names is not None:
            self._names.close()
        for writer in tuple(self._pipes):
            writer.close()

    async def entered(self, port: int) -> Pipe:
        """A connection to what listens at a port on the stage; raises NotReached.

        Port 0 is the first at which a program listens.
        """
        if port == 0:
            reply, _ = await self._channel().request({"do": "listening"})
            ports = [one for one in reply.get("ports", []) if one not in self._own_ports]
            if not ports:
                raise NotReached("nothing listens on the stage")
            port = int(ports[0])
        loop = asyncio.get_running_loop()
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            one = await self._ask({"do": "socket", "family": family})
            try:
                await loop.sock_connect(one, (address, port))
                return await asyncio.open_connection(sock=one)
            except OSError:
                one.close()
        raise NotReached(f"nothing listens at port {port} on the stage")

    async def _listen(self, address: str, port: int, kind: int) -> socket.socket:
        request = {"do": "listen", "address": address, "port": port, "kind": kind}
        return await self._ask(request)

    async def _ask(self, request: Message) -> socket.socket:
        reply, handles = await self._channel().request(request)
        if "failed" in reply:
            raise OutsideFailure("cannot-listen", reply["text"])
        found = socket.socket(fileno=handles[0])
        found.setblocking(False)
        return found

    async def _open(self, host: ListedHost, address: str) -> None:
        async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(self._pipes) >= _MOST_AT_ONCE:
                self._miss(f"{host} (more than {_MOST_AT_ONCE} connections at once)")
                writer.transport.abort()
                return
            async with _kept(self._pipes, writer):
                await self._carry((reader, writer), host)

        try:
            sock = await self._listen(address, host.port, socket.SOCK_STREAM)
        except UnderstudyError as error:
            if host.address is None and host.name == "localhost" and ":" in address:
                return  # a machine without IPv6
            text = f"the stage has no place for it at {address}: {error.text}"
            raise OutsideFailure("cannot-listen", text, str(host)) from error
        self._servers.append(await asyncio.start_server(carry, sock=sock))

    async def _carry(self, inside: Pipe, host: ListedHost) -> None:
        try:
            outside = await connected(host.name, host.port, named=host.may_be_here)
        except NotReached as error:
            self._miss(f"{host} ({error})")
            inside[1].transport.abort()
            return
        await joined(inside, outside)

    async def _serve_proxy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if len(self._pipes) >= _MOST_AT_ONCE:
            writer.transport.abort()
            return
        async with _kept(self._pipes, writer):
            await serve((reader, writer), self._hosts, self._miss)

    def _miss(self, what: str) -> None:
        if len(self._missed) < _MOST_MISSED:
            self._missed[what] = None


class _kept:  # noqa: N801 - a context, used as a function is
    """Remembers a connection until it is over, and closes it then."""

    def __init__(self, pipes: set[asyncio.StreamWriter], writer: asyncio.StreamWriter) -> None:
        self._pipes = pipes
        self._writer = writer

    async def __aenter__(self) -> None:
        self._pipes.add(self._writer)

    async def __aexit__(self, *_: object) -> None:
        self._pipes.discard(self._writer)
        self._writer.close()


def texts(hosts: HostList) -> Mapping[str, str]:
    """What stands in the stage's files of names instead of what the machine has there."""
    named = [(name, found) for name, found in _addresses(hosts) if not ListedHost(name).address]
    ours = [f"{one} {name}\n" for name, found in named if name != "localhost" for one in found]
    return {
        str(_HOSTS): _FIRST_LINES + "".join(ours) + "".join(_machines({name for name, _ in named})),
        "/etc/resolv.conf": f"nameserver {_NAMES_AT[0]}\nsearch .\noptions timeout:2 attempts:1\n",
    }


def _variables(hosts: HostList) -> dict[str, str | None]:
    if not hosts.patterns:
        return dict.fromkeys((*_PROXY_VARIABLES, *map(str.upper, _PROXY_VARIABLES)))
    url = f"http://{_PROXY_AT[0]}:{_PROXY_AT[1]}"
    past = ",".join(("localhost", "127.0.0.0/8", *sorted({host.name for host in hosts.exact})))
    found: dict[str, str | None] = {}
    for name in _PROXY_VARIABLES:
        found[name] = found[name.upper()] = url if name in ("http_proxy", "https_proxy") else None
    return {**found, "no_proxy": past, "NO_PROXY": past, "NODE_USE_ENV_PROXY": "1"}


def _addresses(hosts: HostList) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each name with the addresses that it has on the stage."""
    for number, name in enumerate(dict.fromkeys(host.name for host in hosts.exact), 1):
        address = ListedHost(name).address
        if address is not None:
            yield name, (address,)
        elif name == "localhost":
            yield name, ("127.0.0.1", "::1")
        else:
            yield name, (f"127.66.{number >> 8}.{number & 255}",)


def _machines(listed: set[str]) -> Iterator[str]:
    """The names of the machine itself; those of others are to be asked for, and refused, here."""
    try:
        lines = _HOSTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        kept = [name for name in names if name.lower() not in listed | {"localhost"}]
        if kept and (address.startswith("127.") or address == "::1"):
            yield f"{address} {' '.join(kept)}\n"
