"""The ports of this process's network at which programs listen."""

from __future__ import annotations

from contextlib import suppress

_LISTENS = "0A"
_OURS = "427F"
"""How the addresses end that we listen at ourselves (127.66…), as the kernel writes them."""


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
