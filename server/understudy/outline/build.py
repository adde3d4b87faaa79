"""Entries from finds: who holds whom, ranges, overloads."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from understudy.outline.finds import OUTER, Find, ordered
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES, Entry, Extent
from understudy.outline.wording import LONGEST_NAME, SHORT, decoded, folded, line_end

_STAYS_IN_FUNCTIONS = FUNCTIONS | TYPES
_HELD_TOGETHER = FUNCTIONS | {"call", "prototype"}
_LONGEST_TRAIL = 4096
_LINE_ENDS = b"\r\n"
_MEMBERS = {"function": "method", "variable": "field"}
"""What a kind is called inside of a type."""


class _Open:
    """A find on the stack while its children are read; `holder` is the innermost entry so far."""

    __slots__ = ("end", "find", "holder", "is_used")

    def __init__(self, find: Find, end: int, holder: int) -> None:
        self.find, self.end, self.holder, self.is_used = find, end, holder, False


def build(
    data: bytes, finds: Iterable[Find], language: Language, starts: Sequence[int]
) -> tuple[Entry, ...]:
    """All entries in the order of the text; names bound in a function's body are left out."""
    entries: list[Entry] = []
    variants: list[str] = []
    stack: list[_Open] = []
    for find in ordered([f if f.clean else _tamed(data, f) for f in finds]):
        start, end, kind = find[:3]
        shares = False
        while stack and (start >= stack[-1].end or _is_twin(find, stack[-1].find)):
            shares = stack.pop().end > start
        holder = stack[-1].holder if stack else -1
        if kind == OUTER:
            stack.append(_Open(find, end, holder))
            continue
        first, last = _wrapped(find, stack) if stack else (start, end)
        parent = entries[holder] if holder >= 0 else None
        if parent is not None and not _belongs(find, parent.kind):
            continue
        if kind == "imports" and _joins_imports(entries, holder, _line(starts, last - 1)):
            continue
        entry = _entry(data, starts, find, (first, last), language, holder, parent)
        if shares:  # `a, b = 1, 2`: the first of them shows the text
            entry = entry._replace(written=entry.name)
        stack.append(_Open(find, min(end, stack[-1].end) if stack else end, len(entries)))
        entries.append(entry)
        variants.append(find.variant)
    return fold_overloads(entries, variants)


def _wrapped(find: Find, stack: Sequence[_Open]) -> tuple[int, int]:
    """The span with the wrappers (decorators, `export`) around the find, the first in them."""
    first, last = find.start, find.end
    for around in reversed(stack):
        if around.find.kind != OUTER or around.is_used:
            break
        around.is_used = True
        first, last = min(first, around.find.start), max(last, around.find.end)
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
    first, last = span
    start = _line(starts, first)
    end = start if last <= first + 1 else bisect_right(starts, last - 1)
    if end > start and data[last - 1] in _LINE_ENDS:
        is_short = last - first < _LONGEST_TRAIL
        end = _line(starts, len(data[:last].rstrip()) - 1) if is_short else end
    while language.attribute and start > 1 and _is_attribute(data, starts, start - 1, language):
        start -= 1
    kind = find.kind
    depth = 0
    if parent is not None:
        if start < parent.start or end > parent.end:  # two readings of broken text may overlap
            start = min(max(start, parent.start), parent.end)
            end = max(start, min(end, parent.end))
        depth = parent.depth + 1
        if parent.kind in TYPES and parent.kind != "module":
            kind = _MEMBERS.get(kind, kind)
    name = decoded(find.name[:LONGEST_NAME])
    if not name.isidentifier():
        name = folded(name)
    if kind == "imports":
        return Entry(kind, name, start, start, end, 0, "imports (1)", (), holder)
    name_line = start if start == end else min(max(_line(starts, find.name_at), start), end)
    written = Extent(first, last, find.start, find.end, find.name_at, find.body)
    return Entry(kind, name, name_line, start, end, depth, written, (), holder)


def _is_attribute(data: bytes, starts: Sequence[int], line: int, language: Language) -> bool:
    text = data[starts[line - 1] : starts[line]].strip()
    return text.startswith(language.attribute) and text.endswith(b"]")


def fold_overloads(entries: list[Entry], variants: list[str]) -> tuple[Entry, ...]:
    """Put the signatures of an overloaded function into its implementation, or the first one."""
    groups: dict[tuple[int, str], list[int]] = {}
    for index, entry in enumerate(entries):
        if entry.kind in _HELD_TOGETHER:
            groups.setdefault((entry.parent, entry.name), []).append(index)
    kept: dict[int, tuple[int, ...]] = {}
    gone: dict[int, int] = {}
    for members in groups.values():
        signatures = [index for index in members if variants[index] == "signature"]
        bodies = [index for index in members if variants[index] != "signature"]
        if len(signatures) + len(bodies[:1]) < 2 or not signatures:
            continue
        main = bodies[0] if bodies else signatures[0]
        folded = [index for index in signatures if index != main]
        kept[main] = tuple(entries[index].name_line for index in folded)
        gone.update(dict.fromkeys(folded, main))
    return _renumbered(entries, kept, gone) if gone else tuple(entries)


def _renumbered(
    entries: list[Entry], kept: dict[int, tuple[int, ...]], gone: dict[int, int]
) -> tuple[Entry, ...]:
    place: dict[int, int] = {-1: -1}
    result: list[Entry] = []
    for index, entry in enumerate(entries):
        if index not in gone:
            place[index] = len(result)
            result.append(entry._replace(overloads=kept[index]) if index in kept else entry)
    for old, main in gone.items():
        place[old] = place[main]
    return tuple(
        entry if place[entry.parent] == entry.parent else entry._replace(parent=place[entry.parent])
        for entry in result
    )


def _line(starts: Sequence[int], at: int) -> int:
    return bisect_right(starts, max(at, 0))
