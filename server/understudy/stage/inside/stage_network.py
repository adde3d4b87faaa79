"""What is asked of a stage's network from outside: sockets in it, and who listens there."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

from understudy.stage.inside import kernel

_LISTENS = "0A"
_OURS = "427F"
"""How the addresses end that we listen at ourselves (127.66…), as the kernel writes them."""


_FREEBIND = 15
"""IP_FREEBIND of ip(7)."""


class StageNetwork:
    """The network that this process is in."""

    def __init__(self) -> None:
        self._addresses: list[str] = []

    def answer(self, request: dict[str, Any], reply: dict[str, Any]) -> list[int]:
        """Do what is asked; the descriptors that go with the reply. Raises OSError."""
        if request["do"] == "listen":
            return [self._listen(request["address"], request["port"], request["kind"])]
        if request["do"] == "listening":
            reply["ports"] = listening_ports()
        elif request["do"] == "socket":
            return [socket.socket(request["family"]).detach()]
        return []

    def _listen(self, address: str, port: int, kind: int) -> int:
        """A socket at an address of this network; a listening one, unless it takes datagrams."""
        is_local = address.startswith("127.") or address == "::1"
        if not is_local and address not in self._addresses:
            kernel.give_loopback(address, len(self._addresses))
            self._addresses.append(address)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family, kind) as one:
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.setsockopt(socket.IPPROTO_IP, _FREEBIND, 1)  # it is a moment till it is ours
            one.bind((address, port))
            if kind == socket.SOCK_STREAM:
                one.listen(128)
            return one.detach()


def listening_ports() -> list[int]:
    """TCP ports of programs on the stage, in the order of their numbers."""
    found: set[int] = set()
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with suppress(OSError), open(table, encoding="ascii") as file:
            for line in file.read().splitlines()[1:]:
                _, local, _, state, *_ = line.split()
                address, port = local.split(":")
                if state == _LISTENS and not (len(address) == 8 and address.endswith(_OURS)):
                    found.add(int(port, 16))
    return sorted(found)
