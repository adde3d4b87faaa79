"""One host a workspace: an exclusive lock that dies with its holder."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from understudy.disk.layout import open_private
from understudy.values.errors import OutsideFailure, Refused

_POLL_SECONDS = 0.005


class HostLock:
    """The held lock of one workspace; build one with `HostLock.acquire`.

    The kernel drops it when the process ends, however it ends. The file stays: removing it would
    let two processes hold locks on two files of the same name.
    """

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    @staticmethod
    def acquire(path: Path) -> HostLock:
        """Take the lock, also on a disk that takes nothing more.

        Raises Refused `host-running` naming the process that has it.
        """
        descriptor = _opened(path)
        if descriptor is None:
            return HostLock(path, None)
        try:
            _lock(descriptor)
        except OSError as error:
            os.close(descriptor)
            pid = holder(path)
            who = f"process {pid}" if pid is not None else "another process"
            raise Refused(
                "host-running",
                f"{who} is this workspace's host; use its editor or agent, or end it first",
                str(path.parent),
            ) from error
        with suppress(OSError):  # who holds it is for others to read; a full disk has no room
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        return HostLock(path, descriptor)

    @property
    def is_there(self) -> bool:
        """Whether the lock's file is still the one at its path, where others look for it."""
        with suppress(OSError):
            if self._descriptor is not None:
                return os.path.samestat(os.fstat(self._descriptor), self._path.stat())
        return False

    def release(self) -> None:
        """Give the lock back; a second call does nothing."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            # Closing is not enough: a child that starts right now has the file open until its exec.
            _unlock(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> HostLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def _opened(path: Path) -> int | None:
    """The lock's file; None where a read-only disk has none, so that nobody can be host there."""
    try:
        return open_private(path, os.O_RDWR | os.O_CREAT)
    except OutsideFailure as failure:
        cause = failure.__cause__
        if not isinstance(cause, OSError) or cause.errno != errno.EROFS:
            raise
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    return None


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock; False where it cannot be known."""
    try:
        HostLock.acquire(path).release()
    except Refused:
        return True
    except (OutsideFailure, OSError):
        pass
    return False


@contextmanager
def locked(path: Path, seconds: float = 10.0) -> Generator[None, None, None]:
    """Keep other processes of ours out while the body runs; `path` is the lock's own file.

    Raises OutsideFailure `busy` when another one has it for longer than `seconds`.
    """
    descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        until = time.monotonic() + seconds
        while True:
            try:
                _lock(descriptor)
                break
            except OSError as error:
                if time.monotonic() >= until:
                    text = "another process has kept it locked; try again"
                    raise OutsideFailure("busy", text, str(path)) from error
                time.sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def holder(path: Path) -> int | None:
    """The process id written by the last holder, None if it is not known."""
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


if sys.platform == "win32":
    import msvcrt

    _FAR_BYTE = 1 << 30  # locked bytes cannot be read there, so the lock lies beyond the content

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
