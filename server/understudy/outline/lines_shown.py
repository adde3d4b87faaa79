"""The lines an outline is shown as, and the text of each at a given detail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from understudy.outline.model import FUNCTIONS, Entry

ELLIPSIS = "…"
_DEEPEST_INDENT = 16
_MOST_OVERLOAD_LINES = 5
_PLURAL = {
    "class": "classes", "property": "properties", "index": "index signatures",
    "call": "call signatures", "imports": "imports", "trait": "traits",
}  # fmt: skip


class Detail(NamedTuple):
    """How much of an entry its own line shows: a cut of its signature (0: none), its comment."""

    limit: int = 0
    doc: bool = False


class Line(NamedTuple):
    """One line: an entry by itself, or a run of siblings with their names.

    `inner` counts the entries that are folded into it. `n_names` of a run's names are shown.
    `cost` is in bytes with the line end.
    """

    entries: tuple[Entry, ...]
    depth: int
    text: str
    cost: int
    inner: int = 0
    is_run: bool = False
    n_names: int = 0
    detail: Detail = Detail()

    @property
    def n_entries(self) -> int:
        """How many entries it stands for."""
        return len(self.entries) + self.inner


def plain(entry: Entry, detail: Detail, inner: int = 0) -> Line:
    """An entry's own line."""
    signature = entry.signature
    if detail.limit and len(signature) > detail.limit:
        signature = signature[: detail.limit - 1].rstrip() + ELLIPSIS
    text = f"{indent(entry.depth)}{place(entry.start, entry.end)}: {signature}"
    if entry.overloads:
        text += f" {_overloads(entry.overloads)}"
    if inner:
        text += f" (+{inner} inside)"
    if entry.doc and detail.doc:
        text += f"  # {entry.doc}"
    return Line((entry,), entry.depth, text, _size(text), inner, detail=detail)


def run(lines: Sequence[Line], n_names: int | None = None) -> Line:
    """Siblings on one line: what they are, and the names of the first so many of them."""
    entries = tuple(entry for line in lines for entry in line.entries)
    inner = sum(line.inner for line in lines)
    return run_of(entries, inner, len(entries) if n_names is None else n_names)


def run_of(entries: tuple[Entry, ...], inner: int, n_names: int) -> Line:
    """The line of a run; fewer names than entries are followed by the number left out."""
    depth = entries[0].depth
    start, end = entries[0].start, max(entry.end for entry in entries)
    text = f"{indent(depth)}{place(start, end)}: {counted(entries)}"
    if inner:
        text += f" (+{inner} inside)"
    if n_names:
        text += ": " + ", ".join(_named(entry) for entry in entries[:n_names])
        if n_names < len(entries):
            text += f", {ELLIPSIS} {len(entries) - n_names} more"
    return Line(entries, depth, text, _size(text), inner, is_run=True, n_names=n_names)


def counted(entries: Sequence[Entry]) -> str:
    """`24 fields, 1 method`, the most frequent first."""
    kinds = Counter(entry.kind for entry in entries)
    ranked = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{n} {kind}" if n == 1 else f"{n} {_PLURAL.get(kind, kind + 's')}" for kind, n in ranked
    )


def place(start: int, end: int) -> str:
    """`12` or `12-40`."""
    return str(start) if start == end else f"{start}-{end}"


def indent(depth: int) -> str:
    """One space a level, as deep as it helps."""
    return " " * min(depth, _DEEPEST_INDENT)


def _named(entry: Entry) -> str:
    name = entry.name if len(entry.name) <= 60 else entry.name[:59] + ELLIPSIS
    return f"{name} {entry.name_line}" if entry.kind in FUNCTIONS else name


def _overloads(lines: Sequence[int]) -> str:
    n = len(lines)
    word = "overload" if n == 1 else "overloads"
    if n > _MOST_OVERLOAD_LINES:
        return f"(+{n} {word})"
    return f"(+{n} {word} {', '.join(map(str, lines))})"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 1
