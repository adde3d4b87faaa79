"""What an outline is: entries in the order of the file, and how far the file was understood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Literal, NamedTuple, Protocol

from understudy.values.frozen import frozen

Method = Literal["tree", "pieces", "tags", "kinds", "columns", "headings"]
"""How the entries were found: one parse of the whole; also pieces of it, where the whole has
syntax errors; the grammar package's own tags; what the grammar calls its nodes; words and
indents of lines; headings."""

LineRange = tuple[int, int]
"""First and last line, 1-based, inclusive."""

TYPES = frozenset(
    ("class", "enum", "extension", "impl", "interface", "module", "struct", "trait", "type")
)
"""Kinds of entries that hold others as members."""

FUNCTIONS = frozenset(("accessor", "constructor", "function", "method"))
"""Kinds of entries with parameters and a body."""

CALLABLE_SIGNATURES = frozenset(("call", "index"))

OUTLINED = frozenset(("heading", "key", "rule", "section", "target"))
"""Kinds of entries of texts that are no programs; they may hold others, too."""

KINDS = (
    TYPES
    | FUNCTIONS
    | CALLABLE_SIGNATURES
    | OUTLINED
    | {"constant", "field", "imports", "macro", "member", "property", "prototype", "variable"}
)
"""Every word that `OutlineEntry.kind` may be, and every capture of a query that makes an entry."""


class Extent(NamedTuple):
    """Where a declaration is written, in bytes of the text as UTF-8.

    `first` and `last` are with decorators, annotations and `export`, `start` and `end` without.
    `body` is where the signature ends, -1 for at the end.
    """

    first: int
    last: int
    start: int
    end: int
    name_at: int
    body: int


class OutlineEntry(NamedTuple):
    """One declaration, or a run of imports.

    Lines are 1-based and inclusive, decorators, annotations and `export` included. `written` is
    where its text is, or the text itself where that is not in the file. `overloads` are the name
    lines of signatures folded into this one. `parent` is an index into the entries, -1 at the top.
    """

    kind: str
    name: str
    name_line: int
    start: int
    end: int
    depth: int
    written: Extent | str
    overloads: tuple[int, ...]
    parent: int


class Wording(Protocol):
    """The text behind the entries: most are never shown, so it is read when it is asked for."""

    def signature(self, entry: OutlineEntry) -> str:
        """The declaration on one line without its body."""
        ...

    def signatures(self, entries: Sequence[OutlineEntry]) -> list[str]:
        """Those of many entries."""
        ...

    def doc(self, entry: OutlineEntry) -> str:
        """The first line of its comment or docstring, "" if it has none."""
        ...

    def has_doc(self, entry: OutlineEntry) -> bool:
        """Whether it has one."""
        ...

    def n_documented(self, entries: Iterable[OutlineEntry]) -> int:
        """How many of them have one."""
        ...

    def least(self, entry: OutlineEntry) -> int:
        """Bytes that the signature surely has, cut to 100 characters or not."""
        ...

    def may_be_private(self, entry: OutlineEntry) -> bool:
        """Whether the signature may begin with that word."""
        ...


@frozen
class Outline:
    """The entries of one text in the order of the file, each parent before its children.

    `partial` lists the lines that no reading of the file understood; entries there may be missing.
    `n_left_out` counts the declarations that are too many, the innermost ones. `notes` says what
    else a reader must know, e.g. that a pattern of a query was dropped.
    """

    language: str
    digest: str
    n_lines: int
    n_bytes: int
    entries: tuple[OutlineEntry, ...]
    wording: Wording = field(compare=False, repr=False)
    method: Method = "tree"
    partial: tuple[LineRange, ...] = ()
    notes: tuple[str, ...] = ()
    n_left_out: int = 0

    @property
    def complete(self) -> bool:
        """Whether no declaration can be missing."""
        is_all = not self.partial and not self.n_left_out
        return is_all and self.method in ("tree", "pieces", "headings")
