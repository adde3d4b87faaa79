"""Spans of bytes, and whether a place is in one of many."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

Span = tuple[int, int]
"""First byte and the byte after the last."""


class Spans:
    """What many spans cover together."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def have(self, at: int) -> bool:
        """Whether this byte is in one of them."""
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._ends[index]


def without(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """What of these spans none of the others covers; each of both is apart from its like."""
    left: list[Span] = []
    holes = sorted(others)
    for start, end in sorted(spans):
        position = start
        for first, last in holes:
            if first < end and last > position:
                if position < first:
                    left.append((position, first))
                position = last
        if position < end:
            left.append((position, end))
    return left
