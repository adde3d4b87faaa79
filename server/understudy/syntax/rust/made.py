"""What the code inside of a Rust item can make outside of it, by macros and in bodies."""

from __future__ import annotations

import re
from typing import Final

from understudy.syntax.code_spans import mentions_in
from understudy.syntax.model import Mentions


def made_around(kind: str, attributes: bytes, code: bytes) -> Mentions | None:
    """What decides what an item makes around it; None where it is the item alone.

    A macro in an attribute gets all of the item, and sees no more than its words; an implementation
    in a body holds everywhere.
    """
    if kind in _WITH_BODY and _MADE_INSIDE.search(code) is not None:
        return mentions_in(attributes, code)
    if kind not in _WITH_CODE:
        return None
    if all(name in _PLAIN_ATTRIBUTES for name in _ATTRIBUTE.findall(attributes)):
        return None
    return mentions_in(attributes)


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
