"""What a comment or docstring says about a declaration, and the first line of that."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 200
_MOST_LINES = 100
_LONGEST_BLOCK = 20_000
_LONGEST_LINE = 1000
_DOCSTRING = re.compile(rb"[\s:]*[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_MARKS = re.compile(rb"^(?:///|//!|/\*\*?!?|//|#+:?|--|<!--|\*+(?!/))[ \t]?")
_SPACE = re.compile(r"\s+")
_BLOCK_ENDS = (b"*/", b"-->")
_NO_COMMENTS = (b"#!", b"#[")
_LETTER = re.compile(rb"[0-9A-Za-z\x80-\xff]")


def docstring(data: bytes, body: int) -> bytes:
    """What a string says that opens the body at this place."""
    match = _DOCSTRING.match(data, body, body + 300)
    if match is None:
        return b""
    end = data.find(match[1], match.end(), match.end() + _LONGEST_BLOCK)
    return data[match.end() : end if end >= 0 else match.end() + LONGEST]


def comment_beside(rest: bytes, marks: Sequence[bytes]) -> bytes:
    """The comment behind a declaration on its last line; `rest` is what follows it there."""
    text = rest.partition(b"\n")[0].strip().lstrip(b",;) \t")
    return text if text.startswith((*marks, b"/*")) else b""


def leading_comment(
    data: bytes, starts: Sequence[int], start_line: int, marks: tuple[bytes, ...]
) -> bytes:
    """The comment that ends on the line above (no blank line in between), or its first line.

    `starts` are where the lines begin, and the end of the text.
    """
    line = start_line - 1
    if not 1 <= line < len(starts):
        return b""
    begin, close = starts[line - 1], starts[line]
    above = data[begin : min(close, begin + _LONGEST_LINE)].strip()
    if above.endswith(_BLOCK_ENDS):
        opening = b"/*" if above.endswith(b"*/") else b"<!--"
        if close - begin <= _LONGEST_LINE and not above.rfind(opening):
            return above  # all of it on a line of its own
        begin = data.rfind(opening, max(0, close - _LONGEST_BLOCK), close)
        if begin < 0 or data[data.rfind(b"\n", 0, begin) + 1 : begin].strip():
            return b""  # it stands behind something, and belongs to that
        return data[begin:close]
    if not above.startswith(marks) or above.startswith(_NO_COMMENTS):
        return b""
    for _ in range(_MOST_LINES):
        over = _line(data, starts, line - 1)
        if not over.startswith(marks) or over.startswith(_NO_COMMENTS):
            break
        line -= 1
    return _line(data, starts, line)


def says_something(comment: bytes) -> bool:
    """Whether a comment has a first line."""
    letter = _LETTER.search(comment)
    return letter is not None and (letter[0] < b"\x80" or bool(first_line(comment)))


def _line(data: bytes, starts: Sequence[int], number: int) -> bytes:
    """The 1-based line, stripped; b"" outside of the text."""
    if number < 1 or number > len(starts):
        return b""
    begin = starts[number - 1]
    end = starts[number] if number < len(starts) else len(data)
    return data[begin : min(end, begin + _LONGEST_LINE)].strip()


def first_line(text: bytes) -> str:
    """The first line of a comment with a letter or a digit in it, without the marks."""
    for raw in text.splitlines():
        line = _MARKS.sub(b"", raw.strip()).strip()
        for close in _BLOCK_ENDS:
            line = line.removesuffix(close).strip()
        letter = _LETTER.search(line)
        if letter is None:
            continue
        said = line.decode("utf-8", "replace")
        if letter[0] < b"\x80" or any(map(str.isalnum, said)):
            if "  " in said or not said.isprintable():
                said = _SPACE.sub(" ", said)
            return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    return ""
