"""One character a cell: what the rows of a screen are made of, and how they become text again.

A row is a `str` in which every character fills one column. A wide character is followed by
`RIGHT_HALF`; a character with marks on it is stood for by a private code point of its own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

RIGHT_HALF = "\uffff"
"""The second column of a wide character; a noncharacter, so no program means it."""

SIMPLE_LIMIT = "\xad"
"""Below it every printable character is one column wide and joins nothing."""

MAX_CLUSTER = 32
"""Code points in one cell; further marks get a cell of their own, so that none is lost."""

_FIRST = 0xF0000
_LAST = 0x10FFFD
_NEEDS_CARE = re.compile(
    "[\xad\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    "\u231a-\u232a\u23e9-\u23f3\u25fd-\u2712\u2719-\u2757\u2795-\u27bf\u2b00-\ufffc\ufffe-\U0010ffff]"
)
"""Whatever may be wide or a mark; what programs draw with most (boxes, bars, dots) is neither, nor
is what stands for bytes that are no text."""
_CODED = re.compile("[\U000f0000-\U0010ffff]")


class Clusters:
    """What the private code points of one screen stand for."""

    def __init__(self) -> None:
        self._code: dict[str, str] = {}
        self._text: dict[str, str] = {}

    def code(self, text: str) -> str:
        """The one character that stands for these in a cell."""
        code = self._code.get(text)
        if code is None:
            if len(self._code) > _LAST - _FIRST:
                return text[0]  # more different clusters than code points: cannot be a text
            code = chr(_FIRST + len(self._code))
            self._code[text] = code
            self._text[code] = text
        return code

    def with_mark(self, cell: str, mark: str) -> str | None:
        """The cell with one more mark on it, or None when it holds as many as it may."""
        text = self._text.get(cell, cell)
        return self.code(text + mark) if len(text) < MAX_CLUSTER else None

    def text(self, cells: str) -> str:
        """What the cells show, as the program wrote it."""
        if cells.isascii():
            return cells
        shown = cells.replace(RIGHT_HALF, "")
        return _CODED.sub(self._decoded, shown)

    def _decoded(self, match: re.Match[str]) -> str:
        return self._text.get(match[0], match[0])

    def cells(self, text: str) -> str:
        """The text as cells; marks at its very start are left as cells of their own."""
        if text.isascii() or not _NEEDS_CARE.search(text):
            return text
        cells: list[str] = []
        for character in text:
            width = width_of(character)
            if character == RIGHT_HALF or character >= "\U000f0000":
                cells.append(self.code(character))
            elif width == 2:
                cells += (character, RIGHT_HALF)
            elif width == 0 and cells:
                at = -2 if cells[-1] == RIGHT_HALF and len(cells) > 1 else -1
                joined = self.with_mark(cells[at], character)
                if joined is None:
                    cells.append(character)
                else:
                    cells[at] = joined
            else:
                cells.append(character)
        return "".join(cells)


def leading_marks(text: str) -> int:
    """How many characters at the start of the text join what stands before it."""
    for index, character in enumerate(text):
        if character < SIMPLE_LIMIT or width_of(character) != 0:
            return index
    return len(text)


@lru_cache(maxsize=8192)
def width_of(character: str) -> int:
    """Columns of a printable character: 0, 1 or 2 (Unicode's East Asian width and categories)."""
    code = ord(character)
    if code < 0xAD or code >= 0xF0000:
        return 1
    if 0x1160 <= code <= 0x11FF:
        return 0  # vowels and finals of Hangul syllables
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
