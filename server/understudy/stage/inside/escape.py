"""A program that tries to leave its stage; prints as JSON what it believes to have reached.

Run by the boundary's self-test on a stage, with its targets as JSON in the first argument.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_NEW_USER_AND_MOUNTS = 0x10020000
_MOUNT_WRITABLE = 4096 | 32  # MS_BIND | MS_REMOUNT


def main() -> None:
    """Try everything; an error is what is hoped for."""
    targets: dict[str, Any] = json.loads(sys.argv[1])
    victim = Path(targets["victim"])
    seen_from_outside: tuple[Callable[[], object], ...] = (
        lambda: _append(victim),
        lambda: _append(victim.with_name("new")),
        victim.unlink,
        lambda: _connect(socket.AF_INET, ("127.0.0.1", targets["stream"])),
        lambda: _connect(socket.AF_UNIX, targets["socket"]),
        lambda: _send(("127.0.0.1", targets["datagram"])),
        lambda: os.kill(1, signal.SIGTERM),
    )
    for attack in seen_from_outside:
        with suppress(OSError):
            attack()
    told: dict[str, Callable[[], object]] = {
        "the first process can be read": Path("/proc/1/environ").read_bytes,
        "a mount can be made writable": lambda: _call(
            "mount", None, b"/", None, _MOUNT_WRITABLE, 0
        ),
        "namespaces can be made": lambda: _call("unshare", _NEW_USER_AND_MOUNTS),
    }
    did: list[str] = []
    for sentence, attack in told.items():
        with suppress(OSError):
            attack()
            did.append(sentence)
    _append(Path("file"))
    Path("file").unlink()
    sys.stdout.write(json.dumps({"did": did, "replaced_folder_shows": _replaced_folder_shows()}))


def _replaced_folder_shows() -> bool:
    """Whether a folder that is removed and made again has old files in it, or cannot be made."""
    try:
        shutil.rmtree("replaced")
        Path("replaced").mkdir()
        return bool(os.listdir("replaced"))
    except OSError:
        return True


def _append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def _connect(family: int, address: str | tuple[str, int]) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect(address)


def _send(address: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"out", address)


def _call(name: str, *arguments: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


main()
