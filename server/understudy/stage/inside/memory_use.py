"""How much memory processes hold between them, counted from /proc where no cgroup does it.

Counted is their own and shared memory, mapped or not: files in memory, memory files, System V
objects, what lies in sockets and pipes. Standard library alone, as every helper process of a stage.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import platform
import socket
import stat
import termios
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

_COUNTED = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE", b"HugetlbPages")
_NEVER_SHARED = (b"VmPTE", b"HugetlbPages")
_PIDFD_GETFD = 438  # the same on every architecture
_KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine(), -1)
_KCMP_MEMORY = 1
_SO_MEMINFO, _MEMINFO_BYTES = 55, 36
_RECEIVED, _SENT, _SEND_QUEUE, _OPTIONS, _BACKLOG = 0, 2, 5, 6, 7
_GET_PIPE_SIZE = 1032
_SYSTEM_V = (("shm", b"rss", 1), ("msg", b"cbytes", 1), ("sem", b"nsems", 128))
"""Tables of the IPC namespace: the column that tells a size, and the bytes that one of it takes."""
_IPC_RMID = 0

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class _Opened:
    """What the descriptors of some processes lead to: each thing counts once."""

    n_bytes: int = 0
    memory_files: set[int] = field(default_factory=set[int])
    seen: set[int] = field(default_factory=set[int])


class MemoryUse:
    """Counts bytes; `scratch` is a file system in memory that is the processes' alone (None: none).

    `own_ipc`: nobody else is in this IPC namespace.
    """

    def __init__(self, scratch: int | None, *, own_ipc: bool) -> None:
        self._scratch = scratch
        self._own_ipc = own_ipc
        memory_file = os.memfd_create("device", os.MFD_CLOEXEC)
        self._memory_device = os.fstat(memory_file).st_dev
        os.close(memory_file)

    def exceeded(self, pids: Iterable[int], limit: int) -> int | None:
        """Bytes held, if they are more than the limit.

        Memory that several processes share is told apart only where it matters: that is slow.
        """
        status = {pid: found for pid in pids if (found := _status(pid))}
        opened = self._opened(status)
        beside = self._files() + opened.n_bytes + (_system_v() if self._own_ipc else 0)
        if beside + sum(map(sum, (found.values() for found in status.values()))) <= limit:
            return None
        for pid in _one_of_each_memory(list(status)):
            beside += sum(status[pid].get(name, 0) for name in _NEVER_SHARED)
            beside += self._proportional(pid, opened.memory_files)
        return beside if beside > limit else None

    def _files(self) -> int:
        """Bytes in the files of the file system in memory, also of deleted ones."""
        if self._scratch is None:
            return 0
        status = os.fstatvfs(self._scratch)
        return (status.f_blocks - status.f_bfree) * status.f_frsize

    def _opened(self, pids: Iterable[int]) -> _Opened:
        """What only descriptors lead to: memory files, and data that nobody has read yet."""
        found = _Opened()
        for pid in pids:
            with suppress(OSError):  # it ended while we looked
                for name in os.listdir(f"/proc/{pid}/fd"):
                    with suppress(OSError):
                        self._look(pid, int(name), os.stat(f"/proc/{pid}/fd/{name}"), found)
        return found

    def _look(self, pid: int, number: int, status: os.stat_result, found: _Opened) -> None:
        is_memory = stat.S_ISREG(status.st_mode) and status.st_dev == self._memory_device
        is_socket = stat.S_ISSOCK(status.st_mode)
        is_queue = is_socket or stat.S_ISFIFO(status.st_mode)
        if not (is_memory or is_queue) or status.st_ino in found.seen:
            return
        found.seen.add(status.st_ino)
        if is_memory:
            found.memory_files.add(status.st_ino)
            found.n_bytes += status.st_blocks * 512
        else:
            found.n_bytes += _queued(pid, number, is_socket=is_socket)

    def _proportional(self, pid: int, counted: set[int]) -> int:
        """A process's pages, shared ones by parts; without those that were counted as files."""
        total, is_whole = 0, False
        pages = 0
        with suppress(OSError), open(f"/proc/{pid}/smaps", "rb") as lines:
            for line in lines:
                name, *rest = line.split()
                if not name.endswith(b":"):
                    is_whole = self._is_shared_alone(rest, counted)
                elif name == b"Pss:":
                    pages = int(rest[0])
                    total += pages if is_whole else 0
                elif name == b"Anonymous:" and not is_whole:
                    total += min(int(rest[0]), pages)
                elif name == b"SwapPss:":
                    total += int(rest[0])
        return total * 1024

    def _is_shared_alone(self, mapping: list[bytes], counted: set[int]) -> bool:
        """Whether a mapping is of shared memory that only mappings lead to."""
        major, minor = (int(part, 16) for part in mapping[2].split(b":"))
        if os.makedev(major, minor) != self._memory_device or int(mapping[3]) in counted:
            return False
        return not (self._own_ipc and mapping[4].startswith(b"/SYSV"))


