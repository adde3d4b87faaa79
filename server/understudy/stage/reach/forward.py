"""Bytes from a connection inside a stage to one outside, and back, until both have ended."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from contextlib import suppress

_CHUNK = 64 * 1024
_CONNECT_S = 20.0

Pipe = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class NotReached(Exception):
    """Nobody answers there, or what answers may not be reached; its text says which."""


async def connected(name: str, port: int, *, named: bool) -> Pipe:
    """A connection to a host of the machine's network; raises NotReached.

    Unless the user has `named` it himself, no name leads to the machine's own loopback or to the
    link that it hangs on: whoever answers for a name decides where it leads.
    """
    try:
        found = await asyncio.wait_for(
            asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM), _CONNECT_S
        )
    except (OSError, UnicodeError, asyncio.TimeoutError) as error:
        raise NotReached(f"no address of {name}") from error
    addresses = [str(address[0]) for *_, address in found]
    if not named and any(map(_is_own, addresses)):
        raise NotReached(f"{name} is an address of this machine or its link")
    for address in addresses:
        with suppress(OSError, asyncio.TimeoutError):
            return await asyncio.wait_for(asyncio.open_connection(address, port), _CONNECT_S)
    raise NotReached(f"nobody answers at {name}:{port}")


def _is_own(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    found = found if mapped is None else mapped
    return found.is_loopback or found.is_link_local or found.is_unspecified


async def listens_here(port: int) -> bool:
    """Whether somebody listens at a port of this machine's loopback."""
    for address in ("127.0.0.1", "::1"):
        with suppress(OSError, asyncio.TimeoutError):
            asking = asyncio.open_connection(address, port)
            _, writer = await asyncio.wait_for(asking, _CONNECT_S)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            return True
    return False


async def joined(inside: Pipe, outside: Pipe) -> None:
    """Hand the bytes of each to the other; a direction that has ended leaves the other open."""
    try:
        await asyncio.gather(_pump(inside[0], outside[1]), _pump(outside[0], inside[1]))
    finally:
        for _, writer in (inside, outside):
            writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
