"""A part of a stored text: lines, the end, or the lines that have something in them."""

from __future__ import annotations

import re
from collections.abc import Callable

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

BUDGET = 8000
"""Bytes of an excerpt: some harnesses replace an answer of more than 8 KiB by a file's name."""

_LINE_BYTES = 1000
_BEFORE = 200


@frozen
class ExcerptPart:
    """Which part: one of `lines` (first and last, from 1), `tail`, `grep`; none means all.

    `budget` is in bytes; one line alone is shown from `column` (in code points, from 1) on.
    """

    lines: tuple[int, int] | None = None
    tail: int | None = None
    grep: str | None = None
    regex: bool = False
    budget: int = BUDGET
    column: int = 1

    def __post_init__(self) -> None:
        """Raise BadInput `bad-params` where the wish makes no sense."""
        asked = [part for part in (self.lines, self.tail, self.grep) if part is not None]
        if len(asked) > 1:
            raise BadInput("bad-params", "ask for lines, a tail or a grep, for one of them", "part")
        if self.lines is not None and not 1 <= self.lines[0] <= self.lines[1]:
            raise BadInput("bad-params", "lines are FIRST-LAST, counted from 1", "lines")
        if (self.tail is not None and self.tail < 1) or self.budget < 1:
            raise BadInput(
                "bad-params", "must be at least 1", "budget" if self.budget < 1 else "tail"
            )
        is_one_line = self.lines is not None and self.lines[0] == self.lines[1]
        if self.column < 1 or (self.column > 1 and not is_one_line):
            raise BadInput("bad-params", "counted from 1, with one line as `lines`", "column")


@frozen
class Excerpt:
    """`text` has the wished lines from the first on, as `NUMBER| LINE`; `left_out` did not fit.

    `matched` counts the lines that were wished for, `lines` those of the whole.
    """

    text: str
    lines: int
    size: int
    matched: int
    left_out: int


def excerpt(data: bytes, part: ExcerptPart) -> Excerpt:
    """The part of a text; raises BadInput `bad-pattern`, `no-lines`, `not-text`.

    For a tail the last lines are those that are shown if they do not all fit.
    """
    if b"\0" in data[:8192]:
        raise BadInput("not-text", "it is binary: take the file itself")
    lines = data.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    numbers = _wished(lines, part)
    if len(numbers) == 1 and part.tail is None and part.grep is None:
        whole = line_from(lines[numbers[0] - 1], part.column, part.budget)
        return Excerpt(f"{numbers[0]}| {whole}\n", len(lines), len(data), 1, 0)
    find = None if part.grep is None else finder(part.grep, regex=part.regex)
    shown: list[str] = []
    room = part.budget
    for number in reversed(numbers) if part.tail is not None else numbers:
        text = lines[number - 1]
        line = f"{number}| {_cut(text, 0 if find is None else find(text))}\n"
        room -= len(line.encode())
        if room < 0:
            break
        shown.append(line)
    if part.tail is not None:
        shown.reverse()
    left_out = len(numbers) - len(shown)
    return Excerpt("".join(shown), len(lines), len(data), len(numbers), left_out)


def line_from(line: str, column: int, budget: int) -> str:
    """A line from a column on, as much as fits; what is left says where to read on."""
    rest = line[column - 1 :]
    if not rest and line:
        raise BadInput("no-lines", f"the line has {len(line)} characters", "column")
    data = rest.encode("utf-8", "replace")
    if len(data) <= budget:
        return rest
    kept = data[: max(1, budget - 80)].decode("utf-8", "ignore")
    left = len(rest) - len(kept)
    return (
        f"{kept} [{left} characters more; go on with column {column + len(kept)}]" if left else kept
    )


def finder(pattern: str, *, regex: bool) -> Callable[[str], int]:
    """Where a line has the pattern in it, -1 if it has not; raises BadInput `bad-pattern`."""
    if not pattern:
        raise BadInput("bad-pattern", "give something to look for")
    if not regex:
        return lambda line: line.find(pattern)
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadInput("bad-pattern", f"not a regular expression: {error}", pattern) from error

    def find(line: str) -> int:
        match = compiled.search(line)
        return -1 if match is None else match.start()

    return find


def _wished(lines: list[str], part: ExcerptPart) -> range | list[int]:
    count = len(lines)
    if part.lines is not None:
        if part.lines[0] > count:
            raise BadInput("no-lines", f"it has {count} lines", f"{part.lines[0]}-{part.lines[1]}")
        return range(part.lines[0], min(part.lines[1], count) + 1)
    if part.tail is not None:
        return range(max(1, count - part.tail + 1), count + 1)
    if part.grep is not None:
        find = finder(part.grep, regex=part.regex)
        return [number for number, line in enumerate(lines, 1) if find(line) >= 0]
    return range(1, count + 1)


def _cut(line: str, at: int) -> str:
    """A line within its limit, with what begins at an index in view; what is cut is counted."""
    raw = line.encode()
    if len(raw) <= _LINE_BYTES:
        return line
    start = max(0, at - _BEFORE) if at > _LINE_BYTES // 2 else 0
    kept = line[start:].encode()[:_LINE_BYTES].decode("utf-8", "ignore")
    head = f"[from column {start + 1} on:] " if start else ""
    return f"{head}{kept} [{len(raw) - len(kept.encode())} bytes left out]"
