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
from typing import NamedTuple

from understudy.outline.hollow_comments import are_closed, comments
from understudy.outline.hollow_members import Body, plain_bodies
from understudy.outline.hollow_signs import BRACES, PYTHON, RUBY, Braces, Sign, Stop
from understudy.outline.languages import Language
from understudy.outline.spans import Span

_LEAST_BODY = 8
"""Bytes; less is not worth the look."""

_LONGEST_HEAD = 600
_OPENED = re.compile(rb"\{[ \t]*(?:/[/*][^\n]*)?\r?\n[ \t\r\n]*")
_OPENED_BEFORE_ARMS = re.compile(_OPENED.pattern + rb"(?:#[ \t]*if[^\n\\]*\n[ \t\r\n]*)*")
_CONDITIONAL = re.compile(rb"\n[ \t]*#[ \t]*(if|endif)")
_COMMENT_BEFORE = re.compile(rb".*\*/(?=\s)", re.DOTALL)


class Cut(NamedTuple):
    """What is left out, and what stands there instead."""

    start: int
    end: int
    instead: bytes = b""


class Hollowed:
    """A text without what is cut, and where its bytes were before.

    `plain_bodies` are the bodies of types that are cut, with the members that were in them.
    """

    def __init__(
        self, data: bytes, cuts: Iterable[Cut] = (), plain_bodies: tuple[Body, ...] = ()
    ) -> None:
        self._data, self._cuts = data, tuple(cuts)
        self.plain_bodies = plain_bodies
        self._starts: list[int] = []
        self._shifts = [0]
        parts: list[bytes] = []
        position = shift = 0
        for start, end, instead in self._cuts:
            parts += (data[position:start], instead)
            position = end
            self._starts.append(start - shift + len(instead) // 2)
            shift += end - start - len(instead)
            self._shifts.append(shift)
        self.text = b"".join((*parts, data[position:])) if parts else data
        self._next = [
            *self._starts,
            len(data) + 1,
        ]  # by the index of a shift, where the next begins

    @cached_property
    def blanked(self) -> bytes:
        """The text with blanks in the place of what is cut, as long as the whole one."""
        parts: list[bytes] = []
        position = 0
        for start, end, instead in self._cuts:
            blanks = b" " * (end - start - len(instead))
            middle = len(instead) // 2
            parts += (self._data[position:start], instead[:middle], blanks, instead[middle:])
            position = end
        return b"".join((*parts, self._data[position:]))

    def __bool__(self) -> bool:
        return bool(self._starts)

    def without(self, cuts: Iterable[Cut]) -> Hollowed:
        """The text with these cuts as well, whose places are those in the short text."""
        added = list(cuts)
        if not added:
            return self
        return Hollowed(self._data, self._together(added), self.plain_bodies)

    def with_plain_bodies(self) -> Hollowed:
        """The text with those bodies in it: where it is broken they may not be what they seem."""
        gone = {body.start + 1 for body in self.plain_bodies}
        return Hollowed(self._data, [cut for cut in self._cuts if cut.start not in gone])

    def _together(self, added: Iterable[Cut]) -> Iterator[Cut]:
        """The cuts and these, of which each takes the place of those inside of it."""
        known, index = self._cuts, 0
        for short in added:
            start, end = self.before(short.start), self.before_end(short.end)
            while index < len(known) and known[index].start < start:
                yield known[index]
                index += 1
            while index < len(known) and known[index].start < end:
                index += 1
            yield Cut(start, end, short.instead)
        yield from known[index:]

    def before(self, at: int) -> int:
        """Where this byte of the short text is in the whole one."""
        return at + self._shifts[bisect_right(self._starts, at)]

    def before_end(self, at: int) -> int:
        """Where what ends before this byte of the short text ends in the whole one."""
        return at + self._shifts[bisect_right(self._starts, at - 1)]

    def places_before(
        self, start: int, end: int, name_at: int, body: int
    ) -> tuple[int, int, int, int]:
        """Where a declaration of the short text was, its name, and its body if that is not -1."""
        starts, shifts = self._starts, self._shifts
        index = bisect_right(starts, start)
        shift, beyond = shifts[index], self._next[index]
        first = start + shift
        last = end + (shift if end <= beyond else shifts[bisect_right(starts, end - 1)])
        if start <= name_at < beyond:  # most have no cut between
            name_at += shift
        else:
            name_at += shifts[bisect_right(starts, name_at)]
        if body >= 0:
            body += shift if start <= body < beyond else shifts[bisect_right(starts, body)]
        return first, max(first, last), name_at, body


def hollow(data: bytes, language: Language) -> Hollowed:
    """The text without what a parser need not see."""
    if language.indented:
        return Hollowed(data, _by_indent(data))
    if language.name == "ruby":
        return Hollowed(data, _to_end(data))
    braces = BRACES.get(language.name)
    if braces is None:
        return Hollowed(data)
    if not are_closed(data):
        return Hollowed(data).without(Cut(*span) for span in _in_braces(data, braces))
    plain = tuple(plain_bodies(data)) if braces.has_members else ()
    seen = Hollowed(data, [Cut(body.start + 1, body.end - 1) for body in plain], plain)
    seen = seen.without(Cut(*span) for span in comments(seen.text, language))
    return seen.without(Cut(*span) for span in _in_braces(seen.text, braces))


def _in_braces(data: bytes, braces: Braces) -> Iterator[Span]:
    """Where the bodies lie between their braces."""
    position = 0
    stops = dict.fromkeys(braces.stops, -1)
    stop = -1 if stops else len(data)
    search = (_OPENED_BEFORE_ARMS if braces.has_arms else _OPENED).search
    while (opened := search(data, position)) is not None:
        position = opened.end()
        indent = position - data.rfind(b"\n", 0, position) - 1
        margin = _margin(data, opened, braces) if indent else None
        if margin is None or len(margin) >= indent:
            continue
        if stop < position:
            stop = _next_stop(data, position, stops)
        shallow = _shallower(indent, braces.has_arms).search(data, position, stop)
        if shallow is None or data[shallow.start() + 1 : shallow.end() + 1] != margin + b"}":
            continue
        start, end = opened.start() + 1, shallow.end()
        if end - start >= _LEAST_BODY and _is_plain(data, start, end, braces):
            yield start, end
            position = end


def _next_stop(data: bytes, position: int, stops: dict[Stop, int]) -> int:
    """Where the next of the words is; each is looked for once on the way."""
    for stop, at in stops.items():
        if at < position:
            word, itself = stop
            found = data.find(word, position)
            while found >= 0 and itself.match(data, found) is None:
                found = data.find(word, found + 1)
            stops[stop] = len(data) if found < 0 else found
    return min(stops.values())


def _margin(data: bytes, opened: re.Match[bytes], braces: Braces) -> bytes | None:
    """The indent of what stands before this brace, if that is a function or a statement in one."""
    brace = opened.start()
    low = max(0, brace - _LONGEST_HEAD)
    text = data[low:brace].rstrip()
    if not text.endswith(b")"):
        before = braces.before
        if before is None or before.search(text, max(0, len(text) - 100)) is None:
            return None
    begin = 1 + max(text.rfind(b";"), text.rfind(b"{"), text.rfind(b"}"))
    if not begin and low:
        comment = _COMMENT_BEFORE.match(text)
        if comment is None:
            return None
        begin = comment.end()
    head = text[begin:]
    first = low + len(text) - len(head.lstrip())
    if head.count(b")") > head.count(b"("):  # it begins further up, before a comment perhaps
        first = data.rfind(b"\n", 0, brace) + 1
        if not braces.has_arms or data[first : first + 1] != b")":
            return None
    if braces.head not in head or _shows(head, braces.holders):
        return None
    if braces.not_head is not None and braces.not_head.match(head) is not None:
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
    for token in braces.risky:
        if token in body and body.count(token) % 2:
            return False
    for token in braces.never:
        if token in body:
            return False
    if (not braces.signs_have_braces or b"{" in body) and _shows(body, braces.signs):
        return False
    if b"/*" in body and body.count(b"/*") != body.count(b"*/"):
        return False
    if braces.has_arms and b"#" in body and (words := _CONDITIONAL.findall(body)):
        if words.count(b"if") != words.count(b"endif"):
            return False
        # Its arms may each have a bracket of their own: the first column must do.
        if data[end - 1 : end] == b"\n":
            return True
    return _is_balanced(body)


def _shows(text: bytes, signs: tuple[Sign, ...]) -> bool:
    for words, pattern in signs:
        for word in words:
            if word in text:
                if pattern.search(text) is not None:
                    return True
                break
    return False


def _is_balanced(text: bytes) -> bool:
    return (
        text.count(b"(") == text.count(b")")
        and text.count(b"{") == text.count(b"}")
        and text.count(b"[") == text.count(b"]")
    )


@cache
def _shallower(indent: int, has_arms: bool) -> re.Pattern[bytes]:
    """The beginning of a line that is less deep, and neither blank nor a comment."""
    free = rb"#|[A-Za-z_]\w*[ \t]*:(?!:)|" if has_arms else b""
    return re.compile(rb"\n[ \t]{0,%d}(?!%s[ \t\r\n/*])" % (indent - 1, free))


_COLON = re.compile(rb":[ \t]*(?:#[^\n]*)?\r?\n[ \t\r\n]*")
_NAMED = re.compile(rb"[ \t]*\w+[ \t]*\(")
_LEAST_PARAMETERS = 8
_CLOSED = re.compile(rb"\)\s*(?::|->)")
_DOCSTRING = re.compile(rb"[rRuU]?(\"\"\"|''')")


def _by_indent(data: bytes) -> Iterator[Cut]:
    """Where the statements of Python's functions lie, and what their parameters are."""
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
        named = _NAMED.match(data, position, colon.start())
        if named is not None and _are_parameters(data[named.end() : colon.start()]):
            yield Cut(named.end(), colon.start(), b")")
            position = colon.start()
        start = colon.end()
        indent = start - data.rfind(b"\n", 0, start) - 1
        outer = len(margin) - len(margin.lstrip())
        if indent <= outer or data[start - indent : start - indent + outer] != margin[:outer]:
            continue
        shallow = _less_deep(indent).search(data, start)
        end = len(data) if shallow is None else shallow.start()
        body = data[start:end].rstrip()
        if len(body) >= _LEAST_BODY and not body.endswith(b"\\") and _is_plain_python(body):
            yield Cut(start, start + len(body), b"()")  # a statement: it keeps the place
            position = start + len(body)


def _are_parameters(text: bytes) -> bool:
    """Whether this is all from behind the first bracket to the colon, and worth the cut."""
    closing = text.rfind(b")")
    return closing >= _LEAST_PARAMETERS and _CLOSED.search(text, 0, closing) is None


def _is_plain_python(body: bytes) -> bool:
    quoted = _DOCSTRING.match(body)
    if quoted is not None:  # it may say anything
        body = body[quoted.end() :].partition(quoted[1])[2]
    if body.count(b'"""') % 2 or body.count(b"'''") % 2:
        return False
    return _is_balanced(body) and not _shows(b"\n" + body, PYTHON)


@cache
def _less_deep(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}(?![ \t\r\n])" % (indent - 1))


_RUBY_DEF = re.compile(rb"\n[ \t]*def[ \t][^\n;=]*(?:\([^\n]*\))?[ \t]*(?:#[^\n]*)?\n[ \t\r\n]*")


def _to_end(data: bytes) -> Iterator[Cut]:
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
        if len(body) >= _LEAST_BODY and _is_balanced(body) and not _shows(b"\n" + body, RUBY):
            yield Cut(start, shallow.start(), b"()")
            position = shallow.start()
