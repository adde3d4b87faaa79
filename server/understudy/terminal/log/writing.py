"""How a terminal's log reaches the disk: whole files, whole lines, or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from understudy.disk.layout import open_private
from understudy.terminal.log.lock import lock_log
from understudy.terminal.log.rotation import index_of


def create(path: Path) -> tuple[int, int]:
    """The descriptors of a new log and its index; raises OutsideFailure `state-unwritable`."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    flags |= getattr(os, "O_BINARY", 0)
    file = open_private(path, flags)
    try:
        lock_log(file)
        return file, open_private(index_of(path), flags | os.O_APPEND)
    except BaseException:  # whatever it is: half a log is none
        os.close(file)
        with suppress(OSError):
            path.unlink()
        raise


def write(file: int, data: bytes, at: int) -> None:
    """Write all of it at a place; raises OSError, and then a part of it may stand there."""
    view, place = memoryview(data), at
    while view:
        n_written = _write_at(file, view, place)
        view, place = view[n_written:], place + n_written


def _write_at(file: int, data: memoryview, place: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, place)
    os.lseek(file, place, os.SEEK_SET)
    return os.write(file, data)


def add_line(file: int, line: bytes) -> None:
    """Append a whole line to an index; raises OSError, and then nothing of it stands there."""
    size = os.fstat(file).st_size
    if os.write(file, line) < len(line):
        os.ftruncate(file, size)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
