"""Texts without the bodies of functions that declare nothing: what a parser need not see.

Two thirds of the time of an outline goes into statements that it does not show. A body is left out
only where its indents, its brackets and its quotes all say where it ends, and no word in it begins
a declaration; all else is left to the parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

from understudy.outline.hollow_signs import BRACES, PYTHON, RUBY, Braces, Sign
from understudy.outline.languages import Language
from understudy.outline.spans import Span

_LEAST_BODY = 24
"""Bytes; less is not worth the look."""

_LONGEST_HEAD = 600
_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_OPENED = re.compile(rb"\{[ \t]*(?:/[/*][^\n]*)?\r?\n[ \t\r\n]*")
_CONDITIONAL = re.compile(rb"\n[ \t]*#[ \t]*(if|endif)")
_BEFORE_HEAD = re.compile(rb".*[;{}]", re.DOTALL)
_COMMENT_BEFORE = re.compile(rb".*\*/(?=\s)", re.DOTALL)


class Hollowed:
    """A text without such bodies, and where its bytes were before."""

    def __init__(self, data: bytes, bodies: Iterable[Span] = (), instead: bytes = b"") -> None:
        self._data, self._bodies, self._instead = data, tuple(bodies), instead
        self._starts: list[int] = []
        self._shifts = [0]
        parts: list[bytes] = []
        position = shift = 0
        for start, end in self._bodies:
            parts += (data[position:start], instead)
            position = end
            self._starts.append(start - shift + len(instead) // 2)
            shift += end - start - len(instead)
            self._shifts.append(shift)
        self.text = b"".join((*parts, data[position:])) if parts else data

    @cached_property
    def blanked(self) -> bytes:
        """The text with blanks in the place of the bodies, as long as the whole one."""
        opening, closing = self._instead[:1], self._instead[1:]
        parts: list[bytes] = []
        position = 0
        for start, end in self._bodies:
            blanks = b" " * (end - start - len(self._instead))
            parts += (self._data[position:start], opening, blanks, closing)
            position = end
        return b"".join((*parts, self._data[position:]))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def before(self, at: int) -> int:
        """Where this byte of the short text is in the whole one."""
        return at + self._shifts[bisect_right(self._starts, at)]


def hollow(data: bytes, language: Language) -> Hollowed:
    """The text without the bodies that a parser need not see."""
    if language.indented:
        return Hollowed(data, _by_indent(data), b"()")  # a statement, too: it keeps the place
    if language.name == "ruby":
        return Hollowed(data, _to_end(data), b"()")
    braces = BRACES.get(language.name)
    return Hollowed(data, () if braces is None else _in_braces(data, braces))


def _in_braces(data: bytes, braces: Braces) -> Iterator[Span]:
    """Where the bodies lie between their braces."""
    position = 0
    stops = dict.fromkeys(braces.stops, -1)
    while (opened := _OPENED.search(data, position)) is not None:
        position = opened.end()
        indent = position - data.rfind(b"\n", 0, position) - 1
        margin = _margin(data, opened, braces) if indent else None
        if margin is None or len(margin) >= indent:
            continue
        for word, at in stops.items():
            if at < position:  # each word is looked for once on the way
                found = data.find(word, position)
                stops[word] = len(data) if found < 0 else found
        shallow = _shallower(indent, braces.has_arms).search(
            data, position, min(stops.values(), default=len(data))
        )
        if shallow is None or data[shallow.start() + 1 : shallow.end() + 1] != margin + b"}":
            continue
        start, end = opened.start() + 1, shallow.end()
        if end - start >= _LEAST_BODY and _is_plain(data, start, end, braces):
            yield start, end
            position = end


def _margin(data: bytes, opened: re.Match[bytes], braces: Braces) -> bytes | None:
    """The indent of what stands before this brace, if that is a function or a statement in one."""
    brace = opened.start()
    low = max(0, brace - _LONGEST_HEAD)
    text = data[low:brace].rstrip()
    if braces.before.search(text, max(0, len(text) - 100)) is None:
        return None
    before = _BEFORE_HEAD.match(text)
    if before is None and low:
        before = _COMMENT_BEFORE.match(text)
        if before is None:
            return None
    head = text[before.end() :] if before is not None else text
    first = low + len(text) - len(head.lstrip())
    if head.count(b")") > head.count(b"("):  # it begins further up, before a comment perhaps
        first = data.rfind(b"\n", 0, brace) + 1
        if not braces.has_arms or data[first : first + 1] != b")":
            return None
    if braces.holder.search(head) is not None:
        return None
    arrow = braces.arrow if head.endswith(b"=>") else None
    if arrow is not None and arrow.match(data, opened.end()) is None:
        return None
    begin = data.rfind(b"\n", 0, first) + 1
    line = data[begin : first + 1]
    return line[: len(line) - len(line.lstrip())]


def _is_plain(data: bytes, start: int, end: int, braces: Braces) -> bool:
    """Whether the body ends where it seems to, and declares nothing."""
    body = data[start:end]
    if _declares(body, braces.signs):
        return False
    if any(body.count(token) % 2 for token in braces.risky) or any(t in body for t in braces.never):
        return False
    if body.count(b"/*") != body.count(b"*/"):
        return False
    if braces.has_arms and b"#" in body and (words := _CONDITIONAL.findall(body)):
        if words.count(b"if") != words.count(b"endif"):
            return False
        # Its arms may each have a bracket of their own: the first column must do.
        if data[end - 1 : end] == b"\n":
            return True
    return _is_balanced(body)


def _declares(body: bytes, signs: tuple[Sign, ...]) -> bool:
    return any(
        any(word in body for word in words) and pattern.search(body) is not None
        for words, pattern in signs
    )


def _is_balanced(text: bytes) -> bool:
    return all(text.count(left) == text.count(right) for left, right in _PAIRS)


@cache
def _shallower(indent: int, has_arms: bool) -> re.Pattern[bytes]:
    """The beginning of a line that is less deep, and neither blank nor a comment."""
    free = rb"#|[A-Za-z_]\w*[ \t]*:(?!:)|" if has_arms else b""
    return re.compile(rb"\n[ \t]{0,%d}(?!%s[ \t\r\n/*])" % (indent - 1, free))


_COLON = re.compile(rb":[ \t]*(?:#[^\n]*)?\r?\n[ \t\r\n]*")
_DOCSTRING = re.compile(rb"[rRuU]?(\"\"\"|''')")


def _by_indent(data: bytes) -> Iterator[Span]:
    """Where the statements of Python's functions lie."""
    position = 0
    while (found := data.find(b"def ", position)) >= 0:
        position = found + 4
        begin = data.rfind(b"\n", 0, found) + 1
        margin = data[begin:found]
        if margin.strip() not in (b"", b"async"):
            continue
        colon = _COLON.search(data, position, position + 10 * _LONGEST_HEAD)
        if colon is None or not _is_balanced(data[position : colon.start()]):
            continue
        start = colon.end()
        indent = start - data.rfind(b"\n", 0, start) - 1
        outer = len(margin) - len(margin.lstrip())
        if indent <= outer or data[start - indent : start - indent + outer] != margin[:outer]:
            continue
        shallow = _less_deep(indent).search(data, start)
        end = len(data) if shallow is None else shallow.start()
        body = data[start:end].rstrip()
        if len(body) >= _LEAST_BODY and not body.endswith(b"\\") and _is_plain_python(body):
            yield start, start + len(body)
            position = start + len(body)


