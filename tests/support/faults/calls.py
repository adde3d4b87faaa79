"""The system calls that touch files, and how each can fail."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import EACCES, EADDRINUSE, EINTR, EIO, EMFILE, ENOLCK, ENOMEM, ENOSPC
from pathlib import Path
from types import MappingProxyType

from tests.support.faults.watch import Asked

READS = (EIO, EINTR)
LOOKS = (EIO, EACCES)
WRITES = (ENOSPC, EIO, EINTR)
MAKES = (ENOSPC, EIO, EACCES)
OPENS = (EACCES, EIO, EMFILE, EINTR)
LOCKS = (ENOLCK, EINTR)


@dataclass(frozen=True)
class Call:
    """A system call: which arguments name files, by a path (`at` before it, if any) or descriptor.

    `changes` says that it can change what lies on disk, so that a kill before it is of its own.
    """

    name: str
    errors: Sequence[int]
    paths: tuple[tuple[int | None, int], ...] = ()
    handle: int | None = None
    changes: bool = True


_HERE = ((None, 0),)
_AT = ((0, 1),)
_TABLE = {
    0: Call("read", READS, handle=0, changes=False),
    1: Call("write", WRITES, handle=0),
    2: Call("open", OPENS, _HERE),
    4: Call("stat", LOOKS, _HERE, changes=False),
    5: Call("fstat", (EIO,), handle=0, changes=False),
    6: Call("lstat", LOOKS, _HERE, changes=False),
    9: Call("mmap", (ENOMEM,), handle=4, changes=False),
    17: Call("pread64", READS, handle=0, changes=False),
    18: Call("pwrite64", WRITES, handle=0),
    19: Call("readv", READS, handle=0, changes=False),
    20: Call("writev", WRITES, handle=0),
    21: Call("access", LOOKS, _HERE, changes=False),
    49: Call("bind", (EACCES, EADDRINUSE)),
    72: Call("fcntl", LOCKS, handle=0, changes=False),
    73: Call("flock", LOCKS, handle=0),
    74: Call("fsync", WRITES, handle=0),
    75: Call("fdatasync", WRITES, handle=0),
    76: Call("truncate", (EIO, EINTR), _HERE),
    77: Call("ftruncate", (EIO, EINTR), handle=0),
    82: Call("rename", MAKES, ((None, 0), (None, 1))),
    83: Call("mkdir", MAKES, _HERE),
    84: Call("rmdir", LOOKS, _HERE),
    86: Call("link", MAKES, ((None, 0), (None, 1))),
    87: Call("unlink", LOOKS, _HERE),
    88: Call("symlink", MAKES, ((None, 1),)),
    89: Call("readlink", LOOKS, _HERE, changes=False),
    90: Call("chmod", LOOKS, _HERE),
    91: Call("fchmod", LOOKS, handle=0),
    92: Call("chown", LOOKS, _HERE),
    93: Call("fchown", LOOKS, handle=0),
    94: Call("lchown", LOOKS, _HERE),
    217: Call("getdents64", (EIO,), handle=0, changes=False),
    257: Call("openat", OPENS, _AT),
    258: Call("mkdirat", MAKES, _AT),
    260: Call("fchownat", LOOKS, _AT),
    262: Call("newfstatat", LOOKS, _AT, changes=False),
    263: Call("unlinkat", LOOKS, _AT),
    264: Call("renameat", MAKES, ((0, 1), (2, 3))),
    265: Call("linkat", MAKES, ((0, 1), (2, 3))),
    266: Call("symlinkat", MAKES, ((1, 2),)),
    267: Call("readlinkat", LOOKS, _AT, changes=False),
    268: Call("fchmodat", LOOKS, _AT),
    269: Call("faccessat", LOOKS, _AT, changes=False),
    280: Call("utimensat", LOOKS, _AT),
    285: Call("fallocate", WRITES, handle=0),
    316: Call("renameat2", MAKES, ((0, 1), (2, 3))),
    326: Call("copy_file_range", WRITES, handle=2),
    332: Call("statx", LOOKS, _AT, changes=False),
    439: Call("faccessat2", LOOKS, _AT, changes=False),
}
CALLS = MappingProxyType(_TABLE)
"""By their numbers on x86-64. `close` is left out: Linux closes the file whatever it says."""
EXIT_GROUP = 231
NUMBERS = (*CALLS, EXIT_GROUP)
WRITING = frozenset(("write", "pwrite64"))
"""Those that may write less than they were given."""

_LOCK_COMMANDS = frozenset((6, 7, 37, 38))
_ANONYMOUS = 0x20
_CREATES = os.O_CREAT | os.O_TRUNC
_LONGEST_PATH = 4096
_RANDOM = re.compile(
    r"(?<=\.)[0-9a-f]{8}(?=\.understudy)|(?<=-)[0-9a-f]{12}(?=/|$)|(?<=[-/_])[a-z0-9_]{8}(?=/|$)"
)


class Reader:
    """Reads what a call that waits is about, out of the process that makes it."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = {str(root): root.name for root in roots}

    def place(self, asked: Asked) -> str | None:
        """The file that it is about, told from below one of the roots; None if it is elsewhere.

        Random parts of a name are `*`, so that one run can be compared with another.
        """
        for path in self.paths(asked):
            for root, name in self._roots.items():
                if path == root or path.startswith(f"{root}/"):
                    return _RANDOM.sub("*", name + path[len(root) :])
        return None

    def paths(self, asked: Asked) -> list[str]:
        """The files that it is about, wherever they are."""
        call, args = CALLS[asked.number], asked.arguments
        if call.name == "fcntl" and args[1] not in _LOCK_COMMANDS:
            return []
        if call.name == "mmap" and args[3] & _ANONYMOUS:
            return []
        found: list[str] = []
        if call.name == "bind":
            found.append(self._socket_path(asked))
        if call.handle is not None:
            found.append(_target(f"/proc/{asked.thread}/fd/{_signed(args[call.handle])}"))
        for at, path in call.paths:
            found.append(self._path(asked.thread, at, path, args))
        return found

    @staticmethod
    def _path(thread: int, at: int | None, index: int, args: Sequence[int]) -> str:
        path = os.fsdecode(memory(thread, args[index], _LONGEST_PATH, is_text=True).split(b"\0")[0])
        if path.startswith("/"):
            return os.path.normpath(path)
        folder = -100 if at is None else _signed(args[at])
        above = f"/proc/{thread}/cwd" if folder == -100 else f"/proc/{thread}/fd/{folder}"
        return os.path.normpath(f"{_target(above)}/{path}")

    @staticmethod
    def _socket_path(asked: Asked) -> str:
        raw = memory(asked.thread, asked.arguments[1], asked.arguments[2])
        (family,) = struct.unpack_from("H", raw)
        return os.fsdecode(raw[2:].split(b"\0")[0]) if family == 1 else ""


def changes(asked: Asked) -> bool:
    """Whether a call can change what lies on disk."""
    call = CALLS[asked.number]
    if call.name in ("open", "openat"):
        return bool(asked.arguments[1 if call.name == "open" else 2] & _CREATES)
    return call.changes


def memory(thread: int, address: int, size: int, *, is_text: bool = False) -> bytes:
    """The bytes at an address of a process; fewer where its memory ends, or a text does."""
    read = b""
    with suppress(OSError), Path(f"/proc/{thread}/mem").open("rb", 0) as stream:
        stream.seek(address)
        # In pieces to each page's end: what lies behind it need not be there.
        while len(read) < size:
            piece = stream.read(min(size - len(read), 4096 - (address + len(read)) % 4096))
            if not piece:
                break
            read += piece
            if is_text and b"\0" in piece:
                break
    return read


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _target(link: str) -> str:
    try:
        return str(Path(link).readlink())
    except OSError:
        return ""
