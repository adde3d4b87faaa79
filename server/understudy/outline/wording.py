"""Signatures and comments of entries, read from the text when they are asked for."""

from __future__ import annotations

import re
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
from understudy.outline.model import FUNCTIONS, TYPES, Entry, Extent

LONGEST_SIGNATURE = 2000
LONGEST_VALUE = 200
LONGEST_NAME = 200
LONGEST_WHOLE = 80
"""Bytes of the file looked at; what is longer is cut and ends in an ellipsis."""

ELLIPSIS = "…"
SHORT = frozenset(("constant", "field", "key", "macro", "member", "property", "type", "variable"))
"""Kinds that are shown whole, if they are not long."""

_TIGHT = (
    *(("( ", "("), ("[ ", "["), ("{ ", "{")),
    *((", )", ")"), (" )", ")"), (", ]", "]"), (" ]", "]")),
)
_SPACED = ("( ", "[ ", "{ ", " )", " ]")
_BRACKET_SPACE = re.compile(r"(?<=[(\[{]) (?=\S)|(?<=\S),? (?=[)\]])")
_DECORATOR = re.compile(r"@[\w.:]+\s*\((?:[^()]|\([^()]*\))*\)\s*")
_LONGEST_DECORATOR = 60
_TAIL = " \t\r\n{=;,:"
_LONGEST_BESIDE = 400
_SURE = 60
"""Bytes at the beginning of a signature that no cut takes away."""


_LINE_ENDS = (b"\n", b";\n", b",\n")
_PRIVATE = "private "
_MAY_BE_PRIVATE = (b"private", b"/", b"#", b"-", b" ", b"\t", b"\n", b"\r")
_DECORATED = b"@[/#"


def line_starts(data: bytes) -> list[int]:
    """Where each line begins; lines end with LF, CR LF or CR."""
    return [0, *accumulate(map(len, data.splitlines(keepends=True)))]


class TextWording:
    """The wording of entries whose text is at hand."""

    def __init__(
        self, data: bytes, language: Language, starts: Sequence[int] | None = None
    ) -> None:
        self._data, self._language, self._known_starts = data, language, starts
        self._has_docs = bool(language.comment) or language.name in ("css", "html")
        self._signatures: dict[Extent, str] = {}

    @cached_property
    def _starts(self) -> Sequence[int]:
        return line_starts(self._data) if self._known_starts is None else self._known_starts

    @cached_property
    def _characters(self) -> str:
        """One character a byte, so that places stay: a `str` is searched faster than bytes."""
        return self._data.decode("latin-1")

    def signature(self, entry: Entry) -> str:
        """The declaration on one line without its body; a cut is shown."""
        extent = entry.written
        if isinstance(extent, str):
            return extent
        found = self._signatures.get(extent)
        if found is None:
            found = _signature(self._characters, extent, entry.kind, self._language)
            self._signatures[extent] = found
        return found

    def doc(self, entry: Entry) -> str:
        """The first line of its comment or docstring, "" if it has none."""
        return first_line(self._comment(entry))

    def has_doc(self, entry: Entry) -> bool:
        """Whether it has one."""
        return says_something(self._comment(entry))

    def n_documented(self, entries: Iterable[Entry]) -> int:
        """How many of them have one; most lines show at a glance that they hold no comment."""
        text, starts = self._characters, self._starts
        marks = self._language.comment_marks
        hints = ("/", "-->", *(mark for mark in marks if "/" not in mark))
        n = 0
        for entry in entries:
            kind, _, _, start, end, _, extent, _, _ = entry
            if isinstance(extent, str):
                continue
            if extent[5] < 0 and kind != "macro" and start > 1:
                around = text[starts[start - 2] : starts[start - 1]]
                around += text[extent[1] : starts[end]]
                for hint in hints:
                    if hint in around:
                        n += self.has_doc(entry)
                        break
            else:
                n += self.has_doc(entry)
        return n

    def _comment(self, entry: Entry) -> bytes:
        """The comment that is about it."""
        extent = entry.written
        if isinstance(extent, str):
            return b""
        data, language = self._data, self._language
        if language.docstrings and extent.body >= 0:
            return docstring(data, extent.body)
        if not self._has_docs:
            return b""
        if entry.kind == "macro":
            at = data.find(b"/*", extent.start, min(extent.end, extent.start + LONGEST_VALUE))
            if at >= 0:
                return comment_beside(data[at : extent.end], (b"/*",))
        is_small = entry.kind not in FUNCTIONS and entry.kind not in TYPES
        if is_small and not data.startswith(_LINE_ENDS, extent.end):
            starts = self._starts
            stop = starts[entry.end] if entry.end < len(starts) else len(data)
            beside = comment_beside(
                data[extent.end : min(stop, extent.end + _LONGEST_BESIDE)], language.comment
            )
            if says_something(beside):
                return beside
        return leading_comment(data, self._starts, entry.start, language.comment)

    def least(self, entry: Entry) -> int:
        """Bytes that the signature surely has, cut to 100 characters or not: those of the name."""
        name, extent = entry.name, entry.written
        if isinstance(extent, str):
            return min(len(extent), _SURE)
        first, _, _, _, name_at, _ = extent
        length = len(name)
        if name_at - first + length > _SURE or not name.isidentifier():
            return 0
        return 0 if self._data[first] in _DECORATED else length

    def is_private(self, entry: Entry) -> bool:
        """Whether the signature begins with that word."""
        extent = entry.written
        if isinstance(extent, str):
            return extent.startswith(_PRIVATE)
        starts_so = self._data.startswith
        if not (
            starts_so(_MAY_BE_PRIVATE, extent.first) or starts_so(_MAY_BE_PRIVATE, extent.start)
        ):
            return False
        return self.signature(entry).startswith(_PRIVATE)


