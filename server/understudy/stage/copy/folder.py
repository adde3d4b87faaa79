"""Copies a folder the cheapest way that the file system has, and says what it left out.

Never by hard links: a program that appends to such a copy changes the user's file.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Generator, Set
from contextlib import contextmanager
from pathlib import Path

from understudy.stage import btrfs
from understudy.stage.copy.copied import Copied, Method
from understudy.stage.copy.copier import NO_CLONES, Copier
from understudy.values.errors import OutsideFailure


def copy_folder(
    source: Path, target: Path, *, link_dependencies: bool, hidden: Set[str] = frozenset()
) -> Copied:
    """Copy `source` to `target`, which must not exist, but `hidden`; modes and times are kept.

    Without copy-on-write, folders of installed packages become links to the user's own, or are left
    out where nothing would keep a command from writing through them. Raises OutsideFailure
    `stage-too-large`, `stage-full`, `stage-unavailable`; then `target` may be half there.
    """
    with copying(target):
        method = _at_once(source, target)
        if method is None:
            copier = Copier(source, target, link_dependencies=link_dependencies, hidden=hidden)
            return copier.bring()
        copied = Copied(method)
        _take_out(target, hidden, copied)
        return copied


@contextmanager
def copying(target: Path) -> Generator[None, None, None]:
    """Turn what the system says about a copy into an error with a name."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        code = "stage-full" if full else "stage-unavailable"
        text = f"the folder cannot be copied: {error.strerror}"
        raise OutsideFailure(code, text, str(error.filename or target)) from error


def _at_once(source: Path, target: Path) -> Method | None:
    """Copy the whole folder by one call, where the file system can."""
    if _snapshot(source, target):
        return "snapshot"
    return "clonefile" if _clonefile(source, target) else None


def _take_out(target: Path, hidden: Set[str], copied: Copied) -> None:
    for path in sorted(hidden):
        place = target / path
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
        copied.left_out.append(path)


def _snapshot(source: Path, target: Path) -> bool:
    """Make a btrfs snapshot; False for no subvolume, or where the target lies elsewhere."""
    if not btrfs.is_subvolume(source):
        return False
    try:
        btrfs.make_snapshot(source, target, read_only=False)
    except OSError as error:
        if error.errno in NO_CLONES:
            return False
        raise
    return True


def _clonefile(source: Path, target: Path) -> bool:
    """Clone a whole folder by clonefile(2) of macOS; False where the volume cannot."""
    if sys.platform != "darwin":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.clonefile(os.fsencode(source), os.fsencode(target), 0) == 0
