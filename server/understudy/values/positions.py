"""Positions and ranges: code points inside, UTF-16 (or what was negotiated) only at the wires."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal

from understudy.values.errors import BadInput

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """A 0-based line and a 0-based column in code points."""

    line: int
    column: int


@dataclass(frozen=True, order=True, slots=True)
class Range:
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position


class LineIndex:
    """Line starts of one text; converts between offsets, positions and the protocol's characters.

    Lines end at `\\n`, `\\r\\n` or `\\r`, as the Language Server Protocol 3.17 has it
    (section "Text Documents").
    """

    def __init__(self, content: str) -> None:
        self.content = content

    @cached_property
    def starts(self) -> list[int]:
        """Offset (code points) of each line's first character."""
        if "\r" in self.content:
            return [0, *(match.end() for match in _LINE_END.finditer(self.content))]
        sizes = map(len, self.content.split("\n"))
        return [0, *accumulate(map((1).__add__, sizes))][:-1]  # the last line has no end

    def line(self, number: int) -> str:
        """The line's text without its end; empty beyond the last line."""
        if not 0 <= number < len(self.starts):
            return ""
        start = self.starts[number]
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.content)
        return self.content[start:end].rstrip("\r\n")

    def position(self, offset: int) -> Position:
        """The position of an offset in code points."""
        line = bisect_right(self.starts, offset) - 1
        return Position(line, offset - self.starts[line])

    def offset(self, line: int, character: int, encoding: PositionEncoding = "utf-16") -> int:
        """Offset (code points) of a position of the protocol; raises BadInput `bad-range`.

        Stricter than the protocol's clamping: an edit at a place that does not exist is a mistake
        of its author, and guessing would put it elsewhere.
        """
        where = f"{line + 1}:{character + 1}"
        if not 0 <= line < len(self.starts):
            raise BadInput("bad-range", f"the document has {len(self.starts)} lines", where)
        column = column_of(self.line(line), character, encoding)
        if column is None:
            raise BadInput(
                "bad-range", f"no position between two characters there ({encoding})", where
            )
        return self.starts[line] + column

    def clamped(self, line: int, character: int, encoding: PositionEncoding) -> Position:
        """The position a server meant, moved to the nearest one that exists (findings only)."""
        line = min(max(line, 0), len(self.starts) - 1)
        return Position(line, clamped_column(self.line(line), character, encoding))

    def character(self, position: Position, encoding: PositionEncoding = "utf-16") -> int:
        """The protocol's character of a position's column."""
        text = self.line(position.line)
        if encoding == "utf-32" or text.isascii():
            return position.column
        return sum(width_of(char, encoding) for char in text[: position.column])


def column_of(line: str, character: int, encoding: PositionEncoding) -> int | None:
    """Column (code points) of a character of the protocol; None if it is not between two."""
    if character < 0:
        return None
    if encoding == "utf-32" or line.isascii():
        return character if character <= len(line) else None
    units = 0
    for column, char in enumerate(line):
        if units == character:
            return column
        if units > character:
            return None
        units += width_of(char, encoding)
    return len(line) if units == character else None


def clamped_column(line: str, character: int, encoding: PositionEncoding) -> int:
    """Column (code points) of a character of the protocol, or the nearest one that exists."""
    if line.isascii():
        return min(max(character, 0), len(line))
    units = 0
    for column, char in enumerate(line):
        if units >= character:
            return column
        units += width_of(char, encoding)
    return len(line)


def width_of(char: str, encoding: PositionEncoding) -> int:
    """How many code units of an encoding one character takes."""
    point = ord(char)
    if encoding == "utf-32":
        return 1
    if encoding == "utf-16":
        return 2 if point > 0xFFFF else 1
    if point < 0x80:
        return 1
    if point < 0x800:
        return 2
    return 4 if point > 0xFFFF else 3
