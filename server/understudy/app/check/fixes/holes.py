"""Blank lines that removed lines leave behind."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.values.lines import Match, matching_blocks

_OPENS = (":", "{", "(", "[")


def left_blank(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The lines of a text (first, end) that are too many where lines were removed from the old one.

    Around a hole stays the longer of the two runs that were there; at the text's beginning, and
    where a block begins, the one above it.
    """
    found: list[tuple[int, int]] = []
    first = at = 0
    for match in (*matching_blocks(old, new), Match(len(old), len(new), 0)):
        gone = [line for line in range(first, match.before_start) if old[line].strip()]
        if gone and match.after_start == at:
            above, below = _run(old, gone[0] - 1, -1), _run(old, gone[-1] + 1, 1)
            before = gone[0] - 1 - above
            begins = before < 0 or old[before].rstrip().endswith(_OPENS)
            wanted = above if begins else max(above, below)
            start, stop = at - _run(new, at - 1, -1), at + _run(new, at, 1)
            if stop - start > wanted:
                found.append((start + wanted, stop))
        first, at = match.before_start + match.size, match.after_start + match.size
    return found


def _run(lines: Sequence[str], at: int, step: int) -> int:
    """How many lines from there on are blank."""
    count = 0
    while 0 <= at < len(lines) and not lines[at].strip():
        count, at = count + 1, at + step
    return count
