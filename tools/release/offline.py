"""Runs a command with no network but the loopback: `unshare --net python offline.py COMMAND`."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_IS_UP = 0x41  # IFF_UP | IFF_RUNNING


def main(command: list[str]) -> None:
    """Bring the loopback of this new network up, and become the command."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _IS_UP))
    os.execvp(command[0], command)  # noqa: S606 - as it was given, without a shell


if __name__ == "__main__":
    main(sys.argv[1:])
