"""Members of TypeScript's interfaces, enums and declared variables that a look at each line tells.

Declaration files have tens of thousands of them. Where every line of a body is a comment or one
member of a plain form, the parser need not see them; elsewhere it sees all of the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import merge
from typing import NamedTuple

_HEAD = re.compile(
    rb"\n[ \t]*(?:(?:export|declare|default|const)[ \t]+)*"
    rb"(?:(?:(enum)|interface)[ \t]+[\w$][^\n{}\"'`/]*"
    rb"|(?<=declare )(var|let|const)[ \t]+[\w$]+:[ \t]*)(?=\{)"
)
_WORDS = b"interface ", b"enum ", b"declare "
_LONGEST_BEFORE = 200
"""Bytes of a line before such a word."""

GAP = rb"\s*(?:(?:/\*[^*]{0,2000}\*+(?:[^/*][^*]{0,2000}\*+){0,200}/|//[^\n]*\n)\s*)*"
"""Comments are short: one that is never closed is not looked through from everywhere."""

_REST = rb"[^\n{};`/]*"
_NAME = rb"[\w$]+|\"[^\"\n\\]*\"|'[^'\n\\]*'"
_MEMBER = re.compile(
    GAP + rb"(?:"
    rb"((?:readonly[ \t]+)?(?!new\b|readonly[ \t])(" + _NAME + rb")\??(?:(:)|[(<])" + _REST + rb")"
    rb"|(\[[\w$]+: " + _REST + rb")"
    rb"|((?:new[ \t]*)?[(<]" + _REST + rb")"
    rb");(?=[ \t]*(?:\r?\n|//|/\*))"
)
_CONSTANT = re.compile(
    GAP + rb"(([A-Za-z_$][\w$]*)(?:[ \t]*=[ \t]*-?[\w.]+(?:[ \t]*[|<]+[ \t]*[\w.]+)*)?)"
    rb"(?:,|(?=\s*\}))"
)
_CLOSING = re.compile(GAP + rb"\}")


Member = tuple[int, int, str, bytes, int]
"""First and last byte without the semicolon, kind, name with quotes (none: b""), where that is."""


class Body(NamedTuple):
    """A body from brace to brace, with its members: of a type, or of a declared variable's type.

    What is no type is a group of declarations, from bracket to bracket.
    """

    start: int
    end: int
    members: list[Member]
    is_group: bool = False


def plain_bodies(data: bytes) -> Iterator[Body]:
    """The bodies in which every line is plain."""
    position = 0
    # There is no head without one of the words, which are found faster than lines.
    for place in merge(*(_places(data, word) for word in _WORDS)):
        if place < position:
            continue
        line = data.rfind(b"\n", max(0, place - _LONGEST_BEFORE), place)
        head = None if line < 0 else _HEAD.match(data, line)
        if head is None:
            continue
        brace = position = head.end()
        read = _members if head[1] is None else _constants
        members, end = read(data, brace + 1)
        closing = _CLOSING.match(data, end)
        if closing is None or not members:
            continue
        if head[2] is None or data.startswith(b";", closing.end()):  # else more follows of its type
            position = closing.end()
            yield Body(brace, position, members)


def _places(data: bytes, word: bytes) -> Iterator[int]:
    place = data.find(word)
    while place >= 0:
        yield place
        place = data.find(word, place + 1)


def _members(data: bytes, position: int) -> tuple[list[Member], int]:
    """Members as far as they are plain, and where that is."""
    found: list[Member] = []
    match = _MEMBER.match
    while (member := match(data, position)) is not None:
        named, name, is_field, index = member.group(1, 2, 3, 4)
        text = member[1] or member[4] or member[5]
        if text.count(b"(") != text.count(b")"):
            break
        position = member.end()
        if named is not None:
            kind = "method" if is_field is None else "field"
            found.append((*member.span(1), kind, name, member.start(2)))
        else:
            start, end = member.span(5 if index is None else 4)
            found.append((start, end, "call" if index is None else "index", b"", start))
    return found, position


def _constants(data: bytes, position: int) -> tuple[list[Member], int]:
    """Constants of an enum as far as they are plain, and where that is."""
    found: list[Member] = []
    while (constant := _CONSTANT.match(data, position)) is not None:
        position = constant.end()
        found.append((*constant.span(1), "member", constant[2], constant.start(2)))
    return found, position
