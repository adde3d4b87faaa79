"""A query for a grammar without one of ours, made from the names of its kinds of nodes.

Most grammars name a declaration so (`class_declaration`, `function_definition`) and hold what it is
called in a field or in a child that is named after identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

_DECLARES = re.compile(r"_(?:declaration|definition|item|decl|def|signature|spec)$")
_NO_ENTRY = re.compile(
    r"parameter|param_|argument|local|anonymous|lambda|type_item|capture|variance|multi_|pattern"
    r"|forward|constrain|generic|forall|return|inherits|input_value|enum_values|fields_def"
)
_IMPORTS = re.compile(r"^(?:import|include|use|open|using)_")
_KINDS = (
    ("interface", r"interface|protocol_decl|typeclass|concept"),
    ("constructor", r"constructor|^init_|^deinit_"),
    ("function", r"function|method|func_|fun_|proc|subroutine|modifier|getter|setter|rpc|event"),
    ("extension", r"extension"),
    ("trait", r"trait|mixin"),
    ("struct", r"struct|union|record"),
    ("class", r"class|object|contract|library|actor|message|service|given"),
    ("member", r"enum_entry|enum_field|enum_value|enum_case|variant"),
    ("enum", r"enum"),
    ("module", r"module|namespace|package"),
    ("macro", r"macro|template"),
    ("type", r"type"),
    ("field", r"field|property"),
    ("variable", r"variable|value_|^val_|^var_|const|assignment"),
)
_NAMES = ("simple_identifier", "type_identifier", "identifier", "name", "type_name", "value_name")


def made_query(language: tree_sitter.Language) -> str:
    """One pattern for each kind of node that declares something; "" if none seems to."""
    return "\n\n".join(_patterns(language))


def _patterns(language: tree_sitter.Language) -> Iterator[str]:
    kinds = {
        language.node_kind_for_id(number) or ""
        for number in range(language.node_kind_count)
        if language.node_kind_is_named(number) and language.node_kind_is_visible(number)
    }
    for kind in sorted(kinds):
        if _IMPORTS.match(kind) and _DECLARES.search(kind):
            yield f"({kind}) @imports"
        elif _DECLARES.search(kind) and not _NO_ENTRY.search(kind):
            entry = next((word for word, like in _KINDS if re.search(like, kind)), None)
            name = None if entry is None else _name(language, kind, kinds)
            if name is not None:
                yield f"({kind} {name} @name) @{entry}"


def _name(language: tree_sitter.Language, kind: str, kinds: set[str]) -> str | None:
    """How a pattern reaches the name of such a node: the first way that the grammar allows."""
    from tree_sitter import Query, QueryError  # noqa: PLC0415 - a compiled wheel

    for way in ("name: (_)", *(f"({name})" for name in _NAMES if name in kinds)):
        try:
            Query(language, f"({kind} {way} @name)")
        except QueryError:
            continue
        return way
    return None
