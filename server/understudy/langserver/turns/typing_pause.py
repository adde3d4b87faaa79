"""Lints wait for the gaps in the user's typing.

A low priority alone does not keep them out of the way: with 64 lints waiting, keys took 1.1 to 1.4
times as long at any niceness, and no longer than idle with the servers stopped (2 cores).
"""

from __future__ import annotations

import asyncio
import time

IN_SUCCESSION_S = 0.3
"""Keys that come within this time of one another are typing; a single one is not."""
GAP_S = 0.15
"""Who has not typed for so long has paused: quick typing is eight keys a second and more."""
MOST_S = 1.0
"""Longest wait of one turn: whoever types without a gap slows lints down, and stops none.

Only who types faster than people do leaves no gap; then a turn in 0.8 s still cost a tenth of each
key's time (2 cores).
"""


class TypingPause:
    """Knows when the user typed last; times are those of `time.monotonic`, in s."""

    def __init__(self) -> None:
        self._last = self._until = float("-inf")

    def typed(self, now: float | None = None) -> None:
        """A key of a person's has changed a document."""
        now = time.monotonic() if now is None else now
        if now - self._last < IN_SUCCESSION_S:
            self._until = now + GAP_S
        self._last = now

    def left(self, now: float, since: float, most: float = MOST_S) -> float:
        """How long one that has waited since then is still to wait; 0 when it may go on."""
        return max(0.0, min(self._until, since + min(most, MOST_S)) - now)

    async def wait(self, most: float = MOST_S) -> None:
        """Return in the next gap, or after `most` s, `MOST_S` at the longest."""
        since = time.monotonic()
        # Keys move the end.
        while (left := self.left(time.monotonic(), since, most)) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)
