"""How many threads the kernel counts already against the limit of processes (RLIMIT_NPROC)."""

from __future__ import annotations

import contextlib
import fcntl
import os

_NS_GET_PARENT = 0xB702
"""ioctl_ns(2): the namespace above; EPERM where that is not below the caller's."""
_EACH_NAMESPACE_COUNTS = (5, 14)
"""The Linux since which a user namespace counts the processes in it and below it alone."""


def counted_tasks() -> int:
    """Threads of this user's processes, as far as the kernel counts them for this process."""
    own, n_tasks = os.getuid(), 0
    known = {os.stat("/proc/self/ns/user").st_ino: True} if _counts_apart() else None
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):  # it ended while we looked
                if os.stat("/proc/" + name).st_uid == own and _is_in(name, known):
                    n_tasks += os.stat(f"/proc/{name}/task").st_nlink - 2
    return n_tasks


def _counts_apart() -> bool:
    """Whether this process is in a user namespace that counts for itself."""
    version = os.uname().release.split(".")[:2]
    if tuple(int("".join(filter(str.isdigit, part)) or 0) for part in version) < (
        _EACH_NAMESPACE_COUNTS
    ):
        return False
    with open("/proc/self/uid_map", encoding="ascii") as file:
        return file.read().split() != ["0", "0", str(2**32 - 1)]


def _is_in(pid: str, known: dict[int, bool] | None) -> bool:
    """Whether a process is in this user namespace or one below; `known` says it by inode.

    Raises OSError where the namespace may not be looked at, as that of a process outside.
    """
    if known is None:
        return True
    path = f"/proc/{pid}/ns/user"
    number = os.stat(path).st_ino
    if number not in known:
        known[number] = _is_below(path, {one for one, is_in in known.items() if is_in})
    return known[number]


def _is_below(path: str, places: set[int]) -> bool:
    """Whether a user namespace is below one of these, by inode."""
    with contextlib.ExitStack() as opened:
        place = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        opened.callback(os.close, place)
        with contextlib.suppress(OSError):  # there is none above that we may see
            while True:
                place = fcntl.ioctl(place, _NS_GET_PARENT)
                opened.callback(os.close, place)
                if os.fstat(place).st_ino in places:
                    return True
    return False
