"""What a `use` of Rust brings in, each name by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node


class Use(NamedTuple):
    """One leaf of the tree of a `use`: the whole path, and the name by which it is known here.

    The name is "" of a wildcard, and `_` of what has none.
    """

    path: bytes
    name: bytes


def uses_in(node: Node, code: bytes) -> Iterator[Use]:
    """All that a `use` brings in; `code` is the text with its comments blanked."""
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from _leaves(argument, (), code)


def _leaves(node: Node, before: tuple[bytes, ...], code: bytes) -> Iterator[Use]:
    if node.type == "use_list":
        for child in node.named_children:
            if not child.type.endswith("_comment"):
                yield from _leaves(child, before, code)
    elif node.type == "scoped_use_list":
        listed = node.child_by_field_name("list")
        if listed is not None:
            yield from _leaves(listed, (*before, *_path(node, code)), code)
    elif node.type == "use_as_clause":
        alias = node.child_by_field_name("alias")
        name = b"" if alias is None else code[alias.start_byte : alias.end_byte]
        yield Use(b"::".join((*before, *_path(node, code))), name)
    elif node.type == "use_wildcard":
        inner = code[node.start_byte : node.end_byte].rstrip(b" \t\r\n*").removesuffix(b"::")
        yield Use(b"::".join((*before, *filter(None, (inner,)))), b"")
    else:
        path = (*before, code[node.start_byte : node.end_byte])
        if path[-1] == b"self" and before:  # `a::{self}` is `a`
            path = path[:-1]
        whole = b"::".join(path)
        yield Use(whole, whole.rpartition(b"::")[2].strip())


def _path(node: Node, code: bytes) -> tuple[bytes, ...]:
    path = node.child_by_field_name("path")
    return () if path is None else (code[path.start_byte : path.end_byte],)
