"""Entries from finds: who holds whom, ranges, overloads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from understudy.outline.finds import OUTER, Find, ordered
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, Entry, Extent
from understudy.outline.signatures import LONGEST_NAME, SHORT, folded

_STAYS_IN_FUNCTIONS = FUNCTIONS | TYPES
_STAYS_OUT = frozenset(("imports", "variable"))
_HELD_TOGETHER = FUNCTIONS | {"call", "prototype"}
_LONGEST_TRAIL = 4096
_LINE_ENDS = b"\r\n"
_MEMBERS = {"function": "method", "variable": "field"}
"""What a kind is called inside of a type."""

_Row = tuple[str, str, int, int, int, int, Extent | str, tuple[int, ...], int]
"""The fields of an entry to be, in their order."""

_Open = tuple[int, Find, int]
"""Where a find ends while its children are read, the find, and the innermost entry so far."""

_extent: Callable[[tuple[int, ...]], Extent] = partial(tuple.__new__, Extent)  # pyright: ignore[reportUnknownMemberType] - generic
_entry: Callable[[_Row], Entry] = partial(tuple.__new__, Entry)  # pyright: ignore[reportUnknownMemberType] - generic
"""Named tuples without the step through their constructor, which takes half of the time."""


def build(
    data: bytes, finds: Iterable[Find], language: Language, starts: Sequence[int]
) -> tuple[Entry, ...]:
    """All entries in the order of the text; names bound in a function's body are left out."""
    rows: list[_Row] = []
    variants: list[str] = []
    stack: list[_Open] = []
    used: set[Find] = set()
    n_imports = 0
    for find in ordered([f if f.clean else _tamed(data, f) for f in finds]):
        start, end, kind, _, _, _, variant, _ = find
        shares = is_wrapped = False
        limit, holder = len(data), -1
        while stack:
            limit, around, holder = stack[-1]
            if start < limit and (start != around[0] or not _is_twin(find, around)):
                is_wrapped = around[2] == OUTER
                break
            stack.pop()
            shares = limit > start
            limit, holder = len(data), -1
        if kind == OUTER:
            stack.append((end, find, holder))
            continue
        span = _wrapped(find, stack, used) if is_wrapped else (start, end)
        parent = rows[holder] if holder >= 0 else None
        if parent is not None and not _belongs(kind, variant, parent[0]):
            continue
        if kind == "imports" and parent is None:
            is_first = not rows or rows[-1][0] != "imports"
            n_imports = 1 if is_first else n_imports + 1
            if not is_first:
                rows[-1] = _more_imports(rows[-1], _line(starts, span[1] - 1), n_imports)
                continue
        row = _row(data, starts, find, span, language, holder, parent)
        if shares:  # `a, b = 1, 2`: the first of them shows the text
            row = (*row[:6], row[1], *row[7:])
        stack.append((end if end < limit else limit, find, len(rows)))
        rows.append(row)
        variants.append(variant)
    return tuple(map(_entry, _with_overloads(rows, variants)))


def _wrapped(find: Find, stack: Sequence[_Open], used: set[Find]) -> tuple[int, int]:
    """The span with the wrappers (decorators, `export`) around the find, the first in them."""
    first, last = find.start, find.end
    for _, around, _ in reversed(stack):
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


def _belongs(kind: str, variant: str, holder: str) -> bool:
    """Whether it is an entry inside such a holder: a function's locals and parameters are not."""
    if holder in TYPES:
        return kind != "imports"
    if holder in FUNCTIONS:
        return kind in _STAYS_IN_FUNCTIONS or variant == "parameter"
    return kind not in _STAYS_OUT


def _more_imports(run: _Row, last_line: int, n_imports: int) -> _Row:
    """The run of imports with one more right behind it."""
    return (*run[:4], last_line, run[5], f"imports ({n_imports})", *run[7:])


def _row(
    data: bytes,
    starts: Sequence[int],
    find: Find,
    span: tuple[int, int],
    language: Language,
    holder: int,
    parent: _Row | None,
) -> _Row:
    begin, finish, kind, found_name, name_at, body, _, _ = find
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
        around, _, _, top, bottom, depth, _, _, _ = parent
        depth += 1
        if start < top or end > bottom:  # two readings of broken text may overlap
            start = min(max(start, top), bottom)
            end = max(start, min(end, bottom))
            name_line = min(max(name_line, start), end)
        if around in TYPES and around != "module":
            kind = _MEMBERS.get(kind, kind)
    name = found_name[:LONGEST_NAME].decode("utf-8", "replace")
    if not name.isidentifier():
        name = folded(name)
    if kind == "imports":
        return (kind, name, start, start, end, 0, "imports (1)", (), holder)
    written = _extent((first, last, begin, finish, name_at, body))
    return (kind, name, name_line, start, end, depth, written, (), holder)


def _last_line(data: bytes, starts: Sequence[int], first: int, last: int) -> int:
    """The line where the span ends; of a short one without blank lines at its end."""
    if data[last - 1] in _LINE_ENDS and last - first < _LONGEST_TRAIL:
        last = first + len(data[first:last].rstrip())
    return bisect_right(starts, last - 1)


def _is_attribute(data: bytes, starts: Sequence[int], line: int, language: Language) -> bool:
    text = data[starts[line - 1] : starts[line]].strip()
    return text.startswith(language.attribute) and text.endswith(b"]")


def _with_overloads(rows: list[_Row], variants: list[str]) -> list[_Row]:
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
        kept[main] = tuple([rows[index][2] for index in inside])
        gone.update(dict.fromkeys(inside, main))
    return _renumbered(rows, kept, gone) if gone else rows


def _of_one_name(rows: Iterable[_Row]) -> Iterable[list[int]]:
    """The indexes of functions that have the same name and holder, where there are several."""
    first: dict[tuple[int, str], int] = {}
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row[0] in _HELD_TOGETHER:
            before = first.setdefault((row[8], row[1]), index)
            if before != index:
                groups.setdefault(before, [before]).append(index)
    return groups.values()


def _renumbered(
    rows: list[_Row], kept: dict[int, tuple[int, ...]], gone: dict[int, int]
) -> list[_Row]:
    place = [-1] * (len(rows) + 1)  # that of -1 is the last
    stay = [index for index in range(len(rows)) if index not in gone]
    for new, old in enumerate(stay):
        place[old] = new
    for old, main in gone.items():
        place[old] = place[main]
    result: list[_Row] = []
    for old in stay:
        kind, name, name_line, start, end, depth, written, _, holder = rows[old]
        inside = kept.get(old, ())
        result.append((kind, name, name_line, start, end, depth, written, inside, place[holder]))
    return result


def _line(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, max(at, 0))
