"""What some processes use up, and which limit that exceeds; it runs in helpers of the stages."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from understudy.stage.inside.group import OpenControlGroup
from understudy.stage.inside.memory_use import MemoryUse

_LOOK_S, _LOOK_OFTEN_S, _DISK_EVERY_S = 0.2, 0.05, 2.0
_REST = 4
"""Looking takes a fifth of a processor at most: after each look it rests so many times as long."""


class ReachedLimit(NamedTuple):
    """A limit that was reached, what was used then and what is allowed: bytes, or processes."""

    limit: str
    used: int
    allowed: int


class Census:
    """Counts the processes of `pids`, their memory unless a cgroup holds it, and what they wrote.

    `plan` has the limits `memory`, `processes` and `disk` (None: no such limit). `disk` counts
    bytes up to a number; None where a file system holds them. `pause` is how long to wait between
    two looks, in s.
    """

    def __init__(
        self,
        plan: dict[str, Any],
        group: OpenControlGroup | None,
        *,
        pids: Callable[[], list[int]],
        memory: Callable[[], MemoryUse],
        disk: Callable[[int], int] | None,
    ) -> None:
        self._memory: int | None = plan["memory"]
        self._processes: int | None = plan["processes"]
        self._disk: int | None = plan["disk"] if disk is not None else None
        self._group = group
        self._pids = pids
        self._make_use = memory
        self._use: MemoryUse | None = None
        self._written = disk
        self._memory_at = self._disk_at = 0.0
        self.pause = _LOOK_S if group is not None or self._memory is None else _LOOK_OFTEN_S

    @property
    def has_limits(self) -> bool:
        """Whether there is anything to watch."""
        return (self._memory, self._processes, self._disk) != (None, None, None)

    def exceeded(self) -> ReachedLimit | None:
        """The limit that is exceeded now, None if none is."""
        pids = self._pids()
        if self._processes is not None and len(pids) > self._processes:
            return ReachedLimit("processes", len(pids), self._processes)
        began = time.monotonic()
        if began >= self._memory_at:
            reached = self._counted(pids) or self.held_back()
            self._memory_at = _next(began, self.pause)
            if reached is not None:
                return reached
        if self._disk is not None and self._written is not None and began >= self._disk_at:
            used = self._written(self._disk)
            self._disk_at = _next(time.monotonic(), _DISK_EVERY_S)
            if used > self._disk:
                return ReachedLimit("disk", used, self._disk)
        return None

    def held_back(self) -> ReachedLimit | None:
        """Whether the kernel has just ended a process for the memory that all of them hold."""
        if self._group is None or self._memory is None:
            return None
        used = self._group.exceeded(self._memory)
        return None if used is None else ReachedLimit("memory", used, self._memory)

    def _counted(self, pids: list[int]) -> ReachedLimit | None:
        """Whether the processes hold too much memory, where no cgroup says so."""
        if self._group is not None or self._memory is None:
            return None
        self._use = self._use or self._make_use()
        used = self._use.exceeded(pids, self._memory)
        return None if used is None else ReachedLimit("memory", used, self._memory)


def _next(began: float, usual: float) -> float:
    """When to look again, after a look that began then (monotonic, in s)."""
    now = time.monotonic()
    return now + max(usual - (now - began), _REST * (now - began))


def all_but_first() -> list[int]:
    """All processes of this process namespace but the first."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def below(pid: int) -> list[int]:
    """The processes that descend from `pid` or are of its session, itself left out."""
    parents: dict[int, int] = {}
    found = {pid}
    for one in all_but_first():
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{one}/stat").read_bytes().rpartition(b")")[2].split()
            parents[one] = int(fields[1])
            if int(fields[3]) == pid:
                found.add(one)
    n_before = 0
    while len(found) != n_before:
        n_before = len(found)
        found |= {one for one, parent in parents.items() if parent in found}
    return sorted(found - {pid})
