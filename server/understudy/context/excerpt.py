"""A part of a stored text: lines, the end, or the lines that have something in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from understudy.values.errors import BadInput

BUDGET = 8000
"""Bytes of an excerpt: some harnesses replace an answer of more than 8 KiB by a file's name."""

_LINE_BYTES = 1000


@dataclass(frozen=True)
class Part:
    """Which part: one of `lines` (first and last, from 1), `tail`, `grep`; none means all.

    `budget` is in bytes.
    """

    lines: tuple[int, int] | None = None
    tail: int | None = None
    grep: str | None = None
    regex: bool = False
    budget: int = BUDGET

    def __post_init__(self) -> None:
        """Raise BadInput `bad-params` where the wish makes no sense."""
        asked = [part for part in (self.lines, self.tail, self.grep) if part is not None]
        if len(asked) > 1:
            raise BadInput("bad-params", "ask for lines, a tail or a grep, for one of them", "part")
        if self.lines is not None and not 1 <= self.lines[0] <= self.lines[1]:
            raise BadInput("bad-params", "lines are FIRST-LAST, counted from 1", "lines")
        if (self.tail is not None and self.tail < 1) or self.budget < 1:
            raise BadInput("bad-params", "must be at least 1", "tail" if self.tail else "budget")


@dataclass(frozen=True)
class Excerpt:
    """`text` has the wished lines from the first on, as `NUMBER| LINE`; `left_out` did not fit.

    `matched` counts the lines that were wished for, `lines` those of the whole.
    """

    text: str
    lines: int
    size: int
    matched: int
    left_out: int


def excerpt(data: bytes, part: Part) -> Excerpt:
    """The part of a text; raises BadInput `bad-pattern`, `no-lines`, `not-text`.

    For a tail the last lines are those that are shown if they do not all fit.
    """
    if b"\0" in data[:8192]:
        raise BadInput("not-text", "it is binary: take the file itself")
    lines = data.decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    numbers = _wished(lines, part)
    shown: list[str] = []
    room = part.budget
    for number in reversed(numbers) if part.tail is not None else numbers:
        line = f"{number}| {_cut(lines[number - 1])}\n"
        room -= len(line.encode())
        if room < 0:
            break
        shown.append(line)
    if part.tail is not None:
        shown.reverse()
    left_out = len(numbers) - len(shown)
    return Excerpt("".join(shown), len(lines), len(data), len(numbers), left_out)


def matcher(pattern: str, *, regex: bool) -> Callable[[str], bool]:
    """Whether a line has the pattern in it; raises BadInput `bad-pattern`."""
    if not pattern:
        raise BadInput("bad-pattern", "give something to look for")
    if not regex:
        return lambda line: pattern in line
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadInput("bad-pattern", f"not a regular expression: {error}", pattern) from error
    return lambda line: compiled.search(line) is not None


def _wished(lines: list[str], part: Part) -> range | list[int]:
    count = len(lines)
    if part.lines is not None:
        if part.lines[0] > count:
            raise BadInput("no-lines", f"it has {count} lines", f"{part.lines[0]}-{part.lines[1]}")
        return range(part.lines[0], min(part.lines[1], count) + 1)
    if part.tail is not None:
        return range(max(1, count - part.tail + 1), count + 1)
    if part.grep is not None:
        has = matcher(part.grep, regex=part.regex)
        return [number for number, line in enumerate(lines, 1) if has(line)]
    return range(1, count + 1)


def _cut(line: str) -> str:
    raw = line.encode()
    if len(raw) <= _LINE_BYTES:
        return line
    return (
        f"{raw[:_LINE_BYTES].decode('utf-8', 'ignore')} [{len(raw) - _LINE_BYTES} bytes left out]"
    )
