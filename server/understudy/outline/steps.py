"""The steps of coarser detail, each a list of reductions that may be taken one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from understudy.outline.lines_shown import Detail, Line, plain, run, run_of
from understudy.outline.model import FUNCTIONS

SHORT_SIGNATURE = 100
"""Characters."""

_SHORT = Detail(SHORT_SIGNATURE)
_FEW, _SOME = 8, 16
_DEEPEST = 40
_SMALL = frozenset(
    (
        *("call", "constant", "field", "imports", "index", "key", "macro", "member"),
        *("property", "prototype", "rule", "section", "variable"),
    )
)


class Reduction(NamedTuple):
    """Replaces `lines[first:last]` by `new` and saves so many bytes; `cut` counts
    the entries that lose something."""

    first: int
    last: int
    new: tuple[Line, ...]
    saving: int
    cut: int


class Step(NamedTuple):
    """One kind of reduction; `shrunk` gives a smaller one that saves at most so much less."""

    find: Callable[[Sequence[Line]], Iterator[Reduction]]
    shrunk: Callable[[Sequence[Line], Reduction, int], Reduction] | None = None


def steps(deepest: int) -> Iterator[Step]:
    """All steps in their order, for lines that are so deep.

    Short signatures without comments; no functions inside functions; small things joined on a
    line; private members by name only; then from the inside out: members by name, few and then
    all of a kind on a line, members counted, counted at what holds them.
    """
    yield Step(_shortened)
    yield Step(_inner_hidden)
    yield Step(partial(_runs, wanted=_is_small, most=_SOME))
    yield Step(partial(_runs, wanted=_is_private, most=_FEW))
    for depth in range(min(deepest, _DEEPEST), -1, -1):
        yield Step(partial(_joined, depth=depth, most=_FEW))
        yield Step(partial(_joined, depth=depth, most=0), _fewer_joined)
        yield Step(partial(_unnamed, depth=depth), _some_named)
        if depth:
            yield Step(partial(_folded, depth=depth))
    yield Step(_all_joined)


def _replacing(
    lines: Sequence[Line], first: int, last: int, new: tuple[Line, ...], cut: int
) -> Reduction:
    before = sum(line.cost for line in lines[first:last])
    return Reduction(first, last, new, before - sum(line.cost for line in new), cut)


def _shortened(lines: Sequence[Line]) -> Iterator[Reduction]:
    for index, line in enumerate(lines):
        if line.is_run or line.detail == _SHORT:
            continue
        entry = line.entries[0]
        new = plain(entry, _SHORT, line.inner)
        if new.cost < line.cost:
            yield _replacing(lines, index, index + 1, (new,), 1)


def _inner_hidden(lines: Sequence[Line]) -> Iterator[Reduction]:
    """Everything below a function goes into a number at the function."""
    index = 0
    ends = _ends(lines)
    while index < len(lines):
        line = lines[index]
        last = ends[index]
        if last > index + 1 and not line.is_run and line.entries[0].kind in FUNCTIONS:
            yield _into_holder(lines, index, last)
            index = last
        else:
            index += 1


def _is_small(line: Line) -> bool:
    return line.entries[0].kind in _SMALL


def _is_private(line: Line) -> bool:
    entry = line.entries[0]
    name = entry.name
    dunder = name.startswith("__") and name.endswith("__")
    hidden = name.startswith(("_", "#")) and not dunder
    return hidden or entry.signature.startswith("private ")


def _joined(lines: Sequence[Line], depth: int, most: int) -> Iterator[Reduction]:
    yield from _runs(lines, lambda line: line.depth == depth, most, runs_too=not most)


def _unnamed(lines: Sequence[Line], depth: int) -> Iterator[Reduction]:
    for index, line in enumerate(lines):
        if line.depth == depth and line.is_run and line.n_names:
            new = run_of(line.entries, line.inner, 0)
            yield _replacing(lines, index, index + 1, (new,), line.n_names)


def _fewer_joined(lines: Sequence[Line], reduction: Reduction, excess: int) -> Reduction:
    """The reduction of siblings to one run, of which the last stay as they are, as many as fit."""
    first = reduction.first
    low, high = first + 2, reduction.last
    best = reduction
    while low < high:
        middle = (low + high) // 2
        new = run(lines[first:middle])
        smaller = _replacing(lines, first, middle, (new,), len(new.entries))
        if reduction.saving - smaller.saving <= excess:
            best, high = smaller, middle
        else:
            low = middle + 1
    return best


def _some_named(lines: Sequence[Line], reduction: Reduction, excess: int) -> Reduction:
    """The reduction of a run to a number that keeps as many names as fit."""
    line = lines[reduction.first]
    bare = reduction.new[0]
    low, high = 0, line.n_names
    while low < high:
        middle = (low + high + 1) // 2
        new = run_of(line.entries, line.inner, middle)
        if new.cost - bare.cost <= excess:
            low = middle
        else:
            high = middle - 1
    new = run_of(line.entries, line.inner, low)
    saving = reduction.saving - (new.cost - bare.cost)
    return reduction._replace(new=(new,), saving=saving, cut=line.n_names - low)


def _folded(lines: Sequence[Line], depth: int) -> Iterator[Reduction]:
    index = 0
    ends = _ends(lines)
    while index < len(lines):
        last = ends[index]
        if lines[index].depth == depth - 1 and last > index + 1 and not lines[index].is_run:
            yield _into_holder(lines, index, last)
            index = last
        else:
            index += 1


def _all_joined(lines: Sequence[Line]) -> Iterator[Reduction]:
    if lines:
        entries = tuple(entry for line in lines for entry in line.entries)
        inner = sum(line.inner for line in lines)
        new = run_of(entries, inner, 0)
        yield _replacing(lines, 0, len(lines), (new,), len(entries))


def _into_holder(lines: Sequence[Line], index: int, last: int) -> Reduction:
    line = lines[index]
    hidden = sum(below.n_entries for below in lines[index + 1 : last])
    new = plain(line.entries[0], line.detail, line.inner + hidden)
    return _replacing(lines, index, last, (new,), hidden)


def _ends(lines: Sequence[Line]) -> list[int]:
    """For each line the index after the last one that is deeper than it and right below it."""
    ends = [len(lines)] * len(lines)
    waiting: list[int] = []
    for index, line in enumerate(lines):
        while waiting and lines[waiting[-1]].depth >= line.depth:
            ends[waiting.pop()] = index
        waiting.append(index)
    return ends


def _runs(
    lines: Sequence[Line], wanted: Callable[[Line], bool], most: int, *, runs_too: bool = False
) -> Iterator[Reduction]:
    """Neighbouring wanted siblings without shown children, at most so many (0: all) on a line."""

    def key(index: int) -> tuple[bool, int]:
        line = lines[index]
        has_children = index + 1 < len(lines) and lines[index + 1].depth > line.depth
        fits = (runs_too or not line.is_run) and not has_children and wanted(line)
        return fits, line.depth

    for (fits, _), group in groupby(range(len(lines)), key):
        indexes = list(group) if fits else []
        size = most or len(indexes) or 1
        for low in range(0, len(indexes), size):
            first, last = indexes[low], indexes[min(low + size, len(indexes)) - 1] + 1
            if last - first > 1:
                new = run(lines[first:last])
                reduction = _replacing(lines, first, last, (new,), len(new.entries))
                if reduction.saving > 0:
                    yield reduction
