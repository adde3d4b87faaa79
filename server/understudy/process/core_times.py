"""Whether a program got the cores that it asked for, and how busy the machine is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from understudy.process.tree import descendants
from understudy.values.frozen import frozen

_PRESSURE = Path("/proc/pressure/cpu")
_SHARE = 0.25
"""Of one core's time: who gets less of it, and waits for more of it, is starved."""
_PRESSED = 60.0
"""Per cent of the time in which a program waited for a core: then the machine is busy."""


@frozen
class CoreTimes:
    """What a process and all below it have used so far; s, of all threads together.

    `waited`: ready to run, and other programs ran; Linux alone tells.
    """

    at: float
    ran: float
    waited: float

    def since(self, then: CoreTimes) -> CoreTimes:
        """The differences. Processes that ended in between count for nothing."""
        ran, waited = max(0.0, self.ran - then.ran), max(0.0, self.waited - then.waited)
        return CoreTimes(self.at - then.at, ran, waited)

    @property
    def waited_more(self) -> bool:
        """Of a difference: whether others had the cores for most of the time that it wanted."""
        return self.waited > max(self.ran, _SHARE * self.at)

    @property
    def is_starved(self) -> bool:
        """The same, and it had next to nothing: more than its own threads keep it waiting."""
        return self.waited_more and self.ran < _SHARE * self.at


def core_times(pid: int) -> CoreTimes:
    """Now, of the process tree; takes milliseconds. Zeros where it is gone or nothing is told."""
    at = time.monotonic()
    times = list(_of_threads([pid, *(below.pid for below in descendants(pid))]))
    return CoreTimes(at, sum(ran for ran, _ in times), sum(waited for _, waited in times))


def why_late(name: str, used: CoreTimes | None = None) -> str:
    """What to add to a reason for lateness: figures if the machine was busy, else nothing.

    `used` is what the program of that name got meanwhile, where somebody has looked.
    """
    if not is_machine_busy() and (used is None or not used.waited_more):
        return ""
    words = f"; the machine was busy: {machine_load()}"
    if used is None:
        return words
    return (
        f"{words}; in {used.at:.1f} s {name} computed for {used.ran:.1f} s and waited "
        f"for a core for {used.waited:.1f} s"
    )


def machine_load() -> str:
    """How busy the machine is, in words: load, cores, and the pressure of who waits for a core."""
    words = f"{os.cpu_count() or 1} cores"
    with suppress(OSError, AttributeError):  # Windows tells no load
        words = f"load {os.getloadavg()[0]:.1f} on {words}"
    pressure = _pressure()
    if pressure is not None:
        words += f", somebody waited for a core {pressure:.0f} % of the last 10 s"
    return words


def is_machine_busy() -> bool:
    """Whether many more programs want to run than there are cores."""
    pressure = _pressure()
    if pressure is not None and pressure > _PRESSED:
        return True
    try:
        return os.getloadavg()[0] > 2 * (os.cpu_count() or 1)
    except (OSError, AttributeError):
        return False


def _pressure() -> float | None:
    """Per cent of the last 10 s in which somebody waited for a core; None where nobody counts."""
    try:
        return float(_PRESSURE.read_text().split("avg10=", 1)[1].split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _of_threads(pids: Iterable[int]) -> Iterable[tuple[float, float]]:
    for pid in pids:
        with suppress(OSError):  # it has ended meanwhile, or the system tells no such thing
            for thread in os.scandir(f"/proc/{pid}/task"):
                with suppress(OSError, ValueError):
                    ran, waited, _ = Path(thread.path, "schedstat").read_text().split()
                    yield int(ran) / 1e9, int(waited) / 1e9