def _is_plain_python(body: bytes) -> bool:
    quoted = _DOCSTRING.match(body)
    if quoted is not None:  # it may say anything
        body = body[quoted.end() :].partition(quoted[1])[2]
    if body.count(b'"""') % 2 or body.count(b"'''") % 2:
        return False
    return _is_balanced(body) and not _declares(b"\n" + body, PYTHON)


@cache
def _less_deep(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}(?![ \t\r\n])" % (indent - 1))


_RUBY_DEF = re.compile(rb"\n[ \t]*def[ \t][^\n;=]*(?:\([^\n]*\))?[ \t]*(?:#[^\n]*)?\n[ \t\r\n]*")


def _to_end(data: bytes) -> Iterator[Span]:
    """Where the statements of Ruby's methods lie."""
    position = 0
    while (found := _RUBY_DEF.search(data, position)) is not None:
        start = position = found.end()
        indent = start - data.rfind(b"\n", 0, start) - 1
        if not indent:
            continue
        shallow = _less_deep(indent).search(data, start)
        if shallow is None or not data.startswith(b"end", shallow.end()):
            continue
        body = data[start : shallow.start()]
        if len(body) >= _LEAST_BODY and _is_balanced(body) and not _declares(b"\n" + body, RUBY):
            yield start, shallow.start()
            position = shallow.start()
