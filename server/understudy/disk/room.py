"""What a disk of ours says when it takes nothing more: which disk, why, and what that means."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import STATE_VARIABLE

_PROBE_BYTES = 128 * 1024
"""More than SQLite needs beside a database to open it."""
_FULL = {
    errno.ENOSPC: "the disk mounted at {disk} is full",
    getattr(errno, "EDQUOT", -1): "your quota of the disk mounted at {disk} is used up",
}
_NOT_OURS = frozenset(
    getattr(errno, name, -1)
    for name in (
        *("EIO", "ENXIO", "ENODEV", "ESTALE", "ENOSPC", "EDQUOT", "EROFS"),
        *("EACCES", "EPERM", "EMFILE", "ENFILE", "ENOMEM", "ENOLCK"),
    )
)
"""What a system says of a disk, a right or a limit, whatever a program does."""
_ADVICE = f"make room there, or set {STATE_VARIABLE} to a folder on another disk"


@contextmanager
def writing_state(path: Path) -> Generator[None, None, None]:
    """Let what the system says of a file of our state be told as `state_failure` has it."""
    try:
        yield
    except OSError as error:
        raise state_failure(error, path) from error


@contextmanager
def needing_room(path: Path) -> Generator[None, None, None]:
    """The same, for what a disk says that is full or read-only, and nothing else."""
    try:
        yield
    except OSError as error:
        if error.errno not in (*_FULL, errno.EROFS):
            raise
        raise state_failure(error, path) from error


def state_failure(error: OSError, path: Path) -> OutsideFailure:
    """OutsideFailure `state-full` or `state-unwritable` for a write of ours that failed.

    Its text says that nothing was lost, so a caller first undoes what it had begun.
    """
    why = what_disk_says(error, path)
    if error.errno in _FULL:
        text = f"{why}, and our state lies on it; {_ADVICE}"
        return OutsideFailure("state-full", f"{text}. Nothing is lost", str(path))
    text = f"our state cannot be written: {why}; set {STATE_VARIABLE} to another folder"
    return OutsideFailure("state-unwritable", f"{text}. Nothing is lost", str(path))


def what_disk_says(error: OSError, path: Path) -> str:
    """Why something was not written, in words; which disk, where that is full or read-only."""
    if error.errno in _FULL:
        return _FULL[error.errno].format(disk=_mount_of(path))
    if error.errno == errno.EROFS:
        return f"the disk mounted at {_mount_of(path)} is read-only"
    return str(error.strerror or error)


def system_refusal(error: Exception) -> OutsideFailure | None:
    """OutsideFailure `system-refused` where a disk, a right or a limit is what failed; else None.

    For the boundaries, where all other errors of the system are mistakes of our own.
    """
    if not isinstance(error, OSError) or error.errno not in _NOT_OURS:
        return None
    where = None if error.filename is None else os.fsdecode(error.filename)
    text = f"the system did not let us: {error.strerror}"
    return OutsideFailure("system-refused", text, where)


def refusal_of(folder: Path) -> OSError | None:
    """What the disk says to a small new file in a folder; None where it takes one."""
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
            written = probe.write(bytes(_PROBE_BYTES))
            if written != _PROBE_BYTES:  # some, then no more
                return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    except OSError as error:
        return error
    return None


def _mount_of(path: Path) -> Path:
    """The folder that the disk of a path, which need not be there, is mounted at."""
    here = path.absolute()
    while not here.exists() and here != here.parent:
        here = here.parent
    here = here.resolve()
    while not here.is_mount() and here != here.parent:
        here = here.parent
    return here
