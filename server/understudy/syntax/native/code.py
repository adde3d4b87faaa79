"""The code of a C or C++ text, without comments and layout, as those who include it compile it."""

from __future__ import annotations

import re
from typing import Final


def code_of(text: bytes) -> bytes:
    """The text with a blank for each comment and each run of blanks, and without empty lines.

    The whole text where somebody may read its comments, or where the rules for comments depend on
    the language's version or on splices: there every edit is one of the code.
    """
    if _UNPLAIN.search(text) is not None:
        return text
    code = _SPLICE.sub(b"", _without_comments(text, keeps_lines=False))
    bare = _LITERAL.sub(b"", code)
    if b"'" in bare or b'"' in bare or b"/*" in bare:  # a quote that nothing closes, or a comment
        return text
    if any(_WARNED.search(found[0]) for found in _LITERAL_OR_COMMENT.finditer(text)):
        return text
    return _LINE_ENDS.sub(b"\n", _BLANKS.sub(b" ", code)).strip()


def lines_of(text: bytes) -> bytes:
    """The numbers of the lines that have code."""
    lines = _without_comments(text, keeps_lines=True).split(b"\n")
    return b" ".join(b"%d" % number for number, line in enumerate(lines) if line.strip())


def _without_comments(text: bytes, *, keeps_lines: bool) -> bytes:
    def replaced(found: re.Match[bytes]) -> bytes:
        piece = found[0]
        if piece[:1] != b"/":
            return piece
        return b" " + b"\n" * piece.count(b"\n") if keeps_lines else b" "

    return _LITERAL_OR_COMMENT.sub(replaced, text)


_QUOTED: Final = rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_LITERAL: Final = re.compile(_QUOTED, re.DOTALL)
_LITERAL_OR_COMMENT: Final = re.compile(
    rb"//(?:[^\\\n]|\\\r?\n|\\.)*|/\*.*?\*/|" + _QUOTED, re.DOTALL
)
_SPLICE: Final = re.compile(rb"\\\r?\n")
_WARNED: Final = re.compile(
    rb"\A/(?:/.*\\\r?\n|\*.*/\*)|\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])", re.DOTALL
)
"""A comment within one, one of several lines by a splice, and marks that turn what is shown."""
_BLANKS: Final = re.compile(rb"[ \t\v\f\r]+")
_LINE_ENDS: Final = re.compile(rb" ?\n[ \n]*")
_UNPLAIN: Final = re.compile(
    # Raw strings and parted digits, which older C has not; a header's name is no comment.
    rb"R\"|[0-9a-fA-F]'[0-9a-fA-F]|^[ \t]*(?:\#|%:)[^\n]*<[^>\n]*/[/*]|"
    # Trigraphs, a bare return, splices with blanks or within the mark of a comment.
    rb"\?\?/|\r(?!\n)|\\[ \t\v\f]+\r?\n|\\\s*(?:/[/*]|\Z)|/\\\r?\n|\*\\\r?\n/|"
    # What include cleaners, linters and compilers read in comments.
    rb"\bIWYU\b|\bNOLINT|(?://|/\*)[^\n]{0,80}\b(?i:fall(?:s|ing)?[ \t_-]?thr)",
    re.MULTILINE,
)
