"""The steps of coarser detail, each a list of reductions that may be taken one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import NamedTuple

from understudy.outline.model import FUNCTIONS
from understudy.outline.show.lines_shown import Line, joined, names_left_out, private, total

_FEW, _SOME = 8, 16
_DEEPEST = 40
_N_AT_FIRST, _N_A_DEPTH = 4, 4
SMALL = frozenset(
    (
        *("call", "constant", "field", "imports", "index", "key", "macro", "member"),
        *("property", "prototype", "rule", "section", "variable"),
    )
)


class Reduction(NamedTuple):
    """Replaces `lines[first:last]` by `new`; `cut` counts the entries that lose something."""

    first: int
    last: int
    new: tuple[Line, ...]
    cut: int

    def saving(self, lines: Sequence[Line]) -> int:
        """How many bytes it saves."""
        before = sum([line.cost for line in lines[self.first : self.last]])
        return before - sum([line.cost for line in self.new])


class ReductionStep(NamedTuple):
    """One kind of reduction, if of lines of one depth only, that depth.

    `shrunk` gives a smaller reduction that saves at most so much less.
    """

    find: Callable[[Sequence[Line]], Iterator[Reduction]]
    shrunk: Callable[[Sequence[Line], Reduction, int], Reduction] | None = None
    depth: int | None = None


def steps(deepest: int) -> Iterator[ReductionStep]:
    """All steps in their order, for lines that are so deep.

    Short signatures without comments; no functions inside functions; small things joined on a
    line; private members by name only; then from the inside out: members by name, few and then
    all of a kind on a line, members counted, counted at what holds them.
    """
    yield ReductionStep(_shortened)
    yield ReductionStep(_inner_hidden)
    yield ReductionStep(_small_joined)
    yield ReductionStep(_private_joined)
    for depth in range(min(deepest, _DEEPEST), -1, -1):
        yield ReductionStep(partial(_joined, depth=depth, most=_FEW), depth=depth)
        yield ReductionStep(partial(_joined, depth=depth, most=0), _fewer_joined, depth)
        yield ReductionStep(partial(_unnamed, depth=depth), _some_named, depth)
        if depth:
            yield ReductionStep(partial(_folded, depth=depth))
    yield ReductionStep(_all_joined)


def n_steps_to_fold(depth: int, deepest: int) -> int:
    """How many steps it takes until nothing so deep or deeper has a line of its own."""
    return _N_AT_FIRST + _N_A_DEPTH * (min(deepest, _DEEPEST) - depth + 1)


def coarse(lines: Sequence[Line], depth: int, deepest: int) -> list[Line]:
    """Short lines after all steps until nothing so deep has one; none is deeper than `depth`.

    What is there may be joined already: it ends as a number at what holds it.
    """
    every = list(steps(deepest))
    result = list(lines)
    for step in (*every[1:_N_AT_FIRST], every[n_steps_to_fold(depth, deepest) - 1]):
        result = applied(result, step.find(result))
    return result


def applied(lines: Sequence[Line], reductions: Iterable[Reduction]) -> list[Line]:
    """The lines with these reductions, which are in order."""
    result: list[Line] = []
    position = 0
    for reduction in reductions:
        result += lines[position : reduction.first]
        result += reduction.new
        position = reduction.last
    result += lines[position:]
    return result


def _shortened(lines: Sequence[Line]) -> Iterator[Reduction]:
    for index, line in enumerate(lines):
        if line.detail.limit:
            continue  # it is short already
        new = line.shortened()
        if new.cost < line.cost:
            yield Reduction(index, index + 1, (new,), 1)


def _inner_hidden(lines: Sequence[Line]) -> Iterator[Reduction]:
    """Everything below a function goes into a number at the function."""
    depths = [line.depth for line in lines]
    last = 0
    for index, (here, below) in enumerate(pairwise(depths)):
        if below > here and index >= last and _is_function(lines[index]):
            last = index + 1
            while last < len(depths) and depths[last] > here:
                last += 1
            yield _into_holder(lines, index, last)


def _is_function(line: Line) -> bool:
    return line.n_names < 0 and line.entries[0].kind in FUNCTIONS


def _small_joined(lines: Sequence[Line]) -> Iterator[Reduction]:
    wanted = [
        index
        for index, line in enumerate(lines)
        if line.n_names < 0 and line.entries[0].kind in SMALL
    ]
    return _runs(lines, wanted, _SOME)


def _private_joined(lines: Sequence[Line]) -> Iterator[Reduction]:
    return _runs(lines, private(lines), _FEW)


def _joined(lines: Sequence[Line], depth: int, most: int) -> Iterator[Reduction]:
    wanted = [
        index
        for index, line in enumerate(lines)
        if line.depth == depth and (line.n_names < 0 or not most)
    ]
    return _runs(lines, wanted, most)


def _unnamed(lines: Sequence[Line], depth: int) -> Iterator[Reduction]:
    for index, line in enumerate(lines):
        if line.depth == depth and line.n_names > 0:
            yield Reduction(index, index + 1, (line.naming(0),), line.n_names)


def _fewer_joined(lines: Sequence[Line], reduction: Reduction, excess: int) -> Reduction:
    """The reduction of siblings to one run, of which the last stay as they are, as many as fit."""
    first, run = reduction.first, reduction.new[0]
    low, high = first + 2, reduction.last
    before = [0, *accumulate([line.cost for line in lines[first:high]])]
    names = run.names_cost()
    least = before[-1] - run.cost - excess
    best = 0
    while low < high:
        middle = (low + high) // 2
        bare = joined(lines[first:middle], 0)
        if before[middle - first] - bare.cost - names[len(bare.entries)] >= least:
            best = high = middle
        else:
            low = middle + 1
    if not best:
        return reduction
    new = joined(lines[first:best], names=run.names)
    return Reduction(first, best, (new,), len(new.entries))


def _some_named(lines: Sequence[Line], reduction: Reduction, excess: int) -> Reduction:
    """The reduction of a run to a number that keeps as many names as fit."""
    line = lines[reduction.first]
    names, n_entries = line.names_cost(), len(line.entries)
    low, high = 0, line.n_names
    while low < high:
        middle = (low + high + 1) // 2
        rest = names_left_out(n_entries - middle) if middle < n_entries else ""
        if names[middle] + len(rest.encode("utf-8")) <= excess:
            low = middle
        else:
            high = middle - 1
    return reduction._replace(new=(line.naming(low),), cut=line.n_names - low)


def _folded(lines: Sequence[Line], depth: int) -> Iterator[Reduction]:
    """Nothing is deeper by now than `depth`."""
    wanted = [index for index, line in enumerate(lines) if line.depth >= depth]
    position = 0
    while position < len(wanted):
        first = last = wanted[position]
        while position < len(wanted) and wanted[position] == last:
            position += 1
            last += 1
        if first and lines[first - 1].n_names < 0 and lines[first - 1].depth == depth - 1:
            yield _into_holder(lines, first - 1, last)


def _all_joined(lines: Sequence[Line]) -> Iterator[Reduction]:
    if lines:
        new = joined(lines, 0)
        yield Reduction(0, len(lines), (new,), len(new.entries))


def _into_holder(lines: Sequence[Line], index: int, last: int) -> Reduction:
    hidden = sum([below.n_entries for below in lines[index + 1 : last]])
    return Reduction(index, last, (lines[index].holding(hidden),), hidden)


def _runs(lines: Sequence[Line], wanted: Sequence[int], most: int) -> Iterator[Reduction]:
    """Neighbouring wanted siblings without shown children, at most so many (0: all) on a line."""
    first = last = depth = -1
    depths = [line.depth for line in lines]
    depths.append(-1)
    for index in wanted:
        here = depths[index]
        has_children = depths[index + 1] > here
        if has_children or index != last or here != depth:
            if last > first + 1:
                yield from _joining(lines, first, last, most)
            first, depth = index, here
        last = index if has_children else index + 1
    if last > first + 1:
        yield from _joining(lines, first, last, most)


def _joining(lines: Sequence[Line], begin: int, end: int, most: int) -> Iterator[Reduction]:
    """All of these on one line, or so many on each, where that saves anything."""
    size = most or end - begin
    for first in range(begin, end - 1, size):
        last = min(first + size, end)
        if last - first > 1:
            together = lines[first:last]
            new = joined(together)
            room = new.cost
            if sum([line.floor for line in together]) > room or total(together) > room:
                yield Reduction(first, last, (new,), len(new.entries))
