"""Names that patterns bind, and those that assignments give to others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from understudy.syntax.model import ALL, WHOLE
from understudy.syntax.script.grammar import JAVASCRIPT, captures, name_of, string_of, text_of
from understudy.syntax.script.hidden import FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

_BOUND = ("identifier", "shorthand_property_identifier_pattern")
_EXPORTS = ("exports", "module.exports")
EVERYTHING = ("default", WHOLE, ALL)
"""The exports of a file that hands its exports to others to fill."""


class Assigned(NamedTuple):
    """What a statement adds to something that is already there."""

    name: str
    owner: str
    exported: tuple[str, ...]


def is_exports(value: Node | None) -> bool:
    """Whether a variable is another name for what the file exports."""
    return text_of(value) in _EXPORTS


def bound(pattern: Node | None) -> Iterator[str]:
    """The names that a pattern binds."""
    pending = [pattern] if pattern is not None else []
    while pending:
        node = pending.pop()
        if node.type in _BOUND:
            yield text_of(node)
        elif node.type == "pair_pattern":
            value = node.child_by_field_name("value")
            pending += [value] if value is not None else []
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            left = node.child_by_field_name("left")
            pending += [left] if left is not None else []
        else:
            pending += reversed(node.named_children)


def assigned(statement: Node) -> Iterator[Assigned]:
    """What a statement assigns to exports, to properties of functions, and to prototypes."""
    expression = statement.named_children[0] if statement.named_child_count else None
    while expression is not None and expression.type == "assignment_expression":
        left, right = (expression.child_by_field_name(side) for side in ("left", "right"))
        if left is not None:
            yield from _given(left, right)
        expression = right
    if expression is not None and expression.type == "call_expression":
        yield from _defined(expression)


def exported_inside(path: str, statement: Node) -> Iterator[Assigned]:
    """What a statement of JavaScript assigns to exports somewhere within."""
    if not path.endswith(JAVASCRIPT) or b"exports" not in (statement.text or b""):
        return
    query = "(assignment_expression) @assigned (call_expression) @called"
    nodes = captures(path, query, statement)
    for node in nodes.get("assigned", ()):
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        if left is not None:
            yield from (one for one in _given(left, right) if one.exported)
    for node in nodes.get("called", ()):
        yield from (one for one in _defined(node) if one.exported)


def hoisted(path: str, statement: Node) -> Iterator[str]:
    """The variables that a statement declares outside of itself: those of `var`."""
    if b"var" not in (statement.text or b""):
        return
    query = "(variable_declaration (variable_declarator) @declared)"
    for node in captures(path, query, statement).get("declared", ()):
        parent = node.parent
        while parent is not None and parent.type not in FUNCTIONS and parent != statement:
            parent = parent.parent
        if parent == statement:
            yield from bound(node.child_by_field_name("name"))


def _given(left: Node, right: Node | None) -> Iterator[Assigned]:
    path = text_of(left)
    if path in _EXPORTS:
        keys = [key for key in _keys(right) if key.isidentifier()]
        yield Assigned("module.exports", "", ("default", WHOLE, *keys))
        return
    if left.type == "identifier":
        yield Assigned(path, "", ())
    if left.type not in ("member_expression", "subscript_expression"):
        return
    owner = text_of(left.child_by_field_name("object"))
    name = name_of(left.child_by_field_name("property") or left.child_by_field_name("index"))
    if owner in (*_EXPORTS, "this"):
        yield Assigned(name, "", (name,))
    elif owner:
        yield Assigned(name, owner.removesuffix(".prototype").removeprefix("module.exports."), ())


def _keys(value: Node | None) -> Iterator[str]:
    for child in value.named_children if value is not None and value.type == "object" else ():
        if child.type == "shorthand_property_identifier":
            yield text_of(child)
        else:
            yield name_of(child.child_by_field_name("key") or child.child_by_field_name("name"))


def _defined(call: Node) -> Iterator[Assigned]:
    """`Object.defineProperty(exports, "a", ...)`, and copying into exports or prototypes."""
    arguments = call.child_by_field_name("arguments")
    listed = arguments.named_children if arguments is not None else []
    if any(text_of(one) in _EXPORTS for one in listed[1:]):
        yield Assigned("module.exports", "", EVERYTHING)
    if not listed or not text_of(call.child_by_field_name("function")).startswith("Object."):
        return
    owner = text_of(listed[0])
    name = string_of(listed[1]) if len(listed) > 1 else None
    if owner in _EXPORTS:
        names = (name,) if name else EVERYTHING
        yield Assigned(name or "module.exports", "", names)
    elif listed[0].type in ("identifier", "member_expression"):
        yield Assigned(name or "*", owner.removesuffix(".prototype"), ())
