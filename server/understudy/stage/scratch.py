"""A stage's own folders on disk: locked while in use, removed at the next start if left behind.

But one with a record of what is in it: somebody wanted what was written there, and takes it.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.disk.layout import make_private_folder
from understudy.disk.lock import HostLock
from understudy.stage import btrfs
from understudy.values.errors import Refused, UnderstudyError

RECORD = "left.json"
LAYER, FROZEN = "layer", "frozen"
"""In a rehearsal's folder: what was written on its stage, and in that the snapshot it lay on."""
_LOCK = "owner.lock"
_PREFIX = "stage-"
_NEW_S = 60


class Scratch:
    """A locked folder; the kernel frees the lock when we end, however we end."""

    def __init__(self, folder: Path, lock: HostLock, *, temporary: bool) -> None:
        self.folder = folder
        self._lock = lock
        self._temporary = temporary

    @staticmethod
    def make(home: Path) -> Scratch:
        """A new folder in `home` that goes with the stage."""
        make_private_folder(home)
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix=_PREFIX, dir=home)))
        return Scratch(folder, HostLock.acquire(folder / _LOCK), temporary=True)

    @staticmethod
    def keep(folder: Path) -> Scratch:
        """A folder that stays; raises Refused `stage-in-use` while another stage has it."""
        make_private_folder(folder)
        try:
            lock = HostLock.acquire(folder / _LOCK)
        except Refused as error:
            text = "its build products are in use by another run"
            raise Refused("stage-in-use", text, str(folder)) from error
        return Scratch(folder, lock, temporary=False)

    def release(self) -> None:
        """Leave the folder as it is, for whoever comes next."""
        self._lock.release()

    def close(self) -> None:
        """Give the folder back, without what only a mount needs, or remove it."""
        remove_tree(self.folder if self._temporary else self.folder / "work")
        self._lock.release()


def sweep(home: Path) -> int:
    """Remove what stages of processes that are gone left behind; returns how many there were.

    Folders with a record stay: see `left`.
    """
    n_removed = 0
    for folder in sorted(home.glob(f"{_PREFIX}*")) if home.is_dir() else ():
        if folder.is_symlink():
            continue  # it is no stage's, whatever it leads to
        try:
            if (folder / RECORD).exists():
                continue
            if not (folder / _LOCK).exists() and time.time() - folder.stat().st_mtime < _NEW_S:
                continue  # being made right now
            lock = HostLock.acquire(folder / _LOCK)
        except (OSError, UnderstudyError):
            continue  # in use, or removed by somebody else meanwhile
        _remove(folder)
        lock.release()
        n_removed += 1
    return n_removed


def has_left(home: Path) -> bool:
    """Whether `left` may give anything."""
    return any(_records(home))


def _records(home: Path) -> list[Path]:
    found = sorted(home.glob(f"{_PREFIX}*/{RECORD}"))
    return [one for one in found if not one.parent.is_symlink()]


def left(home: Path) -> Iterator[Scratch]:
    """The folders with a record that nobody uses any more, to be closed, or released."""
    for record in _records(home):
        try:
            lock = HostLock.acquire(record.with_name(_LOCK))
        except (OSError, UnderstudyError):
            continue  # in use
        yield Scratch(record.parent, lock, temporary=True)


def remove_at_once(folder: Path, home: Path) -> None:
    """Remove a folder whose lock the caller holds; whoever looks sees all of it or nothing.

    What a kill leaves of it lies in `home`, on the same disk, where `sweep` finds it.
    """
    make_private_folder(home)
    gone = tempfile.mkdtemp(prefix=_PREFIX, dir=home)
    os.rename(folder, gone)
    _remove(Path(gone))


def _remove(folder: Path) -> None:
    """With the snapshot of a rehearsal, which takes no time as a whole; else it is emptied."""
    with suppress(OSError):
        btrfs.remove_snapshot(folder, f"{LAYER}/{FROZEN}")
    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder, also one with subfolders of mode 000, as overlayfs makes them.

    What resists (folders nested beyond all measure) stays for the next start.
    """

    def open_up(function: Callable[..., Any], path: str, _: object) -> None:
        with suppress(OSError):
            for part in (os.path.dirname(path), path):
                if stat.S_ISDIR(os.lstat(part).st_mode):
                    os.chmod(part, stat.S_IRWXU)
            if function in (os.open, os.scandir, os.lstat):
                shutil.rmtree(path, ignore_errors=True)
            else:
                function(path)

    with suppress(OSError, RecursionError):
        if sys.version_info >= (3, 12):
            shutil.rmtree(folder, onexc=open_up)
        else:
            shutil.rmtree(folder, onerror=open_up)
