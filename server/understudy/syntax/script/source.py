"""Spans of a script's text: their digests, in which layout does not count, and their words."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from understudy.syntax.model import Mentions

Span = tuple[int, int]
"""From one byte to another."""

NO_WORDS = Mentions()

ANY_MODULE = '"*"'
"""What every import mentions: a module that is declared for a pattern of names."""

_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_TOKEN = re.compile(rf"[\w$]+|{_STRINGS}|\S", re.DOTALL)
_ENDED = tuple(f"{word}\n" for word in ("return", "throw", "yield", "break", "continue"))
_TOKEN_OR_LINE = re.compile(rf"[\w$]+\n?|{_STRINGS}|\S", re.DOTALL)
"""Where a statement ends with its line, that much layout counts."""

_WORD = re.compile(r"(?:[{,]\s*|\.{1,3}\s*)?#?[\w$]+(?:['\"`=]|\s?[?!]?:)?")
"""A word with what tells that it names a member: a dot, a bracket, a quote, a colon."""
_INLINE = re.compile(r"\b(import|require)\s*\((?:\s*['\"`]([^'\"`\n]*))?")
_MARKUP = re.compile(r"</|/>")

RESERVED = frozenset(
    (
        *("break", "case", "catch", "class", "const", "continue", "debugger", "default"),
        *("delete", "do", "else", "enum", "export", "extends", "false", "finally", "for"),
        *("function", "if", "import", "in", "instanceof", "new", "null", "return", "super"),
        *("switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with"),
    )
)
"""Words that are never names."""

CONTEXTUAL = frozenset(
    (
        *("abstract", "accessor", "any", "as", "asserts", "async", "await", "bigint", "boolean"),
        *("constructor", "declare", "implements", "infer", "interface", "is", "keyof", "let"),
        *("namespace", "never", "number", "object", "out", "override", "package", "private"),
        *("protected", "public", "readonly", "satisfies", "static", "string", "symbol", "type"),
        *("undefined", "unique", "unknown", "yield"),
    )
)
"""Words that are names only where a file makes them so."""


class ScriptSource:
    """A script's text, seen in spans without the comments that say nothing to a checker.

    `dropped` are the spans of those comments, `known` the words of CONTEXTUAL that the file binds,
    `markup` the names that its markup means without mentioning them.
    """

    def __init__(
        self, text: bytes, dropped: list[Span], known: frozenset[str], markup: frozenset[str]
    ) -> None:
        self._text = text
        self._dropped = dropped
        self._starts = [start for start, _ in dropped]
        self._no_names = RESERVED | (CONTEXTUAL - known)
        self._markup = markup
        # Several names may be declared in the same text, one after the other.
        self._said: tuple[list[Span], bytes] = ([], b"")
        self._last: tuple[list[Span], Mentions] = ([], NO_WORDS)

    def digest(self, spans: Iterable[Span], *more: str) -> str:
        """What the spans say, whatever their layout, together with more words."""
        listed = list(spans)
        if listed != self._said[0]:
            text = self.text(listed)
            pattern = _TOKEN_OR_LINE if any(end in text for end in _ENDED) else _TOKEN
            self._said = (listed, "\0".join(pattern.findall(text)).encode("utf-8", "replace"))
        digest = hashlib.blake2b("\0".join((*more, "", "")).encode("utf-8"), digest_size=16)
        digest.update(self._said[1])
        return digest.hexdigest()

    def mentions(self, spans: Iterable[Span], members: Iterable[str] = ()) -> Mentions:
        """All names in the spans, and those behind dots or naming members."""
        listed = list(spans)
        if not listed:
            return Mentions(frozenset(), frozenset(members)) if members else NO_WORDS
        if listed != self._last[0]:
            self._last = (listed, self._words(self.text(listed)))
        found = self._last[1]
        more = frozenset(members)
        return Mentions(found.names, found.members | more) if more else found

    def _words(self, text: str) -> Mentions:
        names: set[str] = set()
        members: set[str] = set()
        for found in set(_WORD.findall(text)):
            word = found.strip("{,.#'\"`=?!: \t\r\n")
            if word[:1].isdigit():
                continue
            if found[0] != "." or found.startswith("..."):
                names.add(word)
            if len(found) != len(word):
                members.add(word)
        if self._markup and _MARKUP.search(text):
            names |= self._markup
            members |= names
        names -= self._no_names
        inline = _INLINE.findall(text) if "import" in text or "require" in text else ()
        if inline:
            # What is imported on the spot is mentioned behind a dot, its module in quotes.
            names.update(members, (word for word, _ in inline))
            names.update(f'"{module}"' for _, module in inline if module)
            names.add(ANY_MODULE)
        return Mentions(frozenset(names), frozenset(members))

    def text(self, spans: Iterable[Span]) -> str:
        """The text of the spans, dropped comments left out."""
        pieces = (self._text[start:end] for span in spans for start, end in self._kept(*span))
        return b" ".join(pieces).decode("utf-8", "replace")

    def _kept(self, start: int, end: int) -> Iterator[Span]:
        for index in range(bisect_left(self._starts, start), len(self._dropped)):
            first, last = self._dropped[index]
            if first >= end:
                break
            if start < first:
                yield start, first
            start = max(start, last)
        if start < end:
            yield start, end


def without(span: Span, holes: Iterable[Span]) -> list[Span]:
    """A span without the holes in it."""
    start, end = span
    found: list[Span] = []
    for first, last in sorted(holes):
        if start < first:
            found.append((start, first))
        start = max(start, last)
    if start < end:
        found.append((start, end))
    return found
