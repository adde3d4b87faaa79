"""The members of classes, interfaces, enums and type literals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from understudy.syntax.script.grammar import name_of
from understudy.syntax.script.hidden import HiddenParts
from understudy.syntax.script.patterns import bound
from understudy.syntax.script.source import Span
from understudy.values.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASSES = frozenset(("class_declaration", "abstract_class_declaration", "class"))
MEMBER_BLOCKS = _CLASSES | {"interface_declaration", "enum_declaration", "type_alias_declaration"}
"""The kinds of declarations that have members."""

_FIELDS = frozenset(("public_field_definition", "field_definition"))
_BASES = frozenset(("class_heritage", "extends_type_clause", "extends_clause"))


class Member(NamedTuple):
    """A named member, the parts of it that others cannot see, and where it says its own name."""

    name: str
    span: Span
    hidden: tuple[Span, ...] = ()
    key: tuple[Span, ...] = ()


@frozen(slots=True)
class Members:
    """The named members of a declaration; `holes` is what they cover of it."""

    members: tuple[Member, ...]
    holes: tuple[Span, ...]
    has_bases: bool


def members_of(node: Node, hidden: HiddenParts) -> Members:
    """The members of a declaration.

    What it says as a whole stays with it: what follows from an enum's order, and a type.
    """
    has_bases = any(child.type in _BASES for child in node.children)
    body = node.child_by_field_name("body")
    if node.type == "type_alias_declaration":
        literals = _literals(node.child_by_field_name("value"))
        found = [member for literal in literals for member in _listed(literal, hidden)]
        return Members(tuple(found), (), has_bases)
    if body is None:
        return Members((), (), has_bases)
    if node.type == "enum_declaration":
        return Members(tuple(_enumerated(body)), (), has_bases)
    found = list(_listed(body, hidden))
    return Members(tuple(found), tuple(dict.fromkeys(one.span for one in found)), has_bases)


def _literals(value: Node | None) -> Iterator[Node]:
    pending = [value] if value is not None else []
    while pending:
        node = pending.pop()
        if node.type == "object_type":
            yield node
        elif node.type in ("intersection_type", "union_type", "parenthesized_type"):
            pending += node.named_children


def _enumerated(body: Node) -> Iterator[Member]:
    for child in body.named_children:
        if child.type != "comment":
            name = child.child_by_field_name("name") or child
            yield Member(name_of(name), (child.start_byte, child.end_byte))


def _listed(body: Node, hidden: HiddenParts) -> Iterator[Member]:
    is_inferring = any(_is_inferred(child) for child in body.named_children)
    start: int | None = None
    for child in body.named_children:
        if child.type in ("comment", "decorator"):
            start = child.start_byte if start is None else start
            continue
        span = (child.start_byte if start is None else start, child.end_byte)
        start = None
        named = child.child_by_field_name("name")
        if named is None or child.type == "index_signature":
            continue
        name = name_of(named)
        # Fields without a type have that of what the constructor assigns to them.
        shows = name == "constructor" and is_inferring
        parts = () if shows else tuple(hidden.of(child))
        is_plain = named.type == "property_identifier"
        yield Member(name, span, parts, ((named.start_byte, named.end_byte),) if is_plain else ())
        if name == "constructor":
            yield from _parameter_properties(child)


def _is_inferred(child: Node) -> bool:
    return child.type in _FIELDS and not any(
        child.child_by_field_name(field) is not None for field in ("type", "value")
    )


def _parameter_properties(constructor: Node) -> Iterator[Member]:
    """Fields that are declared as parameters: `constructor(private readonly size: number)`."""
    parameters = constructor.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        kinds = {child.type for child in one.children}
        if not kinds.isdisjoint(("accessibility_modifier", "readonly", "override_modifier")):
            for name in bound(one.child_by_field_name("pattern")):
                yield Member(name, (one.start_byte, one.end_byte))
