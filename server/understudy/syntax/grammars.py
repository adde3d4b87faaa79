"""The bundled grammars, loaded once a process; nothing is ever downloaded."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import tree_sitter


@cache
def language_of(grammar: str) -> tree_sitter.Language | None:
    """The grammar of that name; None where it is not bundled, or none is (`why_no_grammars`)."""
    if why_no_grammars() is not None:
        return None
    from tree_sitter_language_pack import get_language  # noqa: PLC0415 - a compiled wheel

    try:
        return get_language(cast("Any", grammar))
    except LookupError:
        return None


@cache
def why_no_grammars() -> str | None:
    """Why nothing can be parsed; None where it can.

    The extension without compiled parts has no parser, and a Python that is newer than we are none
    that fits.
    """
    try:
        import_module("tree_sitter_language_pack")
    except ImportError as error:
        return f"no parser for this Python ({error})"
    return None


@cache
def grammars_there() -> str:
    """Names all that is parsed with here: other grammars read other things."""
    if why_no_grammars() is not None:
        return ""
    from importlib.metadata import version  # noqa: PLC0415 - it loads a mail library

    bundled = files("tree_sitter_language_pack") / "bindings"
    names = sorted(entry.name.partition(".")[0] for entry in bundled.iterdir())
    return " ".join([version("tree-sitter-language-pack"), *names])
