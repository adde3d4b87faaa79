"""Turns at one server and the time there is for them: how long one may be put off, when to hurry.

A server gives way to the user. While somebody waits for it, it is looked at whether it gets any
time of the cores; if it does not, it gets its equal share with other programs until nobody waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from understudy.process.core_times import CoreTimes, core_times, why_late
from understudy.process.launch import Spawn
from understudy.process.priority import Priority

LOOK_S = 0.5
"""How often a turn that takes long is looked at."""
PATIENCE_S = 3.0
"""For so long a turn goes on at a low priority, if those who wait have the time."""
_WEIGHT_OF_LAST = 0.3


class Urgency:
    """Of one server's turns, one after the other; `deadlines` are of those who wait for theirs."""

    def __init__(
        self, name: str, deadlines: Callable[[], Iterable[float]], spawn: Spawn, *, yields: bool
    ) -> None:
        self._name = name
        self._deadlines = deadlines
        self._spawn = spawn
        self._yields = yields
        self._pid: int | None = None
        self._priority: Priority | None = None
        self._turn_s = 0.0
        self._began: float | None = None
        self._deadline = float("inf")
        self._times: list[CoreTimes] = []
        """Of the present turn's process: when it was looked at first, and last."""
        self._next_look: asyncio.TimerHandle | None = None

    def launched(self, pid: int) -> None:
        """There is a new process, which begins at a low priority if it yields at all."""
        self._pid, self._times = pid, []
        if self._yields:
            self._priority = Priority(pid)
            self._priority.lower()

    def turn_begins(self, deadline: float) -> None:
        """Somebody's turn begins; `deadline` in loop time."""
        self._began, self._deadline = asyncio.get_running_loop().time(), deadline
        self._times = []
        self._look_later()

    def turn_ends(self) -> None:
        """The turn is over. Once nobody waits, the process gives way again."""
        if self._began is None:
            return
        took = asyncio.get_running_loop().time() - self._began
        self._turn_s += _WEIGHT_OF_LAST * (took - self._turn_s)
        self._began = None
        if self._next_look is not None:
            self._next_look.cancel()
        if self._priority is not None and not any(True for _ in self._deadlines()):
            self._priority.lower()

    def leeway(self, deadline: float) -> float:
        """For how many s a turn may be put off: half of what those who wait have left over.

        Negative if there is too little time already. A turn is taken to last as the last ones did.
        """
        now = asyncio.get_running_loop().time()
        turn = max(self._turn_s, 0.0 if self._began is None else now - self._began)
        ordered = sorted([deadline, *self._deadlines()])
        return min((until - now) / 2 - n * turn for n, until in enumerate(ordered, 1))

    @property
    def is_starved(self) -> bool:
        """Whether the present turn's process is kept from running, so that silence says nothing."""
        used = self._used()
        return used is not None and used.is_starved

    def why_late(self) -> str:
        """What to add to a reason for lateness: figures if the machine was busy, else nothing."""
        return why_late(self._name, self._used())

    def _used(self) -> CoreTimes | None:
        """What the present turn's process has used; None for one too short to tell."""
        return self._times[-1].since(self._times[0]) if len(self._times) > 1 else None

    def _look_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._next_look = loop.call_later(
            LOOK_S, lambda: self._spawn(self._look(), f"looking how {self._name} fares")
        )

    async def _look(self) -> None:
        pid, began = self._pid, self._began
        if pid is not None:
            times = await asyncio.to_thread(core_times, pid)
            if pid == self._pid and began == self._began and began is not None:
                self._heed(times, began)
        if began is not None and began == self._began:
            self._look_later()

    def _heed(self, times: CoreTimes, began: float) -> None:
        if self._times:
            is_starved = times.since(self._times[-1]).is_starved
            has_lasted = asyncio.get_running_loop().time() - began
            is_short = has_lasted > PATIENCE_S or self.leeway(self._deadline) < 0
            if is_starved and is_short and self._priority is not None:
                self._priority.equal()
        self._times = [*self._times[:1], times]
