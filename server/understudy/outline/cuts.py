"""Where a broken text may be cut, so that each piece is likely to hold whole declarations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from understudy.outline.languages import Language

_HEAD = re.compile(rb"[A-Za-z_@#/$~<\[]")
_PYTHON_HEAD = re.compile(rb"(?!(?:else|elif|except|finally|and|or|in|is|not|as)\b)[A-Za-z_@#]")
_CLOSERS = (b"}", b")", b"]", b"end")
_BETWEEN = re.compile(rb"#|//|/?\*|\w+:(?!:)|[{(]")
_MOST_INDENT = 40
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
    head = _PYTHON_HEAD if language.indented else _HEAD
    found: list[int] = []
    for index in range(first, last):
        begin = starts[index]
        at = begin + indent
        if not head.match(data, at) or data[begin:at].strip(b" \t"):
            continue
        if language.indented:
            if not _goes_on(data, starts, index, indent):
                found.append(index)
        elif loose or index == 0 or _ends_something(data, starts, index, indent):
            found.append(index)
    return found


def inner_indent(data: bytes, starts: Sequence[int], first: int, last: int, outer: int) -> int:
    """The indent of the members of the container in these lines; -1 if there is none deeper."""
    indents: Counter[int] = Counter()
    for index in range(first + 1, last):
        line = data[starts[index] : starts[index] + _MOST_INDENT + 1]
        text = line.lstrip(b" \t")
        width = len(line) - len(text)
        if outer < width < _MOST_INDENT and _HEAD.match(text):
            indents[width] += 1
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
