"""Putting a file in the place of another while processes look on: at once, and never over theirs.

The two change places, so that what lay there can still be looked at and put back.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from understudy.stage.beneath import named, open_beneath, parent
from understudy.stage.live import FileMark, Replacement
from understudy.stage.overlay.upper import Layer, mark_of

NAME_PREFIX = ".understudy-"
_NO_REPLACE, _EXCHANGE = 1, 2
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class Swap:
    """A replacement under way, through the descriptor of the stage's root.

    Its steps raise as `Stage.write` says.
    """

    def __init__(self, root: int, wanted: Replacement) -> None:
        self._root = root
        self._wanted = wanted
        above, _, self._name = os.fsencode(wanted.path).rpartition(b"/")
        self._other = os.fsencode(NAME_PREFIX) + os.urandom(6).hex().encode()
        self._ours: FileMark = ()
        self.other_path = os.fsdecode(above + b"/" + self._other if above else self._other)
        """Where the old file lies meanwhile."""

    def begin(self) -> bool:
        """Let the two change places; whether what was there is what should have been."""
        wanted = self._wanted
        with self._folder(make=wanted.data is not None) as folder:
            if wanted.data is None:
                return self._moved(folder, self._name, self._other, _NO_REPLACE)
            self._write(folder, wanted.data)
            flag = _NO_REPLACE if wanted.instead_of is None else _EXCHANGE
            if not self._moved(folder, self._other, self._name, flag):
                os.unlink(self._other, dir_fd=folder)
                return False
        return True

    def holds_what_it_should(self) -> bool:
        """Whether the old file is the one that was to be replaced."""
        wanted = self._wanted
        if wanted.instead_of is None:
            return True
        with self._folder() as folder:
            return _content(folder, self._other) == wanted.instead_of

    def undo(self) -> None:
        """Put the old file back, but for one that somebody has made in its place."""
        wanted = self._wanted
        with self._folder() as folder:
            if wanted.data is None:
                self._moved(folder, self._other, self._name, _NO_REPLACE)
            elif wanted.instead_of is not None:
                self._put_back(folder)
            elif (
                self._moved(folder, self._name, self._other, _NO_REPLACE)
                and _which(folder, self._other) != self._ours
            ):
                self._moved(folder, self._other, self._name, _NO_REPLACE)
            with suppress(FileNotFoundError):
                os.unlink(self._other, dir_fd=folder)

    @contextmanager
    def _folder(self, *, make: bool = False) -> Generator[int, None, None]:
        """The open folder that both lie in; errors of the system have names in the body."""
        path = self._wanted.path
        with named(path), parent(self._root, path, make=make) as (folder, _):
            yield folder

    def _put_back(self, folder: int) -> None:
        """Let the two change places until what comes away is what we have put there.

        Anything else was saved there meanwhile: it is newer than what it has made way for.
        """
        there, here = self._ours, _which(folder, self._other)
        while self._moved(folder, self._other, self._name, _EXCHANGE):
            came = _which(folder, self._other)
            if came == there:
                return
            there, here = here, came

    def finish(self) -> None:
        """Let the old file go."""
        if self._wanted.instead_of is not None:
            with self._folder() as folder, suppress(FileNotFoundError):
                os.unlink(self._other, dir_fd=folder)

    def mark(self, layer: Layer, data: bytes | None) -> FileMark | None:
        """That of the file in the layer that holds it; None unless it is these bytes by now."""
        with suppress(OSError):
            file = open_beneath(layer.upper, self._wanted.path[len(layer.prefix) :], _READ)
            with _opened(file) as stream:
                mark = mark_of(os.fstat(file))
                return mark if stream.read() == data and mark_of(os.fstat(file)) == mark else None
        return None

    def _write(self, folder: int, data: bytes) -> None:
        file = os.open(self._other, _NEW, 0o600, dir_fd=folder)
        try:
            with os.fdopen(file, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fchmod(file, self._wanted.mode & 0o777)
                if self._wanted.mtime_ns is not None:
                    os.utime(file, ns=(self._wanted.mtime_ns, self._wanted.mtime_ns))
            self._ours = _which(folder, self._other)
        except BaseException:  # whatever it is: undone, and raised again
            os.unlink(self._other, dir_fd=folder)
            raise

    @staticmethod
    def _moved(folder: int, source: bytes, target: bytes, flags: int) -> bool:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.renameat2(folder, source, folder, target, flags) == 0)


def remove_empty(root: int, path: str, user: Path) -> None:
    """Take the folders above a path away that are empty, and that the user has not (any more)."""
    above = path.rpartition("/")[0]
    while above and not (user / above).is_dir():
        with suppress(OSError), parent(root, above, make=False) as (folder, name):
            os.rmdir(name, dir_fd=folder)
        above = above.rpartition("/")[0]


def _which(folder: int, name: bytes) -> FileMark:
    """What tells a file from others, and from itself before it was written to; moving is none."""
    with suppress(OSError):
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return status.st_ino, status.st_size, status.st_mtime_ns
    return ()


def _content(folder: int, name: bytes) -> bytes | None:
    with suppress(OSError), _opened(os.open(name, _READ, dir_fd=folder)) as stream:
        return stream.read()
    return None


@contextmanager
def _opened(file: int) -> Generator[BinaryIO, None, None]:
    """A descriptor as a stream; it is closed also where it is a folder's, and OSError raised."""
    try:
        with open(file, "rb", closefd=False) as stream:
            yield stream
    finally:
        os.close(file)
