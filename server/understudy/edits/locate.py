"""Where a hunk fits: every kept and removed line must be there, nothing is ever fuzzy."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import islice

from understudy.edits.patch import Hunk
from understudy.values.errors import BadInput

_CANDIDATES = 3
_SHOWN_PLACES = 8
_COMMON = 200
_SHOWN_WIDTH = 120


class LineTable:
    """A file's lines without their ends, and where each of them occurs."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Line -> the numbers (0-based) it has, ascending."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(self.lines):
            places[line].append(number)
        return dict(places)


def locate(hunk: Hunk, table: LineTable, moved: int, where: str) -> int:
    """The 0-based line a hunk belongs at; `moved` is how far the hunk before it was relocated.

    It goes where it is said to stand if it fits there, else to the one place where it fits.
    Raises BadInput `hunk-mismatch` with the nearest places, or `hunk-ambiguous` with all.
    """
    old = [line.text for line in hunk.old]
    if not old:
        return _locate_pure_insertion(hunk, table, where)
    if hunk.start is not None and fits(old, table.lines, hunk.start + moved, hunk.at_end):
        return hunk.start + moved
    # Of a hunk that fits everywhere, only the first places are of interest.
    places = _places(old, table, hunk.at_end, None if hunk.anchors else _SHOWN_PLACES + 1)
    if hunk.anchors and places:
        places = _below_anchors(hunk.anchors, places, table, where)
    if len(places) == 1:
        return places[0]
    if places:
        raise BadInput("hunk-ambiguous", _ambiguous_text(places), where)
    raise BadInput("hunk-mismatch", _mismatch_text(hunk, old, table), where)


def fits(old: Sequence[str], lines: Sequence[str], at: int, at_end: bool) -> bool:
    """Whether the lines stand at `at`, and (if asked) are the file's last."""
    end = at + len(old)
    if at < 0 or end > len(lines) or (at_end and end != len(lines)):
        return False
    return all(lines[at + index] == line for index, line in enumerate(old))


def _locate_pure_insertion(hunk: Hunk, table: LineTable, where: str) -> int:
    """A hunk without a line of the file: its place is no guess in an empty file, or at the end."""
    if not table.lines or hunk.at_end:
        return len(table.lines)
    text = "the hunk has no kept or removed line that shows where it belongs; add some context"
    raise BadInput("hunk-ambiguous", text, where)


def _places(old: Sequence[str], table: LineTable, at_end: bool, limit: int | None = 1) -> list[int]:
    if at_end:
        last = len(table.lines) - len(old)
        return [last] if fits(old, table.lines, last, at_end) else []
    offset = min(range(len(old)), key=lambda index: len(table.places.get(old[index], ())))
    found = (
        place - offset
        for place in table.places.get(old[offset], ())
        if fits(old, table.lines, place - offset, at_end)
    )
    return list(islice(found, limit))


def _below_anchors(
    anchors: Sequence[str], places: list[int], table: LineTable, where: str
) -> list[int]:
    """The first fitting place below each occurrence of the anchors, which nest.

    Anchors only narrow the search, so their indentation may differ.
    """
    stripped = [line.strip() for line in table.lines]
    starts = [-1]
    for anchor in anchors:
        above = starts[0]
        starts = [n for n, line in enumerate(stripped) if line == anchor and n > above]
        if not starts:
            text = f"the '@@' line {_shown(anchor)} is not in the file"
            raise BadInput("hunk-mismatch", text, where)
    first = {bisect_right(places, start) for start in starts}
    return [places[index] for index in sorted(first) if index < len(places)]


def _ambiguous_text(places: Sequence[int]) -> str:
    numbers = ", ".join(str(place + 1) for place in places[:_SHOWN_PLACES])
    count = f"{len(places)}" if len(places) <= _SHOWN_PLACES else f"more than {_SHOWN_PLACES}"
    return (
        f"the hunk fits {count} places, at lines {numbers}; "
        "add context or give the right line number"
    )


def _mismatch_text(hunk: Hunk, old: Sequence[str], table: LineTable) -> str:
    if hunk.anchors and _places(old, table, hunk.at_end):
        return "the hunk fits only above its '@@' line"
    if hunk.at_end and _places(old, table, at_end=False):
        return "the hunk says it reaches the end of the file, but it fits only further up"
    new = [line.text for line in hunk.new]
    done = _places(new, table, hunk.at_end) if new else []
    if done:
        start, end = done[0] + 1, done[0] + len(new)
        made = f"lines {start} to {end} are as the hunk would leave them"
        return f"the hunk fits nowhere, but {made}: this change has been made already, it seems"
    nearest = _nearest(hunk, old, table)
    if not nearest:
        known = sum(line in table.places for line in old)
        rest = f"each more than {_COMMON} times" if known else "so no place is near"
        return f"the hunk fits nowhere: {known} of its {len(old)} lines are in the file, {rest}"
    parts = [_difference(place, score, old, table.lines) for place, score in nearest]
    return "the hunk fits nowhere. Nearest: " + "; ".join(parts)


def _nearest(hunk: Hunk, old: Sequence[str], table: LineTable) -> list[tuple[int, int]]:
    """Up to three places (0-based) with the most lines in common, and how many those are."""
    votes: Counter[int] = Counter()
    for index, line in enumerate(old):
        numbers = table.places.get(line, ())
        if len(numbers) <= _COMMON:
            votes.update(number - index for number in numbers)
    stated = hunk.start or 0
    ranked = sorted(votes.items(), key=lambda item: (-item[1], abs(item[0] - stated), item[0]))
    return ranked[:_CANDIDATES]


def _difference(place: int, score: int, old: Sequence[str], lines: Sequence[str]) -> str:
    for index, expected in enumerate(old):
        number = place + index
        found = lines[number] if 0 <= number < len(lines) else None
        if found == expected:
            continue
        if number < 0:
            above = f"{-place} of them would be above the file"
            return f"line 1 ({score} of {len(old)} lines agree), where {above}"
        if found is None:
            actual = "is beyond the file"
        else:
            actual = f"is {_shown(found)}"
            if found.split() == expected.split():
                actual += " (only white space differs)"
        start = max(place, 0) + 1
        return (
            f"line {start} ({score} of {len(old)} lines agree), where line {number + 1} {actual}"
            f", not {_shown(expected)}"
        )
    return f"line {place + 1}"


def _shown(line: str) -> str:
    return repr(line if len(line) <= _SHOWN_WIDTH else line[:_SHOWN_WIDTH] + "...")
