"""Grammars with their compiled queries for outlines, loaded once a process."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from understudy.outline.generic import made_query
from understudy.outline.languages import LANGUAGES, Language
from understudy.syntax.grammars import language_of
from understudy.values.frozen import frozen

if TYPE_CHECKING:
    import tree_sitter

_PATTERN_GAP = re.compile(r"\n\s*\n(?=[(\[])")


Origin = Literal["ours", "tags", "kinds"]
"""Whose a query is: ours, the grammar's own wheel's, or made from the names of its nodes."""


@frozen
class Grammar:
    """A loaded grammar with its query; `dropped` are the patterns that do not fit the grammar."""

    language: tree_sitter.Language
    query: tree_sitter.Query
    dropped: tuple[str, ...]
    origin: Origin


@cache
def load(name: str) -> Grammar | None:
    """The grammar and query of a language; None without a grammar, or if none can be made."""
    ours = LANGUAGES.get(name)
    found = language_of(name if ours is None else ours.grammar)
    if found is None:
        return None
    origin: Origin = "ours"
    source = "" if ours is None else _queries(ours)
    if ours is None:
        source = _tags(name)
        origin = "tags" if source.strip() else "kinds"
        source = source if source.strip() else made_query(found)
    if not source.strip():
        return None
    query, dropped = compile_patterns(found, source)
    return None if query is None else Grammar(found, query, dropped, origin)


def compile_patterns(
    language: tree_sitter.Language, source: str
) -> tuple[tree_sitter.Query | None, tuple[str, ...]]:
    """A query of all patterns that fit the grammar, and the first lines of those that do not."""
    from tree_sitter import Query, QueryError  # noqa: PLC0415 - a compiled wheel

    try:
        return Query(language, source), ()
    except QueryError:
        pass
    fitting: list[str] = []
    dropped: list[str] = []
    for pattern in _PATTERN_GAP.split(source):
        try:
            Query(language, pattern)
        except QueryError:
            lines = (line for line in pattern.splitlines() if line and line[0] != ";")
            dropped.append(next(lines, "").strip())
        else:
            fitting.append(pattern)
    return (Query(language, "\n\n".join(fitting)) if fitting else None), tuple(dropped)


def _queries(language: Language) -> str:
    folder = files("understudy.outline") / "queries"
    return "\n\n".join((folder / f"{name}.scm").read_text("utf-8") for name in language.queries)


def _tags(name: str) -> str:
    """The `tags.scm` of the grammar's own wheel, where one is installed beside the bundle."""
    try:
        return (files(f"tree_sitter_{name}") / "queries" / "tags.scm").read_text("utf-8")
    except (ModuleNotFoundError, FileNotFoundError, NotADirectoryError):
        return ""
