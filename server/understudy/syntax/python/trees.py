"""Syntax trees of Python texts, and quick ways to the few nodes that a reader wants."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from understudy.syntax.grammars import language_of

if TYPE_CHECKING:
    import tree_sitter

_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})
_HASH = ord("#")
_LONG_COMMENT = re.compile(rb"(?:^[ \t]*#[^\n]*\n){20,}", re.MULTILINE)
_PLAIN_COMMENT = re.compile(rb"#(?![^\n]*(?:pyright|mypy|type)\b)[^\n]*")
_TOKENS = re.compile(rb"\\\n|\n|#[^\n]*|[\w\x80-\xff]+|[^\s]")


class Token(NamedTuple):
    """A word or a sign; `starts_line` is false behind a backslash at the end of a line."""

    text: str
    starts_line: bool
    start: int


class Parsed(NamedTuple):
    """A text with its tree; its lines end with a line feed."""

    text: bytes
    root: tree_sitter.Node

    def words(self, *wanted: bytes) -> Iterator[tree_sitter.Node]:
        """The leaves that are one of some words, in their order: a search, and a look at each find.

        It is several times as quick as a query, which visits all nodes.
        """
        for start, word in sorted(self._finds(wanted)):
            node = self.root.descendant_for_byte_range(start, start + len(word))
            if node is None or node.child_count or node.type == "string_content":
                continue
            if node.text == word:
                yield node

    def _finds(self, wanted: tuple[bytes, ...]) -> Iterator[tuple[int, bytes]]:
        for word in wanted:
            start = self.text.find(word)
            while start >= 0:
                yield start, word
                start = self.text.find(word, start + len(word))


def parse(text: bytes) -> Parsed | None:
    """The tree of a text; None where no grammar is there."""
    language = language_of("python")
    if language is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return Parsed(text, Parser(language).parse(_without_long_comments(text)).root_node)


def _without_long_comments(text: bytes) -> bytes:
    """The text with comments of many lines blanked, in place.

    For each line of a comment the grammar's scanner looks through all that follow: 6,000 lines take
    it 4 s, and as empty lines 2 ms. Those that a checker reads stay.
    """
    tenths = (line.lstrip(b" \t").startswith(b"#") for line in text.split(b"\n")[::10])
    if not any(one and other for one, other in pairwise(tenths)):
        return text  # 20 lines have two of these in a row; the search costs a tenth of the parse
    return _LONG_COMMENT.sub(lambda found: _PLAIN_COMMENT.sub(_blank, found[0]), text)


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def captures(root: tree_sitter.Node, query: str) -> list[tree_sitter.Node]:
    """The nodes that a query captures as `@it`, in the order of the text."""
    return all_captures(root, query).get("it", [])


def all_captures(root: tree_sitter.Node, query: str) -> dict[str, list[tree_sitter.Node]]:
    """The nodes that a query captures, by their names."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    return QueryCursor(_query(query)).captures(root)


def statement_of(node: tree_sitter.Node) -> tree_sitter.Node:
    """The statement that a node is in; where that is broken, the whole broken part."""
    while node.parent is not None and node.parent.type not in ("module", "block"):
        node = node.parent
    return node


def is_at_the_top(node: tree_sitter.Node) -> bool:
    """Whether what is bound at a node is a name of the module; where text is broken, it is."""
    above = node.parent
    while above is not None:
        if above.type == "ERROR":
            return True
        if above.type in _SCOPES:
            return node.start_point.column == 0
        above = above.parent
    return True


def text_of(node: tree_sitter.Node) -> str:
    """The text of a node."""
    return decoded(node.text or b"")


def string_of(node: tree_sitter.Node) -> str | None:
    """What a string literal without escapes and replacements says; None for anything else."""
    if node.type == "concatenated_string":
        parts = [string_of(part) for part in node.named_children if part.type != "comment"]
        return "".join(part or "" for part in parts) if None not in parts else None
    if node.type != "string":
        return None
    parts = [part for part in node.children if part.type not in ("string_start", "string_end")]
    if any(part.type != "string_content" or part.named_child_count for part in parts):
        return None
    return "".join(text_of(part) for part in parts)


def tokens_from(text: bytes, start: int) -> Iterator[Token]:
    """The tokens of an import statement that starts here, and whatever follows."""
    starts_line = False
    for found in _TOKENS.finditer(text, start):
        token = found[0]
        if token == b"\n":
            starts_line = True
        elif token[0] != _HASH and token != b"\\\n":
            yield Token(decoded(token), starts_line, found.start())
            starts_line = False


def decoded(text: bytes) -> str:
    """A piece of text; names are spelled as Python compares them."""
    found = text.decode(errors="replace")
    return found if found.isascii() else unicodedata.normalize("NFKC", found)


@cache
def _query(text: str) -> tree_sitter.Query:
    language = language_of("python")
    assert language is not None
    from tree_sitter import Query  # noqa: PLC0415 - a compiled wheel

    return Query(language, text)
