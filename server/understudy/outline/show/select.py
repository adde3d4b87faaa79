"""A part of an outline: one symbol with what it holds, or what touches a range of lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from understudy.outline.model import LineRange, Outline, OutlineEntry
from understudy.values.errors import BadInput

_SEPARATOR = re.compile(r"::|[.#/]|->")
_MOST_NAMES = 20_000


def by_symbol(outline: Outline, symbol: str) -> Outline:
    """The entries that a name or dotted path (`Class.method`) means, all they hold, and holders.

    The path may leave out outer names. Raises BadInput `no-symbol`, with names that are alike.
    """
    path = tuple(part for part in _SEPARATOR.split(symbol.strip()) if part)
    entries = outline.entries
    found = {i for i in range(len(entries)) if path and _means(entries, i, path)}
    if not found and len(path) > 1:  # receivers and owners that stand in the signature only
        found = {i for i, entry in enumerate(entries) if _is_owned(outline, entry, path)}
    if not found:
        names = dict.fromkeys(entry.name for entry in entries[:_MOST_NAMES])
        alike = get_close_matches(path[-1] if path else symbol, names, n=5, cutoff=0.6)
        hint = f"; there is: {', '.join(alike)}" if alike else ""
        raise BadInput("no-symbol", f"the outline has no {symbol!r}{hint}")
    return _part(outline, _with_children(entries, found))


def by_lines(outline: Outline, lines: LineRange) -> Outline:
    """The entries that touch the lines, with their holders; BadInput `no-lines` off the file."""
    first, last = lines
    if not 1 <= first <= last or first > max(outline.n_lines, 1):
        raise BadInput("no-lines", f"lines {first}-{last} of a file of {outline.n_lines}")
    return _part(outline, _touching(outline.entries, lambda e: e.start <= last and e.end >= first))


def _means(entries: Sequence[OutlineEntry], index: int, path: Sequence[str]) -> bool:
    """Whether the path is the end of the entry's names from the outside in."""
    wanted = list(path)
    while wanted and index >= 0:
        own = [part for part in _SEPARATOR.split(entries[index].name) if part]
        size = min(len(own), len(wanted))
        if not size or own[-size:] != wanted[-size:]:
            return False
        del wanted[-size:]
        index = entries[index].parent
    return not wanted


def _is_owned(outline: Outline, entry: OutlineEntry, path: Sequence[str]) -> bool:
    if entry.name != path[-1]:
        return False
    before = outline.wording.signature(entry).partition(entry.name)[0]
    return path[-2] in re.split(r"\W+", before)


def _with_children(entries: Sequence[OutlineEntry], found: set[int]) -> set[int]:
    kept = set(found)
    for index, entry in enumerate(entries):
        if entry.parent in kept:
            kept.add(index)
    return kept


def _touching(entries: Sequence[OutlineEntry], wanted: Callable[[OutlineEntry], bool]) -> set[int]:
    return {index for index, entry in enumerate(entries) if wanted(entry)}


def _part(outline: Outline, kept: Iterable[int]) -> Outline:
    """The outline with these entries and all that hold them."""
    entries = outline.entries
    wanted = set(kept)
    for index in list(wanted):
        holder = entries[index].parent
        while holder >= 0 and holder not in wanted:
            wanted.add(holder)
            holder = entries[holder].parent
    place = {-1: -1}
    part: list[OutlineEntry] = []
    for index in sorted(wanted):
        place[index] = len(part)
        part.append(entries[index]._replace(parent=place[entries[index].parent]))
    return replace(outline, entries=tuple(part))
