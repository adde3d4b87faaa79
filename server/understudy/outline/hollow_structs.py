"""Fields of Go's structs and constants that are declared together, by a look at each line.

As with TypeScript's types: where every line is plain the parser need not see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from understudy.outline.hollow_members import GAP, Body, Member

_HEAD = re.compile(
    rb"\n(?:type [^\W\d]\w*(?:\[[^\n\]]*\])? struct (?=\{\r?\n)|(const) (?=\(\r?\n))"
)
_NAME = rb"[^\W\d]\w*"
_END = rb"[ \t]*(?=\r?\n|//)"
_INNER = rb"(?:[^\n{}\"'`/;=()]|\{\})*"
_BRACKETS = rb"\(" + _INNER + rb"(?:\(" + _INNER + rb"\)" + _INNER + rb")*\)"
_OUTER = rb"[^\n{}\"'`/,;=()]*"
_TYPE = (
    rb"[\w.*<\[]" + _OUTER
    + rb"(?:(?:" + _BRACKETS + rb"|(?:(?<=struct)|(?<=interface))\{\})" + _OUTER + rb")*(?<=\S)"
)  # fmt: skip
_FIELD = re.compile(
    GAP + rb"((?:(" + _NAME + rb")[ \t]+" + _TYPE
    + rb"|\*?(?:" + _NAME + rb"\.)?(" + _NAME + rb"))(?:[ \t]*`[^`\n]*`)?)" + _END
)  # fmt: skip
"""With a name, or a type alone, which is named after the last of its words."""

_TERMS = rb"[\w.+*<>|&^%() -]*"
_STRING = rb"\"(?:[^\"\n\\]|\\[^\n])*\""
_CONSTANT = re.compile(
    GAP + rb"((" + _NAME + rb")(?:[ \t]+[\w.]+)?(?:[ \t]*=[ \t]*"
    + _TERMS + rb"(?:" + _STRING + _TERMS + rb")*(?<=[\w)\"]))?)" + _END
)  # fmt: skip
_STRUCT_END, _GROUP_END = re.compile(GAP + rb"\}"), re.compile(GAP + rb"\)")


def plain_structs(data: bytes) -> Iterator[Body]:
    """The structs and the groups of constants in which every line is plain."""
    position = 0
    while (head := _HEAD.search(data, position)) is not None:
        start = position = head.end()
        is_group = head[1] is not None
        line, kind = (_CONSTANT, "constant") if is_group else (_FIELD, "field")
        members, end = _members(data, start + 1, line, kind)
        closing = (_GROUP_END if is_group else _STRUCT_END).match(data, end)
        if closing is not None and members:
            position = closing.end()
            yield Body(start, position, members, is_group)


def _members(
    data: bytes, position: int, line: re.Pattern[bytes], kind: str
) -> tuple[list[Member], int]:
    """Members as far as they are plain, and where that is."""
    found: list[Member] = []
    while (member := line.match(data, position)) is not None:
        text, named = member[1], 3 if member[2] is None else 2
        if text.count(b"(") != text.count(b")"):
            break
        position = member.end()
        found.append((*member.span(1), kind, member[named], member.start(named)))
    return found, position
