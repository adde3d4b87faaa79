"""The names that statements and the heads of branches bind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from understudy.syntax.python.trees import decoded, text_of

if TYPE_CHECKING:
    import tree_sitter

_WALRUS = re.compile(rb"([A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*:=")
_NAMED_FIRST = frozenset({"class_pattern", "keyword_pattern"})
_NO_NAMES = frozenset({"attribute", "subscript", "call", "type"})


def names_of_statement(node: tree_sitter.Node) -> dict[str, None]:
    """The names that a simple statement binds, unbinds or declares."""
    found: dict[str, None] = {}
    target: tree_sitter.Node | None = node
    while target is not None and target.type in ("assignment", "augmented_assignment"):
        left = target.child_by_field_name("left")
        found.update(dict.fromkeys(() if left is None else _names_in(left)))
        target = target.child_by_field_name("right")
    if node.type == "delete_statement":
        found.update(dict.fromkeys(_names_in(node)))
    elif node.type == "type_alias_statement":
        found.update(dict.fromkeys(_first_name(node)))
    found.update(dict.fromkeys(_walrus_names(node.text or b"")))
    return found


def names_of_head(branch: tree_sitter.Node, head: bytes) -> dict[str, None]:
    """The names that the head of a loop, a `with`, a `case`, an `except` binds."""
    found: dict[str, None] = {}
    left = branch.child_by_field_name("left")
    for child in branch.named_children:
        if child.type == "case_pattern" or child == left:
            found.update(dict.fromkeys(_names_in(child)))
        elif child.type in ("with_clause", "as_pattern"):
            found.update(dict.fromkeys(_names_after_as(child)))
    found.update(dict.fromkeys(_walrus_names(head)))
    return found


def _names_in(node: tree_sitter.Node) -> Iterator[str]:
    """The identifiers of a target, but those of attributes, indices and classes."""
    if node.type in ("identifier", "dotted_name"):
        name = text_of(node)
        if "." not in name:
            yield name
    elif node.type not in _NO_NAMES:
        for child in node.named_children[node.type in _NAMED_FIRST :]:
            yield from _names_in(child)


def _names_after_as(node: tree_sitter.Node) -> Iterator[str]:
    if node.type == "as_pattern_target":
        yield from _names_in(node)
    else:
        for child in node.named_children:
            yield from _names_after_as(child)


def _first_name(node: tree_sitter.Node) -> Iterator[str]:
    """The name of an alias, which comes before its parameters."""
    below = node
    while below.type != "identifier":
        if not below.named_child_count:
            return
        below = below.named_children[0]
    yield text_of(below)


def _walrus_names(text: bytes) -> Iterator[str]:
    return (decoded(name) for name in _WALRUS.findall(text)) if b":=" in text else iter(())
