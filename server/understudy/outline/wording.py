"""Signatures and comments of entries, read from the text when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from understudy.outline.comments import (
    comment_beside,
    docstring,
    first_line,
    leading_comment,
    says_something,
)
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, OutlineEntry
from understudy.outline.signatures import LONGEST_VALUE, signatures

_LONGEST_BESIDE = 400
_PIECE = 65_536
_SURE = 60
"""Bytes at the beginning of a signature that no cut takes away."""

_LINE_ENDS = ("\n", ";\n", ",\n")
_PRIVATE = "private"
_MARKS_OR_SPACE = "/#- \t\n\r"
_DECORATED = "@[/#"


def line_starts(data: bytes) -> list[int]:
    """Where each line begins; lines end with LF, CR LF or CR."""
    starts = [0]
    begin = 0
    while begin < len(data):  # in pieces, so that the memory of their lines is used again
        end = data.find(b"\n", begin + _PIECE) + 1 or len(data)
        lengths = map(len, data[begin:end].splitlines(keepends=True))
        starts.extend(accumulate(lengths, initial=starts.pop()))
        begin = end
    return starts


class TextWording:
    """The wording of entries whose text is at hand."""

    def __init__(
        self, data: bytes, language: Language, starts: Sequence[int] | None = None
    ) -> None:
        self._data, self._language, self._known_starts = data, language, starts
        self._has_docs = bool(language.comment) or language.name in ("css", "html")

    @cached_property
    def _starts(self) -> Sequence[int]:
        return line_starts(self._data) if self._known_starts is None else self._known_starts

    @cached_property
    def _characters(self) -> str:
        """One character a byte, so that places stay: a `str` is searched faster than bytes."""
        return self._data.decode("latin-1")

    def signature(self, entry: OutlineEntry) -> str:
        """The declaration on one line without its body; a cut is shown."""
        return self.signatures((entry,))[0]

    def signatures(self, entries: Sequence[OutlineEntry]) -> list[str]:
        """Those of many entries, which takes half as long as one by one."""
        return signatures(self._characters, entries, self._language)

    def doc(self, entry: OutlineEntry) -> str:
        """The first line of its comment or docstring, "" if it has none."""
        return first_line(self._comment(entry))

    def has_doc(self, entry: OutlineEntry) -> bool:
        """Whether it has one."""
        return says_something(self._comment(entry))

    def n_documented(self, entries: Iterable[OutlineEntry]) -> int:
        """How many of them have one; most lines show at a glance that they hold no comment."""
        text, starts = self._characters, self._starts
        marks = self._language.comment_marks
        hints = ("/", "-->", *(mark for mark in marks if "/" not in mark))
        n = 0
        for entry in entries:
            extent = entry.written
            if isinstance(extent, str):
                continue
            if extent.body < 0 and entry.kind != "macro" and entry.start > 1:
                around = text[starts[entry.start - 2] : starts[entry.start - 1]]
                around += text[extent.last : starts[entry.end]]
                for hint in hints:
                    if hint in around:
                        n += self.has_doc(entry)
                        break
            else:
                n += self.has_doc(entry)
        return n

    def _comment(self, entry: OutlineEntry) -> str:
        """The comment that is about it, a character a byte."""
        kind, extent = entry.kind, entry.written
        if isinstance(extent, str):
            return ""
        text, language, starts = self._characters, self._language, self._starts
        marks = language.comment_marks
        if language.docstrings and extent.body >= 0:
            return docstring(text, extent.body)
        if not self._has_docs:
            return ""
        end = extent.end
        if kind == "macro":
            at = text.find("/*", extent.start, min(end, extent.start + LONGEST_VALUE))
            if at >= 0:
                return comment_beside(text[at:end], ("/*",))
        if kind not in FUNCTIONS and kind not in TYPES and not text.startswith(_LINE_ENDS, end):
            stop = min(starts[entry.end], end + _LONGEST_BESIDE)
            beside = comment_beside(text[end:stop], marks)
            if says_something(beside):
                return beside
        return leading_comment(text, starts, entry.start, marks)

    def least(self, entry: OutlineEntry) -> int:
        """Bytes that the signature surely has, cut to 100 characters or not.

        Those of the name, and of what stands for a body.
        """
        extent = entry.written
        if isinstance(extent, str):
            return min(len(extent), _SURE)
        length = len(entry.name)
        if extent.name_at - extent.first + length > _SURE or not entry.name.isidentifier():
            return 0
        if self._characters[extent.first] in _DECORATED:
            return 0
        has_body = extent.first < extent.body < extent.last and entry.kind in FUNCTIONS
        return length + len("...") if has_body else length

    def may_be_private(self, entry: OutlineEntry) -> bool:
        """Whether the signature may begin with that word, which is known by its first letters."""
        extent = entry.written
        if isinstance(extent, str):
            return extent.startswith(_PRIVATE)
        text = self._characters
        for at in {extent.first, extent.start}:
            letter = text[at : at + 1]
            if letter in _MARKS_OR_SPACE or (letter == "p" and text.startswith(_PRIVATE, at)):
                return True
        return False
