"""What breaks while everybody works: servers are killed, hang and run out of memory, all sleep."""

from __future__ import annotations

import asyncio
import resource
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil

from tests.langserver.toybox import running_in

EVERY_S = 10.0
FEW_DESCRIPTORS = 4
_LINGERS_S = 120.0
"""So long a fault may be the reason of what a check says: a server is started anew, and reads."""


@dataclass
class Faults:
    """Does one after the other, and knows when."""

    host: psutil.Process
    folder: Path
    done: Counter[str] = field(default_factory=Counter[str])
    spans: list[tuple[str, float, float]] = field(default_factory=lambda: [])
    chance: Random = field(default_factory=lambda: Random(2))

    async def make_until(self, end: float) -> None:
        """Make faults until the time is over; at its end nothing is held up any more."""
        ways = (self._kill, self._hang, self._starve, self._sleep, self._few_descriptors)
        while time.monotonic() + EVERY_S < end:
            await asyncio.sleep(EVERY_S)
            way, began = self.chance.choice(ways), time.monotonic()
            with suppress(psutil.NoSuchProcess, ProcessLookupError):
                await way()
                name = way.__name__.strip("_")
                self.done[name] += 1
                self.spans.append((name, began, time.monotonic()))

    def lately(self, began: float, ended: float) -> bool:
        """Whether there was a fault that a check of that time may have met."""
        return any(since <= ended and until + _LINGERS_S >= began for _, since, until in self.spans)

    async def _kill(self) -> None:
        self._server().kill()

    async def _hang(self) -> None:
        """One server does nothing for a while, as one that waits for a disk."""
        await _suspended([self._server()], self.chance.uniform(1, 8))

    async def _starve(self) -> None:
        """One server gets no more memory than it has."""
        server = self._server()
        taken = server.memory_info().vms
        resource.prlimit(server.pid, resource.RLIMIT_AS, (taken, taken))

    async def _sleep(self) -> None:
        """The machine sleeps: the host and all that it has started stand still, and go on."""
        found = [self.host, *self.host.children(recursive=True)]
        await _suspended(found, self.chance.uniform(2, 15))

    async def _few_descriptors(self) -> None:
        """The host gets no more open files than it has, but for a few."""
        before = resource.prlimit(self.host.pid, resource.RLIMIT_NOFILE)
        most = self.host.num_fds() + FEW_DESCRIPTORS
        resource.prlimit(self.host.pid, resource.RLIMIT_NOFILE, (most, before[1]))
        try:
            await asyncio.sleep(self.chance.uniform(1, 5))
        finally:
            resource.prlimit(self.host.pid, resource.RLIMIT_NOFILE, before)

    def _server(self) -> psutil.Process:
        """One of the language servers."""
        found = sorted(set(running_in(self.folder)) - {self.host.pid})
        if not found:
            raise psutil.NoSuchProcess(0)
        return psutil.Process(self.chance.choice(found))


async def _suspended(processes: Sequence[psutil.Process], seconds: float) -> None:
    try:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        await asyncio.sleep(seconds)
    finally:
        for process in reversed(processes):
            with suppress(psutil.NoSuchProcess):
                process.resume()