def _signature(text: str, extent: Extent, kind: str, language: Language) -> str:
    """What stands before the body, on one line; a cut is shown. The text has a character a byte."""
    first, last, start, _, name_at, body = extent
    end = body if first < body <= last else last
    if kind == "section":
        end = last = line_end(text, first, end)
    limit = LONGEST_VALUE if kind in SHORT else LONGEST_SIGNATURE
    is_long = end - first > limit
    if is_long and name_at - first > limit // 2:
        first = start  # decorators alone would fill it
        is_long = end - first > limit
    said = _said(text[first : first + limit if is_long else end], language)
    if said.startswith(("@", "[")):
        said = _DECORATOR.sub(_short_decorator, said)
    if is_long:
        return said + ELLIPSIS
    if end == last:
        return said.rstrip(" ;,")
    if kind in SHORT and last <= line_end(text, first, first + LONGEST_WHOLE):
        return _said(text[first:last], language).rstrip(" ;,")
    if kind in SHORT and kind != "type":
        return f"{said.rstrip(' ;,')} {ELLIPSIS}"
    said = said.rstrip(_TAIL)
    if kind not in FUNCTIONS:
        return said
    return f"{said}: ..." if language.indented else f"{said} ..."


def _said(part: str, language: Language) -> str:
    """A part of a text with a character a byte on one line, without comments."""
    if not part.isascii():
        part = part.encode("latin-1").decode("utf-8", "replace")
    for mark in language.comment_marks:
        if mark in part:
            return folded(language.comments.sub("", part))
    return folded(language.comments.sub("", part) if "/*" in part else part)


def line_end(text: str, first: int, last: int) -> int:
    """The end of the line that begins at the first place, or the last if it ends before."""
    end = text.find("\n", first, last)
    return last if end < 0 else end


def _short_decorator(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) <= _LONGEST_DECORATOR:
        return text
    return text.partition("(")[0].rstrip() + f"({ELLIPSIS}) "


def folded(text: str) -> str:
    """On one line, each run of white space one space, none inside of brackets."""
    line = " ".join(text.split())
    if " , " in line or line.startswith(","):
        return _BRACKET_SPACE.sub("", line)
    for space in _SPACED:
        if space in line:
            for spaced, tight in _TIGHT:  # the same, ten times as fast
                line = line.replace(spaced, tight)
            return line
    return line
