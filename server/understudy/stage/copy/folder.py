"""Copies a folder the cheapest way that the file system has, and says what it left out.

Never by hard links: a program that appends to such a copy changes the user's file.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from understudy.values.errors import OutsideFailure

Method = Literal["snapshot", "clonefile", "reflink", "plain"]

DEPENDENCIES = frozenset(
    (".nox", ".pixi", ".tox", ".venv", ".yarn", "bower_components", "node_modules", "venv")
)
"""Folders of installed packages: large, and seldom written to by what a stage runs."""
MAX_ENTRIES, MAX_BYTES = 500_000, 20 * 1024**3
"""A folder with more than this is not copied: error `stage-too-large`."""

_FICLONE = 0x40049409
_BTRFS_SNAPSHOT = 0x50009401
_BTRFS_SUBVOLUME_INODE = 256
_NO_CLONES = frozenset(
    (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS, errno.EPERM)
)


@dataclass
class Copied:
    """How a folder was copied; paths are root-relative and sorted.

    `linked` are folders that are symbolic links to the user's own, `left_out` are those that are
    missing, `special` are pipes, sockets and devices, `unreadable` is what could not be read.
    """

    method: Method
    linked: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    special: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])


def copy_folder(source: Path, target: Path, *, link_dependencies: bool) -> Copied:
    """Copy `source` to `target`, which must not exist; modes and times are kept.

    Without copy-on-write, folders of installed packages become links to the user's own, or are left
    out where nothing would keep a command from writing through them. Raises OutsideFailure
    `stage-too-large`, `stage-full`, `stage-unavailable`; then `target` may be half there.
    """
    try:
        if _snapshot(source, target):
            return Copied("snapshot")
        if _clonefile(source, target):
            return Copied("clonefile")
        return _Copier(source, target, link_dependencies).copy()
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        code = "stage-full" if full else "stage-unavailable"
        text = f"the folder cannot be copied: {error.strerror}"
        raise OutsideFailure(code, text, str(error.filename or target)) from error


class _Copier:
    """Copies entry by entry, by reflinks for as long as the file system takes them."""

    def __init__(self, source: Path, target: Path, link_dependencies: bool) -> None:
        self._source, self._target = str(source), str(target)
        self._link_dependencies = link_dependencies
        self._clones = sys.platform == "linux"
        self._entries = self._bytes = 0
        self._copied = Copied("reflink")

    def copy(self) -> Copied:
        self._clones = self._clones and self._can_clone()
        self._copied.method = "reflink" if self._clones else "plain"
        waiting = [""]
        finished: list[str] = []
        while waiting:
            prefix = waiting.pop()
            finished.append(prefix)
            Path(self._target + "/" + prefix).mkdir(mode=0o700)
            for entry in self._list(prefix):
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not self._replaced(entry, path):
                        waiting.append(path + "/")
                else:
                    self._take(entry, path)
        for prefix in reversed(finished):  # times last: each entry made in it changed its folder's
            with suppress(OSError):
                shutil.copystat(self._source + "/" + prefix, self._target + "/" + prefix)
        for listed in (self._copied.linked, self._copied.left_out, self._copied.special,
                       self._copied.unreadable):  # fmt: skip
            listed.sort()
        return self._copied

    def _list(self, prefix: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self._source + "/" + prefix) as entries:
                found = list(entries)
        except OSError:
            self._copied.unreadable.append(prefix or ".")
            return
        self._entries += len(found)
        if self._entries > MAX_ENTRIES:
            raise _too_large(f"more than {MAX_ENTRIES} files", self._source)
        yield from found

    def _replaced(self, entry: os.DirEntry[str], path: str) -> bool:
        """Whether a folder of installed packages was linked or left out instead."""
        if self._clones or not _is_dependencies(entry):
            return False
        if self._link_dependencies:
            os.symlink(entry.path, self._target + "/" + path)
            self._copied.linked.append(path + "/")
        else:
            self._copied.left_out.append(path + "/")
        return True

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        target = self._target + "/" + path
        if entry.is_symlink():
            Path(target).symlink_to(self._destination(entry.path))
            return
        if not entry.is_file(follow_symlinks=False):
            self._copied.special.append(path)
            return
        try:
            reader = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            self._copied.unreadable.append(path)
            return
        with os.fdopen(reader, "rb") as source, Path(target).open("xb") as stream:
            state = os.fstat(source.fileno())
            self._bytes += 0 if self._clones else state.st_size
            if self._bytes > MAX_BYTES:
                raise _too_large(f"more than {MAX_BYTES // 1024**3} GiB", self._source)
            if not (self._clones and _clone(source.fileno(), stream.fileno())):
                shutil.copyfileobj(source, stream, 1024 * 1024)
        shutil.copystat(entry.path, target)

    def _destination(self, link: str) -> str:
        """Where a copied link leads: inside the folder to the copy, else where it led before."""
        text = str(Path(link).readlink())
        folder = os.path.dirname(link)
        aimed = os.path.normpath(os.path.join(folder, text))
        inside = aimed == self._source or aimed.startswith(self._source + "/")
        if not inside:
            return aimed
        if text.startswith(os.sep):
            return self._target + aimed[len(self._source) :]
        return os.path.relpath(aimed, folder)

    def _can_clone(self) -> bool:
        """Whether the first file of some size can be cloned to the target's file system."""
        probe = Path(self._target + ".probe")
        for folder, _, names in os.walk(self._source):
            for name in names:
                sample = Path(folder, name)
                try:
                    if sample.is_symlink() or not sample.is_file() or not sample.stat().st_size:
                        continue
                    with sample.open("rb") as source, probe.open("wb") as stream:
                        return _clone(source.fileno(), stream.fileno())
                except OSError:
                    continue
                finally:
                    probe.unlink(missing_ok=True)
        return False


def _is_dependencies(entry: os.DirEntry[str]) -> bool:
    return entry.name in DEPENDENCIES or os.path.exists(entry.path + "/pyvenv.cfg")


def _clone(source: int, target: int) -> bool:
    """Share the blocks of an open file; False where it cannot be done here."""
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno in _NO_CLONES:
            return False
        raise
    return True


def _snapshot(source: Path, target: Path) -> bool:
    """Make a btrfs snapshot; False where the source is no subvolume, or the target lies elsewhere.

    A subvolume's root has inode 256; on any other file system the request is refused.
    """
    if sys.platform != "linux" or source.stat().st_ino != _BTRFS_SUBVOLUME_INODE:
        return False
    import fcntl  # noqa: PLC0415 - not on Windows

    folder = os.open(source, os.O_RDONLY | os.O_DIRECTORY)
    above = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # struct btrfs_ioctl_vol_args: fd and name; mutable, as constants may not be so long
        arguments = bytearray(struct.pack("q4088s", folder, os.fsencode(target.name)))
        fcntl.ioctl(above, _BTRFS_SNAPSHOT, arguments)
    except OSError as error:
        if error.errno in _NO_CLONES:
            return False
        raise
    finally:
        os.close(folder)
        os.close(above)
    return True


def _clonefile(source: Path, target: Path) -> bool:
    """Clone a whole folder by clonefile(2) of macOS; False where the volume cannot."""
    if sys.platform != "darwin":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.clonefile(os.fsencode(source), os.fsencode(target), 0) == 0


def _too_large(text: str, where: str) -> OutsideFailure:
    return OutsideFailure("stage-too-large", f"the folder is too large to be copied: {text}", where)
