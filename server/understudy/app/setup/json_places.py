"""JSON with comments, read for where everything stands: so that a text can be changed in one place.

Nothing else of it is written anew, and what was put in can be taken out to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_DEPTH = 200
_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_BLANKS = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_PLAIN = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")


@dataclass
class Node:
    """A value: its text is `text[start:end]`; members of a table, items of a list, in order."""

    start: int
    end: int = 0
    kind: str = "plain"
    members: list[JsonMember] = field(default_factory=list["JsonMember"])
    ends_with_comma: bool = False

    def named(self, key: str) -> JsonMember | None:
        """The member of that name."""
        return next((member for member in self.members if member.key == key), None)


@dataclass
class JsonMember:
    """An item of a list, or a key with its value; `start` is where its text begins."""

    start: int
    key: str | None
    value: Node


def read_places(text: str, *, comments: bool) -> Node:
    """The tree of a text; raises ValueError with the line for whatever is no JSON.

    With `comments`, comments and a comma behind the last item are allowed.
    """
    reader = _Reader(text, comments=comments)
    at = reader.skip(0)
    node = reader.value(at, 0)
    if reader.skip(node.end) != len(text):
        raise reader.wrong(reader.skip(node.end), "there is more behind its end")
    return node


def end_of_space(text: str, at: int) -> int:
    """Where something follows that is neither space nor comment."""
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def content(text: str, node: Node) -> object:
    """The value of a node, as JSON has it."""
    if node.kind == "table":
        return {member.key: content(text, member.value) for member in node.members}
    if node.kind == "list":
        return [content(text, member.value) for member in node.members]
    return json.loads(text[node.start : node.end])


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments

    def skip(self, at: int) -> int:
        found = (_SPACE if self._comments else _BLANKS).match(self._text, at)
        return at if found is None else found.end()

    def wrong(self, at: int, what: str) -> ValueError:
        line = self._text.count("\n", 0, at) + 1
        return ValueError(f"line {line}: {what}")

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.wrong(at, f"lists and tables go deeper than {MAX_DEPTH}")
        opening = self._text[at : at + 1]
        if opening == "{":
            return self._container(at, "table", "}", depth)
        if opening == "[":
            return self._container(at, "list", "]", depth)
        found = _STRING.match(self._text, at) or _PLAIN.match(self._text, at)
        if found is None:
            raise self.wrong(at, "a value is missing")
        return Node(at, found.end())

    def _container(self, start: int, kind: str, closing: str, depth: int) -> Node:
        node = Node(start, kind=kind)
        at = self.skip(start + 1)
        while self._text[at : at + 1] != closing:
            if node.members and not node.ends_with_comma:
                raise self.wrong(at, "a comma or the end is missing")
            member = self._member(at, kind, depth)
            node.members.append(member)
            at = self.skip(member.value.end)
            node.ends_with_comma = self._text[at : at + 1] == ","
            at = self.skip(at + 1) if node.ends_with_comma else at
        if node.ends_with_comma and not self._comments:
            raise self.wrong(at, "a comma stands before the end")
        node.end = at + 1
        return node

    def _member(self, at: int, kind: str, depth: int) -> JsonMember:
        if kind == "list":
            return JsonMember(at, None, self.value(at, depth + 1))
        found = _STRING.match(self._text, at)
        if found is None:
            raise self.wrong(at, "a key is missing")
        colon = self.skip(found.end())
        if self._text[colon : colon + 1] != ":":
            raise self.wrong(colon, "a colon is missing")
        return JsonMember(at, json.loads(found[0]), self.value(self.skip(colon + 1), depth + 1))


def doubled(node: Node) -> Iterator[str]:
    """Keys that a table has twice: which of them counts, each reader decides for itself."""
    keys = [member.key for member in node.members if member.key is not None]
    return (key for number, key in enumerate(keys) if key in keys[:number])
