"""Lines of a text, and which of them two texts share."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

LARGE_CHARACTERS = 200_000
"""Texts longer than this together are compared in a worker, not on the event loop."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_MOST_PAIRS = 200_000
_MOST_STEPS = 1_000_000


class Match(NamedTuple):
    """`before[before_start : before_start + size]` equals the same length at `after_start`."""

    before_start: int
    after_start: int
    size: int


def split_lines(content: str) -> list[str]:
    """The lines with their ends (`\\n`, `\\r\\n`, `\\r`); joined they are the text."""
    return _LINE.findall(content)


def line_texts(content: str) -> list[str]:
    """The lines without their ends; as many as `LineIndex.starts`, so an empty text has one."""
    return _LINE_END.split(content)


def is_large(*contents: str) -> bool:
    """Whether comparing these texts may take long enough to be felt on an event loop."""
    return sum(map(len, contents)) > LARGE_CHARACTERS


def matching_blocks(before: Sequence[str], after: Sequence[str]) -> list[Match]:
    """Which runs of lines two sequences share: ascending on both sides, never touching on both.

    Close to linear in the number of lines: common head and tail first, then lines that are unique
    on both sides as anchors (patience diff), then difflib or Myers' algorithm on the gaps. A gap of
    many repeated lines that differs a lot counts as changed.
    """
    matches: list[Match] = []
    gaps = [(0, len(before), 0, len(after))]
    while gaps:
        low, high, other_low, other_high = gaps.pop()
        head = _common_head(before, low, high, after, other_low, other_high)
        if head:
            matches.append(Match(low, other_low, head))
            low, other_low = low + head, other_low + head
        tail = _common_tail(before, low, high, after, other_low, other_high)
        if tail:
            matches.append(Match(high - tail, other_high - tail, tail))
            high, other_high = high - tail, other_high - tail
        if low == high or other_low == other_high:
            continue
        anchors = _anchors(before[low:high], after[other_low:other_high])
        if not anchors:
            found = _gap_matches(before[low:high], after[other_low:other_high])
            matches += [
                Match(low + m.before_start, other_low + m.after_start, m.size) for m in found
            ]
            continue
        start, other_start = low, other_low
        for anchor, other_anchor in anchors:
            matches.append(Match(low + anchor, other_low + other_anchor, 1))
            gaps.append((start, low + anchor, other_start, other_low + other_anchor))
            start, other_start = low + anchor + 1, other_low + other_anchor + 1
        gaps.append((start, high, other_start, other_high))
    return _joined(sorted(matches))


def _common_head(
    before: Sequence[str],
    low: int,
    high: int,
    after: Sequence[str],
    other_low: int,
    other_high: int,
) -> int:
    limit = min(high - low, other_high - other_low)
    size = 0
    while size < limit and before[low + size] == after[other_low + size]:
        size += 1
    return size


def _common_tail(
    before: Sequence[str],
    low: int,
    high: int,
    after: Sequence[str],
    other_low: int,
    other_high: int,
) -> int:
    limit = min(high - low, other_high - other_low)
    size = 0
    while size < limit and before[high - 1 - size] == after[other_high - 1 - size]:
        size += 1
    return size


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The longest ascending run of lines that occur exactly once on each side."""
    here, there = Counter(before), Counter(after)
    place = {line: index for index, line in enumerate(after) if there[line] == 1}
    pairs = [
        (index, place[line])
        for index, line in enumerate(before)
        if here[line] == 1 and line in place
    ]
    ends: list[int] = []
    piles: list[int] = []
    previous: list[int] = []
    for number, (_, target) in enumerate(pairs):
        pile = bisect_left(ends, target)
        previous.append(piles[pile - 1] if pile else -1)
        if pile == len(ends):
            ends.append(target)
            piles.append(number)
        else:
            ends[pile] = target
            piles[pile] = number
    chain: list[tuple[int, int]] = []
    number = piles[-1] if piles else -1
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]


def _gap_matches(before: Sequence[str], after: Sequence[str]) -> list[Match]:
    """Matches where no line is unique: by difflib, unless lines repeat too often for it."""
    there = Counter(after)
    if sum(there[line] for line in before) > _MOST_PAIRS:
        return _few_edits(before, after)
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return [Match(*block) for block in blocks if block.size]


def _few_edits(before: Sequence[str], after: Sequence[str]) -> list[Match]:
    """Matches of two long, repetitive sequences that differ in few lines, else none.

    E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, figure 2: `reach[k]` is
    the furthest line on diagonal `k` (lines before less lines after) with the edits so far.
    """
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    steps = 0
    while steps < _MOST_STEPS:
        edits = len(trace)
        trace.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(reach, diagonal, edits)
            start, y = x, x - diagonal
            while x < len(before) and y < len(after) and before[x] == after[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            steps += x - start + 1
            if x >= len(before) and y >= len(after):
                return _backtrack(trace, diagonal, x)
    return []


def _step(reach: dict[int, int], diagonal: int, edits: int) -> int:
    """Where one more edit leads: a line added (from above) or removed (from the left)."""
    if diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1]):
        return reach[diagonal + 1]
    return reach[diagonal - 1] + 1


def _backtrack(trace: list[dict[int, int]], diagonal: int, x: int) -> list[Match]:
    matches: list[Match] = []
    for edits in range(len(trace) - 1, -1, -1):
        reach = trace[edits]
        start = _step(reach, diagonal, edits)
        if x > start:
            matches.append(Match(start, start - diagonal, x - start))
        if edits:
            added = start == reach.get(diagonal + 1)
            diagonal += 1 if added else -1
            x = reach[diagonal]
    return matches


def _joined(matches: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in matches:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.before_start + last.size == match.before_start
            and last.after_start + last.size == match.after_start
        ):
            joined[-1] = Match(last.before_start, last.after_start, last.size + match.size)
        else:
            joined.append(match)
    return joined
