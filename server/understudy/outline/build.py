"""Entries from finds: who holds whom, ranges, overloads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from understudy.outline.finds import OUTER, Find, ordered
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, Entry, Extent
from understudy.outline.wording import LONGEST_NAME, SHORT, folded, line_end

_STAYS_IN_FUNCTIONS = FUNCTIONS | TYPES
_HELD_TOGETHER = FUNCTIONS | {"call", "prototype"}
_LONGEST_TRAIL = 4096
_LINE_ENDS = b"\r\n"
_MEMBERS = {"function": "method", "variable": "field"}
"""What a kind is called inside of a type."""


_Open = tuple[int, Find, int]
"""Where a find ends while its children are read, the find, and the innermost entry so far."""


def build(
    data: bytes, finds: Iterable[Find], language: Language, starts: Sequence[int]
) -> tuple[Entry, ...]:
    """All entries in the order of the text; names bound in a function's body are left out."""
    entries: list[Entry] = []
    variants: list[str] = []
    stack: list[_Open] = []
    used: set[Find] = set()
    for find in ordered([f if f.clean else _tamed(data, f) for f in finds]):
        start, end, kind = find[:3]
        shares = False
        limit, holder = len(data), -1
        while stack:
            limit, around, holder = stack[-1]
            if start < limit and (start != around[0] or not _is_twin(find, around)):
                break
            stack.pop()
            shares = limit > start
            limit, holder = len(data), -1
        if kind == OUTER:
            stack.append((end, find, holder))
            continue
        is_wrapped = stack and stack[-1][1].kind == OUTER
        first, last = _wrapped(find, stack, used) if is_wrapped else (start, end)
        parent = entries[holder] if holder >= 0 else None
        if parent is not None and not _belongs(find, parent.kind):
            continue
        if kind == "imports" and _joins_imports(entries, holder, _line(starts, last - 1)):
            continue
        entry = _entry(data, starts, find, (first, last), language, holder, parent)
        if shares:  # `a, b = 1, 2`: the first of them shows the text
            entry = entry._replace(written=entry.name)
        stack.append((min(end, limit), find, len(entries)))
        entries.append(entry)
        variants.append(find.variant)
    return fold_overloads(entries, variants)


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
    return find._replace(end=line_end(data, find.name_at, find.end))


def _is_twin(find: Find, other: Find) -> bool:
    """Whether both are names of one declaration."""
    same = find.start == other.start and find.end == other.end
    return same and OUTER not in (find.kind, other.kind)


def _belongs(find: Find, holder: str) -> bool:
    """Whether it is an entry inside such a holder: a function's locals and parameters are not."""
    if holder in FUNCTIONS:
        return find.kind in _STAYS_IN_FUNCTIONS or find.variant == "parameter"
    if holder in TYPES:
        return find.kind != "imports"
    return find.kind not in ("imports", "variable")


def _joins_imports(entries: list[Entry], holder: int, last_line: int) -> bool:
    """Put an import into the run of imports right before it."""
    if holder >= 0 or not entries or entries[-1].kind != "imports":
        return False
    run = entries[-1]
    n_before = int(str(run.written)[len("imports (") : -1])
    entries[-1] = run._replace(end=last_line, written=f"imports ({n_before + 1})")
    return True


def _entry(
    data: bytes,
    starts: Sequence[int],
    find: Find,
    span: tuple[int, int],
    language: Language,
    holder: int,
    parent: Entry | None,
) -> Entry:
    begin, finish, kind, found_name, name_at, body = find[:6]
    first, last = span
    start = bisect_right(starts, first)
    end = start if last <= first + 1 else bisect_right(starts, last - 1, start - 1)
    if end > start and data[last - 1] in _LINE_ENDS:
        is_short = last - first < _LONGEST_TRAIL
        end = _line(starts, len(data[:last].rstrip()) - 1) if is_short else end
    attribute = language.attribute
    while attribute and start > 1 and _is_attribute(data, starts, start - 1, language):
        start -= 1
    depth = 0
    if parent is not None:
        if start < parent.start or end > parent.end:  # two readings of broken text may overlap
            start = min(max(start, parent.start), parent.end)
            end = max(start, min(end, parent.end))
        depth = parent.depth + 1
        if parent.kind in TYPES and parent.kind != "module":
            kind = _MEMBERS.get(kind, kind)
    name = found_name[:LONGEST_NAME].decode("utf-8", "replace")
    if not name.isidentifier():
        name = folded(name)
    if kind == "imports":
        return Entry(kind, name, start, start, end, 0, "imports (1)", (), holder)
    name_line = start if start == end else min(max(_line(starts, name_at), start), end)
    written = Extent(first, last, begin, finish, name_at, body)
    return Entry(kind, name, name_line, start, end, depth, written, (), holder)


def _is_attribute(data: bytes, starts: Sequence[int], line: int, language: Language) -> bool:
    text = data[starts[line - 1] : starts[line]].strip()
    return text.startswith(language.attribute) and text.endswith(b"]")


def fold_overloads(entries: list[Entry], variants: list[str]) -> tuple[Entry, ...]:
    """Put the signatures of an overloaded function into its implementation, or the first one."""
    kept: dict[int, tuple[int, ...]] = {}
    gone: dict[int, int] = {}
    for members in _of_one_name(entries):
        signatures = [index for index in members if variants[index] == "signature"]
        bodies = [index for index in members if variants[index] != "signature"]
        if len(signatures) + len(bodies[:1]) < 2 or not signatures:
            continue
        main = bodies[0] if bodies else signatures[0]
        folded = [index for index in signatures if index != main]
        kept[main] = tuple(entries[index].name_line for index in folded)
        gone.update(dict.fromkeys(folded, main))
    return _renumbered(entries, kept, gone) if gone else tuple(entries)


def _of_one_name(entries: Iterable[Entry]) -> Iterable[list[int]]:
    """The indexes of functions that have the same name and holder, where there are several."""
    first: dict[tuple[int, str], int] = {}
    groups: dict[int, list[int]] = {}
    for index, entry in enumerate(entries):
        if entry.kind in _HELD_TOGETHER:
            before = first.setdefault((entry.parent, entry.name), index)
            if before != index:
                groups.setdefault(before, [before]).append(index)
    return groups.values()


def _renumbered(
    entries: list[Entry], kept: dict[int, tuple[int, ...]], gone: dict[int, int]
) -> tuple[Entry, ...]:
    place = [-1] * (len(entries) + 1)  # that of -1 is the last
    result: list[Entry] = []
    for index, entry in enumerate(entries):
        if index not in gone:
            place[index] = len(result)
            result.append(entry._replace(overloads=kept[index]) if index in kept else entry)
    for old, main in gone.items():
        place[old] = place[main]
    for index, entry in enumerate(result):
        parent = entry.parent
        if place[parent] != parent:
            result[index] = Entry(*entry[:-1], place[parent])
    return tuple(result)


def _line(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, max(at, 0))
