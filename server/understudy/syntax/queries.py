"""What queries find in a text, as plain pieces: nobody above has to know the parser."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from understudy.syntax.grammars import language_of
from understudy.values.frozen import frozen

if TYPE_CHECKING:
    import tree_sitter

_MOST_MATCHES = 20_000
_MOST_OWNERS = 100


@frozen(slots=True)
class Piece:
    """A node: its text, its lines (0-based, the last included), and whether it begins its line.

    `owner` names the declarations around it; `beside` are the lines of the next node that is no
    comment and no attribute, those of the piece where there is none.
    """

    text: str
    first: int
    last: int
    begins_line: bool
    owner: str
    beside: tuple[int, int]


class QueriedText:
    """A parsed text that queries are asked of; lines end as in LSP."""

    def __init__(self, language: tree_sitter.Language, text: str) -> None:
        import tree_sitter  # noqa: PLC0415 - a compiled wheel

        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._data = self.text.encode("utf-8", "replace")
        self._language = language
        self._tree = tree_sitter.Parser(language).parse(self._data)

    @property
    def is_broken(self) -> bool:
        """Whether the parser did not understand all of it."""
        return self._tree.root_node.has_error

    def matches(self, query: str, *, understood: bool = False) -> Iterator[dict[str, Piece]]:
        """The first nodes of each match by their capture, in the order of the text.

        Only those without an error in them, if they must be `understood`.
        """
        import tree_sitter  # noqa: PLC0415 - a compiled wheel

        cursor = tree_sitter.QueryCursor(_compiled(self._language, query))
        found = cursor.matches(self._tree.root_node)[:_MOST_MATCHES]
        for _, captures in found:
            if understood and any(node.has_error for nodes in captures.values() for node in nodes):
                continue
            yield {name: self._piece(nodes[0]) for name, nodes in captures.items()}

    def _piece(self, node: tree_sitter.Node) -> Piece:
        start, end = node.start_byte, node.end_byte
        text = self._data[start:end].decode("utf-8", "replace")
        line = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        first = node.start_point[0]
        last = first + text.rstrip("\n").count("\n")
        return Piece(text, first, last, not line.strip(), _owner(node), _beside(node, first, last))


def queried(grammar: str, text: str) -> QueriedText | None:
    """The text, parsed; None where there is no such grammar."""
    language = language_of(grammar)
    return None if language is None else QueriedText(language, text)


@cache
def _compiled(language: tree_sitter.Language, query: str) -> tree_sitter.Query:
    import tree_sitter  # noqa: PLC0415 - a compiled wheel

    return tree_sitter.Query(language, query)


def _owner(node: tree_sitter.Node) -> str:
    names: list[str] = []
    parent = node.parent
    for _ in range(_MOST_OWNERS):
        if parent is None:
            break
        name = parent.child_by_field_name("name")
        if name is not None and name.text is not None and parent.start_byte < node.start_byte:
            names.append(name.text.decode("utf-8", "replace"))
        parent = parent.parent
    return ".".join(reversed(names))


def _beside(node: tree_sitter.Node, first: int, last: int) -> tuple[int, int]:
    beside = node.next_named_sibling
    while beside is not None and ("comment" in beside.type or "attribute" in beside.type):
        beside = beside.next_named_sibling
    if beside is None:
        return first, last
    return beside.start_point[0], beside.end_point[0]
