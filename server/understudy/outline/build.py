"""Entries from finds: who holds whom, ranges, overloads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from understudy.outline.finds import OUTER, Find, ordered
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, Extent, OutlineEntry
from understudy.outline.signatures import LONGEST_NAME, SHORT, folded

_STAYS_IN_FUNCTIONS = FUNCTIONS | TYPES
_STAYS_OUT = frozenset(("imports", "variable"))
_HELD_TOGETHER = FUNCTIONS | {"call", "prototype"}
_LONGEST_TRAIL = 4096
_LINE_ENDS = b"\r\n"
_MEMBERS = {"function": "method", "variable": "field"}
"""What a kind is called inside of a type."""


class _Open(NamedTuple):
    """A find whose children are being read: where it ends, and the innermost entry so far."""

    end: int
    find: Find
    holder: int


def build(
    data: bytes, finds: Iterable[Find], language: Language, starts: Sequence[int]
) -> tuple[OutlineEntry, ...]:
    """All entries in the order of the text; names bound in a function's body are left out."""
    rows: list[OutlineEntry] = []
    variants: list[str] = []
    stack: list[_Open] = []
    used: set[Find] = set()
    n_imports = 0
    for find in ordered([f if f.clean else _tamed(data, f) for f in finds]):
        shares = is_wrapped = False
        limit, holder = len(data), -1
        while stack:
            limit, around, holder = stack[-1]
            if find.start < limit and not _is_twin(find, around):
                is_wrapped = around.kind == OUTER
                break
            stack.pop()
            shares = limit > find.start
            limit, holder = len(data), -1
        if find.kind == OUTER:
            stack.append(_Open(find.end, find, holder))
            continue
        span = _wrapped(find, stack, used) if is_wrapped else (find.start, find.end)
        parent = rows[holder] if holder >= 0 else None
        if parent is not None and not _belongs(find, parent):
            continue
        if find.kind == "imports" and parent is None:
            is_first = not rows or rows[-1].kind != "imports"
            n_imports = 1 if is_first else n_imports + 1
            if not is_first:
                rows[-1] = _more_imports(rows[-1], _line(starts, span[1] - 1), n_imports)
                continue
        row = _row(data, starts, find, span, language, holder, parent)
        if shares:  # `a, b = 1, 2`: the first of them shows the text
            row = row._replace(written=row.name)
        stack.append(_Open(min(find.end, limit), find, len(rows)))
        rows.append(row)
        variants.append(find.variant)
    return tuple(_with_overloads(rows, variants))


def _wrapped(find: Find, stack: Sequence[_Open], used: set[Find]) -> tuple[int, int]:
    """The span with the wrappers (decorators, `export`) around the find, the first in them."""
    first, last = find.start, find.end
    for around in (one.find for one in reversed(stack)):
        if around.kind != OUTER or around in used:
            break
        used.add(around)
        first, last = min(first, around.start), max(last, around.end)
    return first, last


def _tamed(data: bytes, find: Find) -> Find:
    """A small thing that a syntax error has swollen ends with the line of its name."""
    if find.kind not in SHORT or find.kind in TYPES:
        return find
    line_end = data.find(b"\n", find.name_at, find.end)
    return find if line_end < 0 else find._replace(end=line_end)


def _is_twin(find: Find, other: Find) -> bool:
    """Whether both are names of one declaration."""
    same = find.start == other.start and find.end == other.end
    return same and OUTER not in (find.kind, other.kind)


def _belongs(find: Find, holder: OutlineEntry) -> bool:
    """Whether it is an entry inside such a holder: a function's locals and parameters are not."""
    if holder.kind in TYPES:
        return find.kind != "imports"
    if holder.kind in FUNCTIONS:
        return find.kind in _STAYS_IN_FUNCTIONS or find.variant == "parameter"
    return find.kind not in _STAYS_OUT


def _more_imports(run: OutlineEntry, last_line: int, n_imports: int) -> OutlineEntry:
    """The run of imports with one more right behind it."""
    return run._replace(end=last_line, written=f"imports ({n_imports})")


