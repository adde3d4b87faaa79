"""Which seat judges which rows next: those of the revision that it has open, as long as there are.

Pure: no process, no clock. That a seat was lost is taken for the doing of its first open row.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from understudy.app.batch.rows import BatchRow

LOT_SIZE = 16
"""Rows that a seat is given at once: enough to pay for a start, few enough to share the rest."""
MOST_TRIES = 3

Place = tuple[str, str]
"""A repository, and a revision of it."""


@dataclass
class LotQueue:
    """The rows that nobody judges yet, by what has to be open for them."""

    waiting: dict[Place, deque[BatchRow]] = field(default_factory=dict[Place, "deque[BatchRow]"])
    tries: dict[str, int] = field(default_factory=dict[str, int])
    start_rows: float = 0.0
    """How many rows could be judged in the time of a start, by what was measured until now."""
    _starts: list[float] = field(default_factory=lambda: [0.0, 0.0])
    _rows: list[float] = field(default_factory=lambda: [0.0, 0.0])
    _seated: dict[Place, int] = field(default_factory=dict[Place, int])

    @staticmethod
    def of(rows: Iterable[BatchRow]) -> LotQueue:
        """A queue of these rows; equal patches of a revision stand together."""
        queue = LotQueue()
        for row in sorted(rows, key=lambda row: (row.repo, row.revision, row.digest)):
            queue.waiting.setdefault((row.repo, row.revision), deque()).append(row)
        return queue

    def __len__(self) -> int:
        return sum(map(len, self.waiting.values()))

    def take(self, at: Place | None) -> tuple[Place, list[BatchRow]] | None:
        """The next lot for a seat that has `at` open; None if there is nothing left."""
        place = at if at is not None and self.waiting.get(at) else self._next(at)
        if place is None:
            return None
        if place != at:
            if at is not None:
                self._seated[at] -= 1
            self._seated[place] = self._seated.get(place, 0) + 1
        line = self.waiting[place]
        fair = -(-len(line) // (self._seated[place] + 1))
        lot = [line.popleft() for _ in range(min(LOT_SIZE, max(fair, 1), len(line)))]
        return place, lot

    def timed(self, row_s: float, start_s: float | None) -> None:
        """Hear how long a row took, and the start before it, if there was one."""
        for sums, seconds in ((self._rows, row_s), (self._starts, start_s)):
            if seconds is not None:
                sums[0] += 1
                sums[1] += max(seconds, 0.0)
        if self._starts[0] and self._rows[1] > 0:
            self.start_rows = (self._starts[1] / self._starts[0]) / (self._rows[1] / self._rows[0])

    def lost(self, at: Place | None, unanswered: Sequence[BatchRow]) -> BatchRow | None:
        """A seat ended before it had answered these; the row that is given up, if there is one.

        The first of them is the one to suspect: it waits alone in front of the others.
        """
        if at is not None:
            self._seated[at] -= 1
        if not unanswered:
            return None
        suspect, *others = unanswered
        self.tries[suspect.id] = self.tries.get(suspect.id, 0) + 1
        place = (suspect.repo, suspect.revision)
        given_up = self.tries[suspect.id] >= MOST_TRIES
        line = self.waiting.setdefault(place, deque())
        line.extendleft(reversed(others if given_up else unanswered))
        return suspect if given_up else None

    def _next(self, at: Place | None) -> Place | None:
        """The longest line for its seats; of those alike, one of the repository that is open.

        A line that has seats is left to them where a start would cost more than the seat's share.
        """
        left = [
            place
            for place, line in self.waiting.items()
            if line
            and (
                not self._seated.get(place, 0)
                or len(line) / (1 + self._seated[place]) >= self.start_rows
            )
        ]
        if not left:
            return None

        def worth(place: Place) -> tuple[float, bool, Place]:
            share = len(self.waiting[place]) / (1 + self._seated.get(place, 0))
            return -share, at is None or place[0] != at[0], place

        same = [place for place in left if at is not None and place[0] == at[0]]
        unseated = [place for place in same if not self._seated.get(place, 0)]
        return min(unseated or left, key=worth)
