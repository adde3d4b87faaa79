"""Tries to get out of the fence it runs behind; prints each way that works and exits with 1.

    python -I -S fence_check.py FILE-OUTSIDE

Standard library alone, as every helper process of a stage.
"""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Callable

_NEW_USER = 0x10000000


def _append(outside: str) -> None:
    with open(outside, "a", encoding="ascii") as stream:
        stream.write("changed")


def _send(family: int, kind: int, address: tuple[str, int]) -> None:
    with socket.socket(family, kind) as connection:
        connection.settimeout(1)
        try:
            connection.connect(address)
        except ConnectionRefusedError:
            return  # nobody listens; but a packet went out


def _new_namespace() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER) < 0:
        raise OSError(ctypes.get_errno(), "unshare")


def main(outside: str) -> int:
    """Try all; the number of ways out, or 0."""
    loopback = ("127.0.0.1", 9)
    attempts: list[tuple[str, Callable[[], None]]] = [
        ("a file outside was written", lambda: _append(outside)),
        ("a file outside was made", lambda: _append(outside + ".new")),
        ("a file outside was removed", lambda: os.unlink(outside)),
        ("a file outside was truncated", lambda: os.truncate(outside, 0)),
    ]
    if "--seccomp" in sys.argv:
        attempts += [
            ("TCP went out", lambda: _send(socket.AF_INET, socket.SOCK_STREAM, loopback)),
            ("UDP went out", lambda: _send(socket.AF_INET, socket.SOCK_DGRAM, loopback)),
            ("a Unix socket was opened", lambda: socket.socket(socket.AF_UNIX).close()),
            ("a user namespace was made", _new_namespace),
        ]
    ways = 0
    for way, attempt in attempts:
        try:
            attempt()
        except OSError:
            continue
        ways += 1
        sys.stdout.write(way + "\n")
    return 1 if ways else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
