"""Where a broken text may be cut, so that each piece is likely to hold whole declarations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from understudy.outline.languages import Language

_HEAD = re.compile(rb"[A-Za-z_@#/$~<\[]")
_PYTHON_HEAD = re.compile(rb"(?!(?:else|elif|except|finally|and|or|in|is|not|as)\b)[A-Za-z_@#]")
_CLOSERS = (b"}", b")", b"]", b"end")
_BETWEEN = re.compile(rb"#|//|/?\*|\w+:(?!:)|[{(]")
_MOST_INDENT = 40
_INDENT = re.compile(rb"[\r\n]([ \t]*)(?=%s)" % _HEAD.pattern)
_LONGEST_HEAD = 100
"""Bytes of a line's beginning that decide whether it may begin a declaration, indent and all."""

_NEAR = 32
"""Lines; a cut is looked for among so many first."""

_LONGEST_BODY = 10_000


def cut_lines(
    data: bytes,
    starts: Sequence[int],
    first: int,
    last: int,
    indent: int,
    language: Language,
    *,
    loose: bool = False,
) -> list[int]:
    """Indexes of the lines in [first, last) that begin a declaration at that indent.

    In general such a line follows a blank one, one that closes something at the same indent, or
    one that opens a body around it; where indents are syntax, every line at the indent is one
    unless it goes on with the one above.
    `loose` takes every line at the indent.
    """
    found: list[int] = []
    for begin in _heads(data, starts, first, last, indent, language.indented):
        index = bisect_left(starts, begin)
        if language.indented:
            if not _goes_on(data, starts, index, indent):
                found.append(index)
        elif loose or index == 0 or _ends_something(data, starts, index, indent):
            found.append(index)
    return found


def cut_before(
    data: bytes, starts: Sequence[int], line: int, least: int, language: Language
) -> int:
    """The last cut in the first column that is not below this line; `least`, above it, is one."""
    width = _NEAR
    while line > least:
        above = max(least, line + 1 - width)
        cuts = cut_lines(data, starts, above, line + 1, 0, language)
        if cuts:
            return cuts[-1]
        line, width = above - 1, 2 * width
    return least


def cut_behind(data: bytes, starts: Sequence[int], line: int, language: Language) -> int:
    """The first cut in the first column that is not above this line, or the end."""
    width = _NEAR
    while line < len(starts):
        below = min(len(starts), line + width)
        cuts = cut_lines(data, starts, line, below, 0, language)
        if cuts:
            return cuts[0]
        line, width = below, 2 * width
    return len(starts)


def _heads(
    data: bytes, starts: Sequence[int], first: int, last: int, indent: int, indented: bool
) -> Iterator[int]:
    """Where the lines in [first, last) begin that may begin a declaration at that indent."""
    pattern = _head_at(indent, indented)
    begin = starts[first] if first < last else len(data)
    if begin < len(data) and pattern.match(b"\n" + data[begin : begin + _LONGEST_HEAD]):
        yield begin
    stop = starts[last] if last < len(starts) else len(data)
    for head in pattern.finditer(data, begin, stop):
        if head.start() + 1 < stop:
            yield head.start() + 1


@cache
def _head_at(indent: int, indented: bool) -> re.Pattern[bytes]:
    head = _PYTHON_HEAD if indented else _HEAD
    return re.compile(rb"[\r\n][ \t]{%d}(?=%s)" % (indent, head.pattern))


def inner_indent(data: bytes, starts: Sequence[int], first: int, last: int, outer: int) -> int:
    """The indent of the members of the container in these lines; -1 if there is none deeper."""
    stop = starts[last] if last < len(starts) else len(data)
    widths = map(len, _INDENT.findall(data, starts[first], stop))
    indents = Counter([width for width in widths if outer < width < _MOST_INDENT])
    if not indents:
        return -1
    often = max(indents.values())
    return min(width for width, n in indents.items() if n * 50 >= often)


def closing_end(data: bytes, starts: Sequence[int], start: int, end: int) -> int:
    """Where the brace stands that closes what begins at `start`, by the look of the lines.

    That is `end`, or the end of the first line below it that closes at the indent of the first
    one; labels, comments and the preprocessor's lines may stand before it, at any indent.
    """
    first = bisect_right(starts, start) - 1
    indent = start - starts[first]
    if indent > _MOST_INDENT or data[starts[first] : start].strip():
        return end
    line = bisect_right(starts, max(start, end - 1)) - 1
    for index in range(line, min(len(starts), line + _LONGEST_BODY)):
        stop = starts[index + 1] if index + 1 < len(starts) else len(data)
        text = data[starts[index] : stop]
        stripped = text.strip()
        width = len(text) - len(text.lstrip(b" \t"))
        if width == indent and stripped.startswith(b"}"):
            return starts[index] + len(text.rstrip())
        if index > line and width <= indent and stripped and not _BETWEEN.match(stripped):
            break
    return end


def _ends_something(data: bytes, starts: Sequence[int], index: int, indent: int) -> bool:
    above = data[starts[index - 1] : starts[index]]
    text = above.strip()
    if not text:
        return True
    width = len(above) - len(above.lstrip(b" \t"))
    if width < indent and text.endswith(b"{"):
        return True  # the first of what the brace holds
    closes = text.startswith(_CLOSERS) and width == indent
    return closes and not text.startswith((b") ", b")->")) and not text.endswith((b"{", b","))


def _goes_on(data: bytes, starts: Sequence[int], index: int, indent: int) -> bool:
    """Whether a line of an indented language belongs to the decorator or comment above it."""
    if index == 0:
        return False
    above = data[starts[index - 1] : starts[index]]
    text = above.strip()
    same = len(above) - len(above.lstrip(b" \t")) == indent
    return bool(text) and same and (text.startswith((b"@", b"#")) or text[:1] in b")]}")
