"""Parts of declarations that no other file can see: bodies and values behind written types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from understudy.syntax.script.grammar import JAVASCRIPT
from understudy.syntax.script.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset(
    (
        *("function_declaration", "generator_function_declaration", "function_expression"),
        *("generator_function", "arrow_function", "method_definition", "function_signature"),
    )
)
_NEVER_INFERRED = frozenset(("function_declaration", "method_definition"))
"""Functions that return nothing where no statement returns a value, even if they only throw."""


class HiddenParts:
    """Tells what others cannot see; `results` are the places of all that a body can return."""

    def __init__(self, path: str, results: Iterable[Node]) -> None:
        self._is_javascript = path.endswith(JAVASCRIPT)
        self._results = sorted(node.start_byte for node in results)

    def of(self, node: Node) -> Iterator[Span]:
        """The hidden spans of a function, a variable with its value, a field."""
        if node.type in FUNCTIONS:
            yield from self._of_function(node)
            return
        value = node.child_by_field_name("value")
        if value is None:
            return
        if node.child_by_field_name("type") is not None:
            yield _span(value)
        elif value.type in FUNCTIONS:
            yield from self._of_function(value)

    def _of_function(self, node: Node) -> Iterator[Span]:
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            value = parameter.child_by_field_name("value")
            # Where a type is written, a default only shows that it is there.
            if value is not None and parameter.child_by_field_name("type") is not None:
                yield _span(value)
        body = node.child_by_field_name("body")
        if body is not None and self._hides_body(node, body):
            yield _span(body)

    def _hides_body(self, node: Node, body: Node) -> bool:
        if node.child_by_field_name("return_type") is not None:
            return not self._is_javascript
        if self._is_javascript or node.type not in _NEVER_INFERRED:
            return False
        if any(child.type == "*" for child in node.children):
            return False
        name = node.child_by_field_name("name")
        if any(child.type in ("set", "constructor") for child in node.children):
            return True
        if name is not None and name.text == b"constructor":
            return True
        index = bisect_left(self._results, body.start_byte)
        return index == len(self._results) or self._results[index] >= body.end_byte


def _span(node: Node) -> Span:
    return node.start_byte, node.end_byte
