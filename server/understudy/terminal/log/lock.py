"""Whether somebody may still write a log: its writer holds a lock on it as long as it lives."""

from __future__ import annotations

from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where files cannot be locked in a way that lets others read them
    fcntl = None


def lock_log(file: int) -> None:
    """Hold the file's lock until it is closed, or this process and its forks have ended."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def is_locked(path: Path, pid: object) -> bool:
    """Whether its writer lives; where there are no locks, whether the terminal's process does."""
    if fcntl is None:
        import psutil  # noqa: PLC0415 - slow to load

        return isinstance(pid, int) and psutil.pid_exists(pid)
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # removed meanwhile
        return False
    return False
