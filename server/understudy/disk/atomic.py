"""Files that are replaced whole or not at all: written beside the target, flushed, then renamed."""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.values.frozen import frozen

_ENDING = ".understudy"
_LEFT_SECONDS = 3600.0
"""A temporary file that is older has no writer any more."""


@frozen
class Prepared:
    """New bytes that lie, flushed, in a temporary file beside their target."""

    target: Path
    temporary: Path

    def commit(self) -> None:
        """Put the new bytes in the target's place; it is old or new, never half.

        The rename itself is on disk for good after `flush_folder` of the target's folder. Where it
        fails, the temporary file goes.
        """
        try:
            self.temporary.replace(self.target)
        except OSError:
            with suppress(OSError):
                self.temporary.unlink(missing_ok=True)
            raise


def temporary_name(name: str) -> str:
    """A name that no other file has, for the temporary file beside one called `name`."""
    return f".{name[:40]}.{os.urandom(4).hex()}{_ENDING}"


def prepare(
    target: Path,
    data: bytes,
    mode: int | None = None,
    owner: tuple[int, int] | None = None,
    temporary: str | None = None,
) -> Prepared:
    """Write bytes beside `target`, with these permission bits and this (user, group).

    Without a mode the file gets what the umask gives any new one. `temporary` is the name to write
    them under, for who must find it again after a crash.
    """
    beside = target.parent / (temporary or temporary_name(target.name))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(beside, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            if owner is not None and os.name != "nt":
                _give(descriptor, owner)
            if mode is not None and os.name != "nt":
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
    except BaseException:  # whatever it is: undone, and raised again
        beside.unlink(missing_ok=True)
        raise
    return Prepared(target, beside)


def write_private(path: Path, data: bytes) -> None:
    """Replace a file of ours, readable by nobody else."""
    remove_left(path.parent)
    prepare(path, data, mode=0o600).commit()
    flush_folder(path.parent)


def remove_left(folder: Path) -> None:
    """Remove what writers that were killed have left in a folder of ours, once it is old."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(_ENDING):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - _LEFT_SECONDS:
                        os.unlink(entry.path)  # noqa: PTH108 - it has the path as a text


def flush_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_disk_of(folder: Path) -> None:
    """Let all that was written to a folder's file system survive a power cut."""
    syncfs: Any = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:  # only Linux has it
        os.sync()
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        if syncfs(descriptor) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(descriptor)


def _give(descriptor: int, owner: tuple[int, int]) -> None:
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != owner:
        # Only root may give a file away; for others it belongs to who wrote it, as editors do.
        with suppress(PermissionError):
            os.fchown(descriptor, *owner)
