"""Which places of a text are no code: they stand in a comment or a string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from understudy.syntax.grammars import language_of
from understudy.values.positions import LineIndex, Position, Range

if TYPE_CHECKING:
    import tree_sitter

_WORDS = ("comment", "string", "heredoc")
"""What the names of such nodes have in them, in all grammars."""


def spans_asleep(grammar: str, content: str, places: Sequence[Position]) -> list[Range | None]:
    """For each place the comment or string that it stands in; None for code, or no grammar."""
    language = language_of(grammar)
    if language is None:
        return [None] * len(places)
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    lines = LineIndex(content)
    root = Parser(language).parse(content.encode("utf-8", "replace")).root_node
    return [_span(root, lines, place) for place in places]


def _span(root: tree_sitter.Node, lines: LineIndex, place: Position) -> Range | None:
    if place.line >= len(lines.starts):
        return None
    start = lines.starts[place.line] + place.column
    at = len(lines.content[:start].encode("utf-8", "replace"))
    node = root.descendant_for_byte_range(at, at + 1)
    while node is not None:
        if any(word in node.type for word in _WORDS):
            return Range(_position(lines, node.start_byte), _position(lines, node.end_byte))
        node = node.parent
    return None


def _position(lines: LineIndex, at: int) -> Position:
    content = lines.content.encode("utf-8", "replace")
    return lines.position(len(content[:at].decode("utf-8", "replace")))
