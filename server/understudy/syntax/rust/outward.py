"""Whether a Rust text names anything that it does not declare itself."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from understudy.syntax.grammars import language_of

if TYPE_CHECKING:
    from tree_sitter import Language, Query

_OUTWARD: Final = """[
  (scoped_identifier) (scoped_type_identifier) (macro_invocation) (attribute_item)
  (inner_attribute_item) (use_declaration) (mod_item) (extern_crate_declaration) (impl_item)
  (macro_definition) (crate) (super)
] @outward"""
"""What may name something outside of a file: paths, macros, attributes, modules, other types."""


def names_others(text: bytes) -> bool:
    """Whether a text may name something of another file; one with errors may.

    Without, it is a table of values, as it were: types, constants and functions of its own.
    """
    language = language_of("rust")
    if language is None:
        return True
    from tree_sitter import Parser, QueryCursor  # noqa: PLC0415 - a compiled wheel

    root = Parser(language).parse(text).root_node
    return root.has_error or bool(QueryCursor(_query(language)).captures(root))


@cache
def _query(language: Language) -> Query:
    from tree_sitter import Query  # noqa: PLC0415 - a compiled wheel

    return Query(language, _OUTWARD)
