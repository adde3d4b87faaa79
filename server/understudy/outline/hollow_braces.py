"""Where the bodies of functions lie between their braces, and functions whose heads are plain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from understudy.outline.hollow_heads import Head, Heads
from understudy.outline.hollow_signs import Braces, Stop, is_balanced, shows
from understudy.outline.hollowed import Cut, PlainFunction

LEAST_BODY = 8
"""Bytes; less is not worth the look."""

LONGEST_HEAD = 600
_OPENED = re.compile(rb"\{[ \t]*(?:/[/*][^\n]*)?\r?\n[ \t\r\n]*")
_OPENED_BEFORE_ARMS = re.compile(_OPENED.pattern + rb"(?:#[ \t]*if[^\n\\]*\n[ \t\r\n]*)*")
_CONDITIONAL = re.compile(rb"\n[ \t]*#[ \t]*(if|endif)")
_DIRECTIVES = re.compile(rb"(?:\s*#[^\n]*\n)+")
_COMMENT_BEFORE = re.compile(rb".*\*/(?=\s)", re.DOTALL)


def in_braces(data: bytes, braces: Braces, heads: Heads | None) -> Iterator[Cut | PlainFunction]:
    """Where the bodies lie between their braces, or what has one if its head is plain."""
    position = 0
    stops = dict.fromkeys(braces.stops, -1)
    stop = -1 if stops else len(data)
    search = (_OPENED_BEFORE_ARMS if braces.has_arms else _OPENED).search
    while (opened := search(data, position)) is not None:
        brace, position = opened.start(), opened.end()
        indent = position - data.rfind(b"\n", brace, position) - 1
        head = None
        if indent:
            head = (heads and heads.on_line(data, brace)) or _head(data, opened, braces)
        if head is None or len(head.margin) >= indent:
            continue
        if stop < position:
            stop = _next_stop(data, position, stops)
        shallow = _shallower(indent, braces.has_arms).search(data, position, stop)
        if shallow is None or not data.startswith(head.margin + b"}", shallow.start() + 1):
            continue
        end = shallow.end()
        if end - brace > LEAST_BODY and _is_plain(data, brace + 1, end, braces):
            position = end
            function = heads and heads.function(data, head, brace, end + 1)
            yield function or Cut(brace + 1, end)


def _next_stop(data: bytes, position: int, stops: dict[Stop, int]) -> int:
    """Where the next of the words is; each is looked for once on the way."""
    for stop, at in stops.items():
        if at < position:
            word, itself = stop
            found = data.find(word, position)
            while found >= 0 and not itself(data, found):
                found = data.find(word, found + 1)
            stops[stop] = len(data) if found < 0 else found
    return min(stops.values())


def _head(data: bytes, opened: re.Match[bytes], braces: Braces) -> Head | None:
    """What stands before this brace, if that is a function or a statement in one."""
    brace = opened.start()
    low = max(0, brace - LONGEST_HEAD)
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
    if braces.has_arms and (directives := _DIRECTIVES.match(text, begin)) is not None:
        begin = directives.end()  # the indent to go by is not theirs
    head = text[begin:]
    first = low + len(text) - len(head.lstrip())
    if head.count(b")") > head.count(b"("):  # it begins further up, before a comment perhaps
        first = data.rfind(b"\n", 0, brace) + 1
        if not braces.has_arms or data[first : first + 1] != b")":
            return None
    if braces.head not in head or shows(head, braces.holders):
        return None
    if braces.not_head is not None and braces.not_head.match(head) is not None:
        return None
    arrow = braces.arrow if head.endswith(b"=>") else None
    if arrow is not None and arrow.match(data, opened.end()) is None:
        return None
    begin = data.rfind(b"\n", 0, first) + 1
    line = data[begin : first + 1]
    return Head(first, line[: len(line) - len(line.lstrip())])


def _is_plain(data: bytes, start: int, end: int, braces: Braces) -> bool:
    """Whether the body ends where it seems to, and declares nothing."""
    body = data[start:end]
    for token in braces.risky:
        if token in body and body.count(token) % 2:
            return False
    for token in braces.never:
        if token in body:
            return False
    if (not braces.signs_have_braces or b"{" in body) and shows(body, braces.signs):
        return False
    if b"/*" in body and body.count(b"/*") != body.count(b"*/"):
        return False
    if braces.has_arms and b"#" in body and (words := _CONDITIONAL.findall(body)):
        if words.count(b"if") != words.count(b"endif"):
            return False
        # Its arms may each have a bracket of their own: the first column must do.
        if data[end - 1 : end] == b"\n":
            return True
    return is_balanced(body)


@cache
def _shallower(indent: int, has_arms: bool) -> re.Pattern[bytes]:
    """The beginning of a line that is less deep, and neither blank nor a comment."""
    free = rb"#|[A-Za-z_]\w*[ \t]*:(?!:)|" if has_arms else b""
    return re.compile(rb"\n[ \t]{0,%d}(?!%s[ \t\r\n/*])" % (indent - 1, free))