def _row(
    data: bytes,
    starts: Sequence[int],
    find: Find,
    span: tuple[int, int],
    language: Language,
    holder: int,
    parent: OutlineEntry | None,
) -> OutlineEntry:
    kind, name_at = find.kind, find.name_at
    first, last = span
    start = end = name_line = bisect_right(starts, first)
    next_line = starts[start] if start < len(starts) else last
    if last > next_line:
        end = _last_line(data, starts, first, last)
        if name_at >= next_line:
            name_line = min(bisect_right(starts, name_at), end)
    if language.attribute:
        while start > 1 and _is_attribute(data, starts, start - 1, language):
            start -= 1
    depth = 0
    if parent is not None:
        depth = parent.depth + 1
        if start < parent.start or end > parent.end:  # two readings of broken text may overlap
            start = min(max(start, parent.start), parent.end)
            end = max(start, min(end, parent.end))
            name_line = min(max(name_line, start), end)
        if parent.kind in TYPES and parent.kind != "module":
            kind = _MEMBERS.get(kind, kind)
    name = find.name[:LONGEST_NAME].decode("utf-8", "replace")
    if not name.isidentifier():
        name = folded(name)
    if kind == "imports":
        return OutlineEntry(kind, name, start, start, end, 0, "imports (1)", (), holder)
    written = Extent(first, last, find.start, find.end, name_at, find.body)
    return OutlineEntry(kind, name, name_line, start, end, depth, written, (), holder)


def _last_line(data: bytes, starts: Sequence[int], first: int, last: int) -> int:
    """The line where the span ends; of a short one without blank lines at its end."""
    if data[last - 1] in _LINE_ENDS and last - first < _LONGEST_TRAIL:
        last = first + len(data[first:last].rstrip())
    return bisect_right(starts, last - 1)


def _is_attribute(data: bytes, starts: Sequence[int], line: int, language: Language) -> bool:
    text = data[starts[line - 1] : starts[line]].strip()
    return text.startswith(language.attribute) and text.endswith(b"]")


def _with_overloads(rows: list[OutlineEntry], variants: list[str]) -> list[OutlineEntry]:
    """Put the signatures of an overloaded function into its implementation, or the first one."""
    if "signature" not in variants:
        return rows
    kept: dict[int, tuple[int, ...]] = {}
    gone: dict[int, int] = {}
    for members in _of_one_name(rows):
        signatures = [index for index in members if variants[index] == "signature"]
        bodies = [index for index in members if variants[index] != "signature"]
        if len(signatures) + len(bodies[:1]) < 2 or not signatures:
            continue
        main = bodies[0] if bodies else signatures[0]
        inside = [index for index in signatures if index != main]
        kept[main] = tuple(rows[index].name_line for index in inside)
        gone.update(dict.fromkeys(inside, main))
    return _renumbered(rows, kept, gone) if gone else rows


def _of_one_name(rows: Iterable[OutlineEntry]) -> Iterable[list[int]]:
    """The indexes of functions that have the same name and holder, where there are several."""
    first: dict[tuple[int, str], int] = {}
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row.kind in _HELD_TOGETHER:
            before = first.setdefault((row.parent, row.name), index)
            if before != index:
                groups.setdefault(before, [before]).append(index)
    return groups.values()


def _renumbered(
    rows: list[OutlineEntry], kept: dict[int, tuple[int, ...]], gone: dict[int, int]
) -> list[OutlineEntry]:
    place = [-1] * (len(rows) + 1)  # that of -1 is the last
    stay = [index for index in range(len(rows)) if index not in gone]
    for new, old in enumerate(stay):
        place[old] = new
    for old, main in gone.items():
        place[old] = place[main]
    return [
        rows[old]._replace(overloads=kept.get(old, ()), parent=place[rows[old].parent])
        for old in stay
    ]


def _line(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, max(at, 0))
