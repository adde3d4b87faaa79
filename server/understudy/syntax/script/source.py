"""Spans of a script's text: their digests, in which layout does not count, and their words."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

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

_WORD = re.compile(
    r"((?:[{,]\s*|\.{1,3}\s*|['\"])?#?[\w$]+(?:['\"`=]|\s?[?!]?:)?)(?=\s*[?!]?(\(|\.(?![.\d\[(]))?)"
)
"""A word with what tells that it names a member (a dot, a bracket, a quote, a colon), and the dot
or the call behind it: what is called is no namespace."""
_INLINE = re.compile(r"\b(import|require)\s*\((?:\s*['\"`]([^'\"`\n]*))?")
_MARKUP = re.compile(r"</|/>")

_KEPT = 1024
"""Pieces of text whose words are remembered: of an edited file most are as they were."""

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

    `comments` are the spans of all that name nothing, in their order; to those in `marks` a checker
    listens all the same. `known` are the words of CONTEXTUAL that the file binds, `markup` the
    names that its markup means without mentioning them.
    """

    def __init__(
        self,
        text: bytes,
        comments: list[Span],
        marks: Set[Span],
        known: frozenset[str],
        markup: frozenset[str],
    ) -> None:
        self._text = text
        self._comments = comments
        self._starts = [start for start, _ in comments]
        self._marks = marks
        self._no_names = RESERVED | (CONTEXTUAL - known)
        self._markup = markup
        # Several names may be declared in the same text, one after the other.
        self._said: tuple[list[Span], bytes] = ([], b"")
        self._last: tuple[list[Span], Mentions] = ([], NO_WORDS)

    def digest(self, spans: Iterable[Span], *more: str) -> str:
        """What the spans say, whatever their layout, together with more words."""
        listed = list(spans)
        if listed != self._said[0]:
            self._said = (listed, _tokens_of(self._plain(listed, self._marks)))
        digest = hashlib.blake2b("\0".join((*more, "", "")).encode("utf-8"), digest_size=16)
        digest.update(self._said[1])
        return digest.hexdigest()

    def mentions(self, spans: Iterable[Span], members: Iterable[str] = ()) -> Mentions:
        """All names in the spans, and those behind dots or naming members."""
        listed = list(spans)
        if not listed:
            return Mentions(frozenset(), frozenset(members)) if members else NO_WORDS
        if listed != self._last[0]:
            self._last = (listed, _mentions_of(self._plain(listed), self._no_names, self._markup))
        found = self._last[1]
        more = frozenset(members)
        if not more:
            return found
        return Mentions(found.names, found.members | more, found.bare)

    def _plain(self, spans: Iterable[Span], with_: Set[Span] = frozenset()) -> str:
        """The text of the spans without comments, but for some of them."""
        kept = (piece for span in spans for piece in self._kept(span, with_))
        return b" ".join(self._text[start:end] for start, end in kept).decode("utf-8", "replace")

    def _kept(self, span: Span, with_: Set[Span]) -> Iterator[Span]:
        start, end = span
        for index in range(bisect_left(self._starts, start), len(self._comments)):
            first, last = self._comments[index]
            if first >= end:
                break
            if (first, last) in with_:
                continue
            if start < first:
                yield start, first
            start = max(start, last)
        if start < end:
            yield start, end


@lru_cache(_KEPT)
def _tokens_of(text: str) -> bytes:
    pattern = _TOKEN_OR_LINE if any(end in text for end in _ENDED) else _TOKEN
    return "\0".join(pattern.findall(text)).encode("utf-8", "replace")


@lru_cache(_KEPT)
def _mentions_of(text: str, no_names: frozenset[str], markup: frozenset[str]) -> Mentions:
    names: set[str] = set()
    members: set[str] = set()
    bare: set[str] = set()
    for found, dot in set(_WORD.findall(text)):
        word = found.strip("{,.#'\"`=?!: \t\r\n")
        if word[:1].isdigit():
            continue
        is_member = found[0] == "." and not found.startswith("...")
        if found[0] in "'\"" and found[-1] in "'\"":  # a string of one word: no code
            members.add(word)
            continue
        if dot != ".":
            bare.add(f"{'.' if is_member else ''}{word}{dot}")
        if not is_member:
            names.add(word)
        if len(found) != len(word):
            members.add(word)
    if markup and _MARKUP.search(text):
        names |= markup
        bare.update(f".{word}" for word in names)
        members |= names
    names -= no_names
    inline = _INLINE.findall(text) if "import" in text or "require" in text else ()
    if inline:
        # What is imported on the spot is mentioned behind a dot, its module in quotes.
        bare.update(members, (word for word, _ in inline))
        bare.update(f".{word}" for word in members)
        names.update(members, (word for word, _ in inline))
        names.update(f'"{module}"' for _, module in inline if module)
        names.add(ANY_MODULE)
    return Mentions(frozenset(names), frozenset(members), frozenset(bare))


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
