"""Reads and writes beneath a copied folder without following one symbolic link.

A command may have left `a -> /elsewhere` in the copy; what we write to `a/x` must not go there.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NON_BLOCKING = getattr(os, "O_NONBLOCK", 0)


@frozen(slots=True)
class Mark:
    """What tells two states of an entry apart without reading it; `target` is a link's."""

    mtime_ns: int
    changed_ns: int
    size: int
    inode: int
    mode: int
    target: str | None = None


def write_file(root: Path, path: str, data: bytes, mtime: int | None) -> None:
    """Create or overwrite a file; `mtime` in whole seconds, None: now.

    Raises BadInput `outside-root`, Refused `symlink`, OutsideFailure `stage-full`.
    """
    with _answered(path), _parent(root, path, create=True) as (folder, name):
        mode = 0o666
        with suppress(FileNotFoundError):  # a program may have it mapped: never written in place
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(state.st_mode):
                raise Refused("symlink", "a symbolic link is in the way", path)
            mode = stat.S_IMODE(state.st_mode)
            os.unlink(name, dir_fd=folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
        with os.fdopen(os.open(name, flags, mode, dir_fd=folder), "wb") as stream:
            stream.write(data)
        if mtime is not None:
            os.utime(name, (mtime, mtime), dir_fd=folder, follow_symlinks=False)


def remove_file(root: Path, path: str) -> None:
    """Remove a file, and the folders that this empties; a missing one is fine."""
    with _answered(path):
        try:
            with _parent(root, path, create=False) as (folder, name):
                os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        above = root / path
        while (above := above.parent) != root:
            try:
                above.rmdir()
            except OSError:
                return


def read_file(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file; None if there is none."""
    try:
        with _answered(path), _parent(root, path, create=False) as (folder, name):
            if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            opened = os.open(name, os.O_RDONLY | _NO_FOLLOW | _NON_BLOCKING, dir_fd=folder)
            with os.fdopen(opened, "rb") as stream:
                return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def marks(root: Path) -> dict[str, Mark]:
    """Every file and link beneath a folder; links to folders are not entered."""
    found: dict[str, Mark] = {}
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        with suppress(OSError), os.scandir(f"{root}/{prefix}") as entries:  # gone, or locked
            for entry in entries:
                path = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path + "/")
                    continue
                with suppress(FileNotFoundError):
                    found[path] = mark_of(root, path, entry.stat(follow_symlinks=False))
    return found


def mark_of(root: Path, path: str, state: os.stat_result | None = None) -> Mark:
    """The mark of one entry; raises FileNotFoundError."""
    state = state or (root / path).lstat()
    target = str((root / path).readlink()) if stat.S_ISLNK(state.st_mode) else None
    return Mark(
        state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino, state.st_mode, target
    )


@contextmanager
def _parent(root: Path, path: str, *, create: bool) -> Generator[tuple[int, str], None, None]:
    """The open folder of a path, reached component by component, and the last name."""
    *folders, name = _components(path)
    here = os.open(root, _FOLDER)
    try:
        for part in folders:
            if create:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o777, dir_fd=here)
            below = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        yield here, name
    finally:
        os.close(here)


def _components(path: str) -> Iterator[str]:
    parts = path.split("/")
    if path.startswith("/") or not all(parts) or not {".", ".."}.isdisjoint(parts):
        raise BadInput("outside-root", "paths are relative to the root, without `.` and `..`", path)
    return iter(parts)


@contextmanager
def _answered(path: str) -> Generator[None, None, None]:
    """Turn the system's refusals into ours; a missing file stays FileNotFoundError."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR) or isinstance(error, NotADirectoryError):
            raise Refused("symlink", "a symbolic link or a file is in the way", path) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutsideFailure("stage-full", "no room for the copy", path) from error
        raise OutsideFailure("stage-lost", f"cannot be written: {error.strerror}", path) from error
