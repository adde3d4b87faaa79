"""What the code inside of a Rust item can make outside of it, by macros and in bodies."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import mentions_in
from understudy.syntax.grammars import language_of
from understudy.syntax.model import Mentions

if TYPE_CHECKING:
    from tree_sitter import Node, Query


def made_around(kind: str, attributes: bytes, code: bytes) -> Mentions | None:
    """What decides what an item makes around it; None where it is the item alone.

    A macro in an attribute gets all of the item, and sees no more than its words; an implementation
    in a body holds everywhere.
    """
    if kind in _WITH_BODY and _MADE_INSIDE.search(code) is not None:
        return mentions_in(attributes, code)
    if kind == "const_item" and _NAMELESS.search(code) and _is_foreign(_CALLED.findall(code)):
        return mentions_in(attributes, code)
    if kind not in _WITH_CODE:
        return None
    if all(name in _PLAIN_ATTRIBUTES for name in _ATTRIBUTE.findall(attributes)):
        return None
    return mentions_in(attributes)


def made_in_bodies(root: Node, code: bytes) -> list[bytes]:
    """The macros that stand as statements, and may be implementations, by the order of nothing."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    found = QueryCursor(_statements()).captures(root).get("macro", ())
    spans = [code[node.start_byte : node.end_byte] for node in found]
    return sorted(span for span in spans if _is_foreign(_first(span)))


@cache
def _statements() -> Query:
    from tree_sitter import Language, Query  # noqa: PLC0415 - a compiled wheel

    language = language_of("rust")
    assert isinstance(language, Language)
    return Query(
        language,
        "[(block (expression_statement (macro_invocation) @macro))"
        ' (block (macro_invocation (token_tree . "{")) @macro)]',
    )


def _first(call: bytes) -> list[bytes]:
    found = _CALLED.search(call)
    return [] if found is None else [found[1]]


def _is_foreign(names: list[bytes]) -> bool:
    return any(name not in _PLAIN_MACROS for name in names)


def gives_macros(attributes: bytes) -> bool:
    """Whether an item with these gives its macros to whatever stands below it."""
    return _MACRO_USE.search(attributes) is not None


def writes_macros(code: bytes) -> bool:
    """Whether a text may be part of a macro that is a function: all of its code is seen then."""
    return _WRITES_MACROS.search(code) is not None


def implements(code: bytes) -> bool:
    """Whether a macro may make an implementation, which holds everywhere, whoever calls it."""
    return _IMPLEMENTING.search(code) is not None


_WITH_CODE: Final = ("function_item", "impl_item", "trait_item", "mod_item")
_WITH_BODY: Final = ("function_item", "const_item", "static_item")
_MADE_INSIDE: Final = re.compile(rb"\{.*\b(?:impl|macro_rules)\b", re.DOTALL)
_IMPLEMENTING: Final = re.compile(rb"\bimpl\b")
_MACRO_USE: Final = re.compile(rb"\bmacro_use\b")
_WRITES_MACROS: Final = re.compile(rb"\bproc_macro2?\b")
_ATTRIBUTE: Final = re.compile(rb"#\s*\[\s*(?:unsafe\s*\(\s*)?(?:\w+\s*::\s*)*(\w+)")
_PLAIN_ATTRIBUTES: Final = frozenset(
    b"allow automatically_derived bench cfg cold deny deprecated diagnostic doc expect "
    b"export_name forbid global_allocator ignore inline link link_name link_section macro_export "
    b"macro_use must_use no_mangle non_exhaustive panic_handler path repr rustfmt should_panic "
    b"skip target_feature test track_caller used warn".split()
)
"""Attributes that are no macros of somebody's; a test, whoever makes it, makes nothing else."""
_NAMELESS: Final = re.compile(rb"const\s+_\s*:")
_CALLED: Final = re.compile(rb"(\w+)\s*!\s*[({\[]")
_PLAIN_MACROS: Final = frozenset(
    b"addr_of anyhow assert assert_eq assert_ne bail cfg column compile_error concat dbg debug "
    b"debug_assert debug_assert_eq debug_assert_ne ensure env eprint eprintln error event file "
    b"format format_args html include_bytes include_str info join json line log matches "
    b"module_path option_env panic parse_quote pin print println quote quote_spanned rsx select "
    b"span stringify thread_local todo trace try_join unimplemented unreachable vec view warn "
    b"write writeln".split()
)
"""Macros that are known to make no implementations, of the standard library and of others."""
