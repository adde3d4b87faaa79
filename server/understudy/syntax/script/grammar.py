"""The grammars for scripts, with the few things that are asked of their nodes everywhere."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from understudy.syntax.grammars import language_of

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

Captures: TypeAlias = "Mapping[str, Sequence[Node]]"
"""What a query has found, by the names of its captures."""

SUFFIXES = (
    ".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
)  # fmt: skip

JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")
"""Suffixes of files in which JSDoc holds types."""

WITH_JSX = (".tsx", ".jsx", ".js")

_PLAIN = (".ts", ".mts", ".cts")
"""Suffixes of files in which `<T>x` is a cast."""

_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|.))", re.S)
_SINGLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_MOST_KEPT, _MOST_KEPT_BYTES = 4, 100_000
_trees: dict[str, tuple[bytes, Tree]] = {}
"""The texts and trees of the files that were parsed last, if they have no errors."""

_DROPPED = ("\n", "\r", "\r\n", "\u2028", "\u2029")


def grammar_of(path: str) -> str:
    """The name of the grammar for a file."""
    return "typescript" if path.endswith(_PLAIN) else "tsx"


def parse(path: str, text: bytes) -> Tree | None:
    """The tree of a text; None where there is no grammar."""
    language = language_of(grammar_of(path))
    if language is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(language).parse(text)


def parse_again(path: str, text: bytes) -> Tree | None:
    """As `parse`, for a file that is edited again and again: what stays is not parsed anew.

    Where a text has errors, what a parser makes of it may depend on the text before: it is parsed
    as a whole then.
    """
    kept = _trees.get(path)
    tree = None if kept is None else _edited(path, *kept, text)
    if tree is None or tree.root_node.has_error:
        tree = parse(path, text)
    _trees.pop(path, None)
    if tree is not None and len(text) <= _MOST_KEPT_BYTES and not tree.root_node.has_error:
        _trees[path] = text, tree
        for other in list(_trees)[:-_MOST_KEPT]:
            _trees.pop(other, None)
    return tree


def _edited(path: str, before: bytes, tree: Tree, after: bytes) -> Tree | None:
    """The tree of a text that came of another one by an edit of one piece."""
    language = language_of(grammar_of(path))
    if language is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    start = _n_common(before, after)
    n_end = _n_common(before[start:][::-1], after[start:][::-1])
    old_end, new_end = len(before) - n_end, len(after) - n_end
    tree = tree.copy()
    tree.edit(
        start,
        old_end,
        new_end,
        _point(before, start),
        _point(before, old_end),
        _point(after, new_end),
    )
    return Parser(language).parse(after, tree)


def _n_common(one: bytes, other: bytes) -> int:
    """How many bytes are the same at the start of both."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _point(text: bytes, at: int) -> tuple[int, int]:
    return text.count(b"\n", 0, at), at - (text.rfind(b"\n", 0, at) + 1)


def in_utf8(text: bytes) -> bytes:
    """A text as the compiler reads it: UTF-16 where its first bytes say so."""
    if text[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return text.decode("utf-16", "replace").encode("utf-8", "replace")
    return text


def captures(path: str, query: str, node: Node) -> Captures:
    """What a query finds below a node, in the order of the text."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    found = QueryCursor(_query(grammar_of(path), query)).captures(node)
    return {name: sorted(nodes, key=_place) for name, nodes in found.items()}


def text_of(node: Node | None) -> str:
    """The text of a node; "" for none."""
    if node is None or node.text is None:
        return ""
    return node.text.decode("utf-8", "replace")


def string_of(node: Node | None) -> str | None:
    """What a string means, its escapes undone; None where it is no string, or is put together."""
    if node is None or node.type not in ("string", "template_string"):
        return None
    if any(child.type == "template_substitution" for child in node.children):
        return None
    quoted = text_of(node)
    return unescaped(quoted[1:-1] if len(quoted) > 1 and quoted[-1] == quoted[0] else quoted[1:])


def unescaped(text: str) -> str:
    """The inside of a string with its escapes undone."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def name_of(node: Node | None) -> str:
    """A name as it is written, or as a string says it."""
    value = string_of(node)
    return text_of(node) if value is None else value


def leaves(node: Node) -> Iterator[Node]:
    """The tokens below a node, comments among them; a string is one token."""
    pending = [node]
    while pending:
        one = pending.pop()
        if one.child_count == 0 or one.type == "string":
            yield one
        else:
            pending.extend(reversed(one.children))


@cache
def _query(grammar: str, text: str) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - a compiled wheel

    language = language_of(grammar)
    assert language is not None, "there is a tree, hence a grammar"
    return Query(language, text)


def _place(node: Node) -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is not None:
        number = int(code, 16)
        return chr(number) if number < 0x110000 else match[0]
    return "" if match[4] in _DROPPED else _SINGLE.get(match[4], match[4])