def remove_system_v() -> None:
    """Free the System V objects of this IPC namespace: they outlive who made them."""
    for row in _table("shm"):
        _libc.shmctl(int(row[b"shmid"]), _IPC_RMID, None)
    for row in _table("msg"):
        _libc.msgctl(int(row[b"msqid"]), _IPC_RMID, None)
    for row in _table("sem"):
        _libc.semctl(int(row[b"semid"]), 0, _IPC_RMID, 0)


def _status(pid: int) -> dict[bytes, int]:
    """What the kernel counts for a process, in bytes; nothing once it is gone."""
    found: dict[bytes, int] = {}
    with suppress(OSError), open(f"/proc/{pid}/status", "rb") as lines:
        for line in lines:
            name, _, value = line.partition(b":")
            if name in _COUNTED:
                found[name] = int(value.split()[0]) * 1024
    return found


def _one_of_each_memory(pids: list[int]) -> Iterator[int]:
    """One process of those that run in the same memory: a child has its parent's until it execs."""
    alike: dict[bytes, list[int]] = {}
    for pid in pids:
        with suppress(OSError), open(f"/proc/{pid}/statm", "rb") as file:
            same = alike.setdefault(file.read(), [])
            if not any(_libc.syscall(_KCMP, pid, one, _KCMP_MEMORY, 0, 0) == 0 for one in same):
                same.append(pid)
                yield pid


def _queued(pid: int, number: int, *, is_socket: bool) -> int:
    """Bytes that lie in a socket or a pipe of another process."""
    process = os.pidfd_open(pid)
    try:
        ours = _libc.syscall(_PIDFD_GETFD, process, number, 0)
    finally:
        os.close(process)
    if ours < 0:
        return 0
    try:
        return _in_socket(ours) if is_socket else _in_pipe(ours)
    finally:
        os.close(ours)


def _in_socket(descriptor: int) -> int:
    with socket.socket(fileno=os.dup(descriptor)) as one:
        said = array.array("I", one.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, _MEMINFO_BYTES))
    sent = max(said[_SENT], said[_SEND_QUEUE])
    return said[_RECEIVED] + sent + said[_OPTIONS] + said[_BACKLOG] or _unread(descriptor)


def _in_pipe(descriptor: int) -> int:
    """All that a pipe may take, if anything is in it: a byte can take a page."""
    return fcntl.fcntl(descriptor, _GET_PIPE_SIZE) if _unread(descriptor) else 0


def _unread(descriptor: int) -> int:
    answer = array.array("i", [0])
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, answer)
    except OSError:  # a socket that only listens
        return 0
    return answer[0]


def _system_v() -> int:
    return sum(
        int(row[column]) * size for table, column, size in _SYSTEM_V for row in _table(table)
    )


def _table(name: str) -> Iterator[dict[bytes, bytes]]:
    """The rows of a table of /proc/sysvipc, by the names of their columns."""
    with suppress(OSError), open(f"/proc/sysvipc/{name}", "rb") as lines:
        head = next(lines, b"").split()
        for line in lines:
            yield dict(zip(head, line.split(), strict=False))
