"""A file of ours that can be made anew: read as a whole or not at all, replaced as a whole.

Whatever is not just what was written there last, by the same maker, is no file to its reader.
"""

from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path

from understudy.disk.atomic import prepare, remove_left

MOST_BYTES = 512 * 1024 * 1024
"""What would be longer is not kept."""

_FILE_MODE = 0o600
_MAGIC = b"understudy kept file\n"
_SUM_BYTES = 4
_READING = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")
)
"""A link or a pipe that stands in its place is not ours, and is not waited for."""


def read_kept(file: Path, maker: bytes) -> memoryview | None:
    """What is kept there; None where nothing is, or it is another maker's, damaged or not ours."""
    try:
        with os.fdopen(os.open(file, _READING), "rb") as opened:
            state = os.fstat(opened.fileno())
            if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
                return None
            data = memoryview(opened.read())
    except OSError:
        return None
    head = _MAGIC + maker
    start = len(head) + _SUM_BYTES
    body = data[start:]
    return body if bytes(data[:start]) == head + _sum(body) else None


def write_kept(file: Path, maker: bytes, body: bytes) -> bool:
    """Replace what is kept there, for this user alone; says whether that could be done."""
    if len(body) > MOST_BYTES - len(_MAGIC) - len(maker) - _SUM_BYTES:
        return False
    data = b"".join((_MAGIC, maker, _sum(body), body))
    try:
        remove_left(file.parent)
        prepare(file, data, _FILE_MODE).commit()
    except OSError:
        return False
    return True


def _sum(body: bytes | memoryview) -> bytes:
    return zlib.crc32(body).to_bytes(_SUM_BYTES, "big")
