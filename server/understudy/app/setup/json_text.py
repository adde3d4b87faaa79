"""One entry put into the text of a JSON file, or taken out again; the rest stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from understudy.app.setup.json_places import (
    JsonMember,
    Node,
    content,
    doubled,
    end_of_space,
    read_places,
)

_SAME_LINE = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)")
IsOurs = Callable[[object], bool]


class JsonText:
    """The text of a JSON file; `at` are the keys that lead to a place, each of a table.

    Every method raises ValueError for a text that cannot be changed without doubt, with why.
    """

    def __init__(self, text: str, *, comments: bool) -> None:
        self.mark = "\ufeff" if text.startswith("\ufeff") else ""
        self.text = text.removeprefix("\ufeff")
        self._comments = comments
        self._end = "\r\n" if "\r\n" in self.text else "\n"
        lines = (line for line in self.text.splitlines() if line[:1] in " \t" and line.strip())
        first = next(lines, "  ")
        self._step = first[: len(first) - len(first.lstrip())]

    @property
    def whole(self) -> str:
        """The text as it is by now."""
        return self.mark + self.text

    def value(self) -> object:
        """All that it holds."""
        return content(self.text, self._tree())

    def put_value(self, at: tuple[str, ...], value: object) -> None:
        """Have a value stand at a place; tables that are missing are made."""
        *way, last = at
        table, missing = self._found(tuple(way), "table")
        if missing:
            self._add(table, missing[0], _nested([*missing[1:], last], value))
            return
        member = table.named(last)
        if member is None:
            self._add(table, last, value)
        elif content(self.text, member.value) != value:
            self._replace(member.value, value, table)

    def put_item(self, at: tuple[str, ...], item: object, is_ours: IsOurs) -> None:
        """Have an item be in the list at a place; one of ours that is there already is replaced."""
        listed, missing = self._found(at, "list")
        if missing:
            self._add(listed, missing[0], _nested(missing[1:], [item]))
            return
        ours = [one for one in listed.members if is_ours(content(self.text, one.value))]
        if not ours:
            self._add(listed, None, item)
        elif content(self.text, ours[0].value) != item:
            self._replace(ours[0].value, item, listed)

    def take_value(self, at: tuple[str, ...]) -> None:
        """Take a key and its value out, if it is there."""
        *way, last = at
        table, missing = self._found(tuple(way), "table")
        member = None if missing else table.named(last)
        if member is not None:
            self._remove(table, member)

    def take_items(self, at: tuple[str, ...], is_ours: IsOurs) -> None:
        """Take every item of ours out of the list at a place, if there is one."""
        while True:
            listed, missing = self._found(at, "list")
            found = [] if missing else listed.members
            ours = [one for one in found if is_ours(content(self.text, one.value))]
            if not ours:
                return
            self._remove(listed, ours[0])

    def take_empty(self, at: tuple[str, ...]) -> bool:
        """Take out the table or list at a place if nothing is in it; whether that was so."""
        *way, last = at
        table, missing = self._found(tuple(way), "table")
        member = None if missing else table.named(last)
        if member is None or member.value.kind == "plain" or member.value.members:
            return False
        if self.text[member.value.start + 1 : member.value.end - 1].strip():
            return False  # a comment of the user's
        self._remove(table, member)
        return True

    def _tree(self) -> Node:
        if not self.text.strip():
            self.text = "{}" + self._end
        tree = read_places(self.text, comments=self._comments)
        if tree.kind != "table":
            raise ValueError("it holds no JSON object")
        return tree

    def _found(self, at: tuple[str, ...], kind: str) -> tuple[Node, tuple[str, ...]]:
        """The node at a place; or the last one on the way there, and the keys that are missing."""
        node = self._tree()
        for number, key in enumerate(at):
            if key in doubled(node):
                raise ValueError(f"it has the key `{key}` twice")
            member = node.named(key)
            if member is None:
                return node, at[number:]
            node = member.value
            wanted = kind if number == len(at) - 1 else "table"
            if node.kind != wanted:
                what = "a table" if wanted == "table" else "a list"
                raise ValueError(f"`{'.'.join(at[: number + 1])}` is not {what}")
        return node, ()

    def _add(self, into: Node, key: str | None, value: object) -> None:
        """Put a member behind the last one."""
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        if "\n" not in self.text[into.start : into.end] and into.members:  # all in one line
            text = f", {name}{json.dumps(value, ensure_ascii=False)}"
            self._splice(into.members[-1].value.end, 0, text)
            return
        indent = self._indent(into)
        text = f"{self._end}{indent}{name}{self._shown(value, indent)}"
        if not into.members:
            rest = self.text[into.start + 1 : into.end - 1]
            outer = "" if "\n" in rest else self._end + indent.removesuffix(self._step)
            self._splice(into.start + 1 + len(rest.rstrip()), 0, text + outer)
            return
        last = into.members[-1].value.end
        comma = self.text.index(",", self._past(last)) + 1 if into.ends_with_comma else last
        behind = _SAME_LINE.match(self.text, comma)
        text += "," if into.ends_with_comma else ""
        self._splice(comma if behind is None else behind.end(), 0, text)
        if not into.ends_with_comma:
            self._splice(last, 0, ",")

    def _remove(self, container: Node, member: JsonMember) -> None:
        """The reverse of `_add`, wherever the member stands by now."""
        number = container.members.index(member)
        is_last = number == len(container.members) - 1
        end = member.value.end
        if not is_last or container.ends_with_comma:
            end = self.text.index(",", self._past(end)) + 1
        start = len(self.text[: member.start].rstrip(" \t"))
        if self.text[:start].endswith("\n"):
            start -= len(self._end)
        elif number == 0:  # in one line with what follows
            start = member.start
            end += 0 if is_last else len(self.text[end:]) - len(self.text[end:].lstrip(" "))
        inner = self.text[end : container.end - 1]
        is_alone = number == 0 and is_last and not self.text[container.start + 1 : start].strip()
        if is_alone and not inner.strip():
            end += len(inner)
        self._splice(start, end - start, "")
        if is_last and number and not container.ends_with_comma:
            before = container.members[number - 1].value.end
            comma = self.text.index(",", self._past(before))
            self._splice(comma, 1, "")

    def _past(self, at: int) -> int:
        """Where what is no space and no comment goes on."""
        return end_of_space(self.text, at)

    def _replace(self, node: Node, value: object, container: Node) -> None:
        is_one_line = "\n" not in self.text[node.start : node.end] and bool(node.members)
        shown = self._shown(value, self._indent(container))
        if is_one_line:
            shown = json.dumps(value, ensure_ascii=False)
        self._splice(node.start, node.end - node.start, shown)

    def _indent(self, container: Node) -> str:
        """What stands before a member of the container."""
        for member in container.members:
            line = self.text.rfind("\n", 0, member.start) + 1
            before = self.text[line : member.start]
            if line > container.start and not before.strip(" \t"):
                return before
        line = self.text.rfind("\n", 0, container.start) + 1
        before = self.text[line : container.start]
        return before[: len(before) - len(before.lstrip())] + self._step

    def _shown(self, value: object, indent: str) -> str:
        text = json.dumps(value, indent=self._step, ensure_ascii=False)
        return text.replace("\n", self._end + indent)

    def _splice(self, at: int, length: int, text: str) -> None:
        self.text = self.text[:at] + text + self.text[at + length :]


def _nested(keys: list[str] | tuple[str, ...], value: object) -> object:
    found: Any = value
    for key in reversed(keys):
        found = {key: found}
    return found
