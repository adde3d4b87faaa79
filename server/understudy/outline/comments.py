"""What a comment or docstring says about a declaration, and the first line of that.

Texts have a character for each byte here: a `str` is searched and cut faster than bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 200
_MOST_LINES = 100
_LONGEST_BLOCK = 20_000
_LONGEST_LINE = 1000
_DOCSTRING = re.compile(r"[ \t\n\r\f\v:]*[rRuUbB]{0,2}(\"\"\"|'''|\"|')")
_MARKS = re.compile(r"^(?:///|//!|/\*\*?!?|//|#+:?|--|<!--|\*+(?!/))[ \t]?")
_LINE_END = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"\s+")
_BLANK = " \t\n\r\v\f"  # what is no letter of UTF-8
_BLOCK_ENDS = ("*/", "-->")
_NO_COMMENTS = ("#!", "#[")
_LETTER = re.compile(r"[0-9A-Za-z\x80-\xff]")


def docstring(text: str, body: int) -> str:
    """What a string says that opens the body at this place."""
    match = _DOCSTRING.match(text, body, body + 300)
    if match is None:
        return ""
    end = text.find(match[1], match.end(), match.end() + _LONGEST_BLOCK)
    return text[match.end() : end if end >= 0 else match.end() + LONGEST]


def comment_beside(rest: str, marks: tuple[str, ...]) -> str:
    """The comment behind a declaration on its last line; `rest` is what follows it there."""
    text = rest.partition("\n")[0].strip(_BLANK).lstrip(",;) \t")
    return text if text.startswith((*marks, "/*")) else ""


def leading_comment(
    text: str, starts: Sequence[int], start_line: int, marks: tuple[str, ...]
) -> str:
    """The comment that ends on the line above (no blank line in between), or its first line.

    `starts` are where the lines begin, and the end of the text.
    """
    line = start_line - 1
    if not 1 <= line < len(starts):
        return ""
    begin, close = starts[line - 1], starts[line]
    above = text[begin : min(close, begin + _LONGEST_LINE)].strip(_BLANK)
    if above.endswith(_BLOCK_ENDS):
        opening = "/*" if above.endswith("*/") else "<!--"
        if close - begin <= _LONGEST_LINE and not above.rfind(opening):
            return above  # all of it on a line of its own
        begin = text.rfind(opening, max(0, close - _LONGEST_BLOCK), close)
        if begin < 0 or text[text.rfind("\n", 0, begin) + 1 : begin].strip(_BLANK):
            return ""  # it stands behind something, and belongs to that
        return text[begin:close]
    if not above.startswith(marks) or above.startswith(_NO_COMMENTS):
        return ""
    for number in range(line - 1, max(0, line - 1 - _MOST_LINES), -1):
        begin = starts[number - 1]
        over = text[begin : min(starts[number], begin + _LONGEST_LINE)].strip(_BLANK)
        if not over.startswith(marks) or over.startswith(_NO_COMMENTS):
            break
        above = over
    return above


def says_something(comment: str) -> bool:
    """Whether a comment has a first line."""
    letter = _LETTER.search(comment)
    return letter is not None and (letter[0] < "\x80" or bool(first_line(comment)))


def first_line(comment: str) -> str:
    """The first line of a comment with a letter or a digit in it, without the marks."""
    for raw in _LINE_END.split(comment):
        line = _MARKS.sub("", raw.strip(_BLANK)).strip(_BLANK)
        for close in _BLOCK_ENDS:
            line = line.removesuffix(close).strip(_BLANK)
        letter = _LETTER.search(line)
        if letter is None:
            continue
        said = line if line.isascii() else line.encode("latin-1").decode("utf-8", "replace")
        if letter[0] < "\x80" or any(map(str.isalnum, said)):
            if "  " in said or not said.isprintable():
                said = _SPACE.sub(" ", said)
            return said if len(said) <= LONGEST else said[: LONGEST - 1] + "…"
    return ""
