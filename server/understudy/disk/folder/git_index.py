"""What git's index remembers of each file's state, to spare reading files that have not changed.

The index file is read, never written. Whatever is not understood here (a split index, a later
version, a cut file) is remembered as nothing, and then every file is compared by its content.
Format: gitformat-index(5).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from understudy.shadow.folder import Fingerprint

_HEADER = struct.Struct(">4sII")
_STATE = struct.Struct(">10I")
_VERSIONS = (2, 3, 4)
_EXTENDED, _STAGE = 0x4000, 0x3000
_LOW = 0xFFFFFFFF


class Remembered(NamedTuple):
    """A file's content (object id in hex) and its state when git last saw it so."""

    oid: str
    mtime_ns: int
    changed_ns: int
    inode: int
    size: int

    def is_still(self, mark: Fingerprint) -> bool:
        """Whether the file is in the state in which git saw it (inode and size: low 32 bits)."""
        return (self.mtime_ns, self.changed_ns, self.inode, self.size) == (
            mark.mtime_ns,
            mark.changed_ns,
            mark.inode & _LOW,
            mark.size & _LOW,
        )


def read_git_index(path: Path, prefix: bytes, oid_bytes: int) -> Mapping[str, Remembered]:
    """The files below `prefix` (empty, or with its slash) by their path relative to it.

    A file whose time is not older than the index's own is left out: it may have changed after git
    looked, within one tick of the clock.
    """
    try:
        written_ns = path.stat().st_mtime_ns
        data = path.read_bytes()
        return {
            os.fsdecode(name[len(prefix) :]): seen
            for name, seen in _entries(data, oid_bytes)
            if name.startswith(prefix) and seen.mtime_ns < written_ns
        }
    except (OSError, struct.error, ValueError, IndexError):
        return {}


def _entries(data: bytes, oid_bytes: int) -> Iterator[tuple[bytes, Remembered]]:
    signature, version, count = _HEADER.unpack_from(data)
    if signature != b"DIRC" or version not in _VERSIONS:
        return
    at, name = _HEADER.size, b""
    for _ in range(count):
        start = at
        state = _STATE.unpack_from(data, at)
        at += _STATE.size
        oid = data[at : at + oid_bytes].hex()
        at += oid_bytes
        (flags,) = struct.unpack_from(">H", data, at)
        at += 4 if flags & _EXTENDED else 2
        if version == 4:
            cut, at = _varint(data, at)
            end = data.index(b"\0", at)
            name = name[: len(name) - cut] + data[at:end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            name = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        if not flags & _STAGE:  # a path in a merge conflict is compared by its content
            ctime_s, ctime_ns, mtime_s, mtime_ns, _, inode, _, _, _, size = state
            mtime, changed = mtime_s * 10**9 + mtime_ns, ctime_s * 10**9 + ctime_ns
            yield name, Remembered(oid, mtime, changed, inode, size)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number as pack files offset-encode it, and where it ends."""
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        value = (value + 1) << 7 | byte & 0x7F
    return value, at + 1
