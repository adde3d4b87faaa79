"""Whether somebody may still write a log: its writer holds a lock on it as long as it lives."""

from __future__ import annotations

from contextlib import suppress

try:
    import fcntl
except ImportError:  # Windows, where files cannot be locked in a way that lets others read them
    fcntl = None


def lock_log(file: int) -> None:
    """Hold the file's lock until it is closed, or this process and its forks have ended."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def is_locked(file: int, pid: object) -> bool:
    """Whether the writer of this open file lives; without locks, whether the terminal's process."""
    if fcntl is not None:
        with suppress(OSError):  # of a file system that knows no locks
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False
    import psutil  # noqa: PLC0415 - slow to load

    return isinstance(pid, int) and psutil.pid_exists(pid)
