"""Whether a host grows: its memory, descriptors, threads, processes, watches and its state."""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

EVERY_S = 5.0
MOST = 1.05
FEWEST_LOOKS = 120
"""Ten minutes: what is filled in the first of them, caches and pools, is no growth."""
_SLACK = {
    "memory": 8 << 20, "descriptors": 4, "threads": 2, "processes": 2, "watches": 0,
    "state": 256 << 10,
}  # fmt: skip
"""What one more server, or a page of a journal, is at least: no growth."""


@dataclass
class Growth:
    """Looks now and then."""

    host: psutil.Process
    state: Path
    seen: list[dict[str, int]] = field(default_factory=list[dict[str, int]])

    async def look_until(self, end: float) -> None:
        """Look until the time is over."""
        while time.monotonic() < end:
            with suppress(psutil.NoSuchProcess, FileNotFoundError):
                self.seen.append(await asyncio.to_thread(self._now))
            await asyncio.sleep(EVERY_S)

    def between(self) -> dict[str, tuple[float, float]]:
        """Of each the medians of the second and of the last quarter of the time."""
        quarter = len(self.seen) // 4
        early, late = self.seen[quarter : 2 * quarter], self.seen[len(self.seen) - quarter :]
        return {
            name: (
                statistics.median(one[name] for one in early),
                statistics.median(one[name] for one in late),
            )
            for name in _SLACK
            if early
        }

    def grown(self) -> dict[str, tuple[float, float]]:
        """Those that have grown by more than they may; nothing can be said of a short time."""
        if len(self.seen) < FEWEST_LOOKS:
            return {}
        return {
            name: (early, late)
            for name, (early, late) in self.between().items()
            if late > early * MOST and late - early > _SLACK[name]
        }

    def _now(self) -> dict[str, int]:
        descriptors = list(Path(f"/proc/{self.host.pid}/fdinfo").iterdir())
        return {
            "memory": self.host.memory_info().rss,
            "descriptors": len(descriptors),
            "threads": self.host.num_threads(),
            "processes": len(self.host.children(recursive=True)),
            "watches": sum(map(_watches, descriptors)),
            "state": sum(_size(path) for path in self.state.rglob("*")),
        }


def _watches(descriptor: Path) -> int:
    with suppress(FileNotFoundError):
        return descriptor.read_text().count("inotify wd:")
    return 0


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.lstat().st_size
    return 0
