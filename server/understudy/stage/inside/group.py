"""What a stage's cgroup says, read by the stage's own helper processes: standard library alone."""

from __future__ import annotations

import os
from contextlib import suppress

_EVENTS = {1: b"memory.oom_control", 2: b"memory.events"}
_PEAK = {1: b"memory.max_usage_in_bytes", 2: b"memory.peak"}
_HELD = {1: (b"total_rss", b"total_shmem", b"total_swap"), 2: (b"anon", b"shmem", b"sock")}
_SOCKETS = b"memory.kmem.tcp.usage_in_bytes"
"""Of version 1, whose kernel counts them apart and holds nobody back."""


class OpenControlGroup:
    """An open cgroup: `entrance` takes processes, `folder` is its folder."""

    def __init__(self, version: int, entrance: int, folder: int) -> None:
        self._version = version
        self._entrance = entrance
        self._folder = folder
        self._n_killed = self._kills()

    def enter(self) -> None:
        """Move this process in; it cannot get out, nor can what it starts. Raises OSError."""
        os.write(self._entrance, b"0")

    def can_be_entered(self) -> bool:
        """Whether a process of ours really can; tried by one that ends at once."""
        pid = os.fork()
        if pid == 0:
            with suppress(OSError):
                self.enter()
                os._exit(0)
            os._exit(1)
        return os.waitpid(pid, 0)[1] == 0

    def exceeded(self, limit: int) -> int | None:
        """Bytes that were held when the limit was reached since the last call; None if it was not.

        The kernel holds all but the buffers of network sockets, which it only counts.
        """
        n_killed = self._kills()
        if n_killed > self._n_killed:
            self._n_killed = n_killed
            return max(self._number(_PEAK[self._version]), limit)
        stat = self._pairs(b"memory.stat")
        held = sum(stat.get(name, 0) for name in _HELD[self._version]) + self._number(_SOCKETS)
        return held if held > limit else None

    def _kills(self) -> int:
        """How many processes the kernel has ended for it."""
        return self._pairs(_EVENTS[self._version]).get(b"oom_kill", 0)

    def _pairs(self, name: bytes) -> dict[bytes, int]:
        lines = (line.split() for line in self._read(name).splitlines())
        return {line[0]: int(line[1]) for line in lines if len(line) == 2}

    def _number(self, name: bytes) -> int:
        return int(self._read(name) or 0)

    def _read(self, name: bytes) -> bytes:
        """The whole file; empty where this kernel has none."""
        try:
            file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._folder)
        except OSError:
            return b""
        with os.fdopen(file, "rb") as stream:
            return stream.read()
