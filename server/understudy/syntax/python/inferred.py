"""Finds a function whose result stands in its body alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from understudy.syntax.python.trees import parse

if TYPE_CHECKING:
    import tree_sitter

_DEFINITE: Final = frozenset(
    {"integer", "float", "string", "list", "dictionary", "set", "tuple", "true", "false"}
    | {"list_comprehension", "dictionary_comprehension", "comparison_operator", "not_operator"}
)
"""Expressions that have a type, whatever the names in them mean."""

_SCOPES: Final = frozenset({"function_definition", "class_definition", "lambda"})


def inferred_function(text: bytes) -> tuple[int, int] | None:
    """The line and column of the name of a function or method, both 0-based.

    No result is written, and whoever infers one from the body knows it: it gives back a literal, or
    nothing at all.
    """
    parsed = parse(text)
    for node in () if parsed is None else _functions(parsed.root):
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        is_plain = (
            node.child_by_field_name("return_type") is None and node.children[0].type == "def"
        )
        if name is not None and body is not None and is_plain and _is_known(body):
            return name.start_point.row, name.start_point.column
    return None


def _functions(block: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for node in block.named_children:
        if node.type == "function_definition":
            yield node
        elif node.type == "class_definition" and (body := node.child_by_field_name("body")):
            yield from _functions(body)


def _is_known(body: tree_sitter.Node) -> bool:
    values: list[str] = []
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type in ("yield", "raise_statement", "ERROR"):
            return False
        if node.type == "return_statement" and node.named_child_count:
            values.append(node.named_children[0].type)
        if node.type not in _SCOPES:
            pending.extend(node.named_children)
    return not values or not _DEFINITE.isdisjoint(values)
