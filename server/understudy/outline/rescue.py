"""Reads a broken text piece by piece, and puts that together with what the whole parse found.

One bracket too few may hide the rest of a file from the parser. The regions around its errors are
cut where declarations begin, and each piece is parsed alone; pieces that are still broken are cut
again at the indent of their members. A piece without an error is believed over the whole parse,
elsewhere both are kept: pieces alone do worse where a cut falls into a function.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from understudy.outline.arms import one_arm_only
from understudy.outline.columns import guess
from understudy.outline.cuts import closing_end, cut_lines, inner_indent
from understudy.outline.finds import Find, Reading, Span, read
from understudy.outline.grammar import Grammar
from understudy.outline.languages import Language

_DEEPEST = 4
_FEWEST_LINES = 3
_HOLDER = re.compile(
    rb"\b(?:class|interface|struct|trait|impl|enum|record|object|protocol|extension|module|mod"
    rb"|namespace|extern|union|describe)\b"
)
_TYPE_HEADER = re.compile(
    rb"\b(?:class|interface|struct|trait|impl|enum|record|object|protocol|extension)\b"
)


@dataclass
class _Rescue:
    """The text being read, and what its pieces gave so far."""

    data: bytes
    starts: Sequence[int]
    language: Language
    grammar: Grammar
    finds: dict[tuple[int, bool], Find] = field(default_factory=dict[tuple[int, bool], Find])
    sound: list[Span] = field(default_factory=list[Span])
    broken: list[Span] = field(default_factory=list[Span])
    errors: list[Span] = field(default_factory=list[Span])


def rescue(
    data: bytes, starts: Sequence[int], language: Language, grammar: Grammar, whole: Reading
) -> Reading:
    """The finds of the whole parse and of the pieces together; `errors` are those that remain."""
    at = _Rescue(data, starts, language, grammar)
    for first, last in _regions(at, whole.units):
        _read_lines(at, first, last, 0, 0, in_type=False)
    finds = [_closed(at, f) for f in _united(at, whole.finds) if not _is_local(at, f)]
    return Reading(finds, sorted(at.errors), whole.units)


def _regions(at: _Rescue, units: Iterable[Span]) -> list[tuple[int, int]]:
    """Line ranges [first, last) that begin and end at cuts and hold the broken nodes."""
    n_lines = len(at.starts)
    every = cut_lines(at.data, at.starts, 0, n_lines, 0, at.language)
    edges = [0, *(line for line in every if line), n_lines]
    regions: list[tuple[int, int]] = []
    position = 0
    for start, end in sorted(units):
        first = bisect_right(at.starts, start) - 1
        last = bisect_right(at.starts, max(start, end - 1))
        while position + 1 < len(edges) and edges[position + 1] <= first:
            position += 1
        after = position
        while edges[after] < last:
            after += 1
        low, high = edges[position], edges[after]
        if regions and low <= regions[-1][1]:
            regions[-1] = (regions[-1][0], max(high, regions[-1][1]))
        else:
            regions.append((low, high))
    return regions


def _read_lines(
    at: _Rescue,
    first: int,
    last: int,
    indent: int,
    depth: int,
    *,
    in_type: bool,
    loose: bool = False,
) -> None:
    """Read the lines [first, last), each piece between cuts at the indent on its own."""
    cuts = cut_lines(at.data, at.starts, first, last, indent, at.language, loose=loose)
    edges = sorted({first, *cuts, last})
    for low, high in pairwise(edges):
        span = (at.starts[low], _end(at, high))
        if not at.data[span[0] : span[1]].strip():
            continue
        reading = _best(at, span, in_type=in_type)
        at.finds.update((find.key, find) for find in reading.finds if _is_new(at, find))
        if reading.sound:
            at.sound.append(span)
            continue
        at.broken.append(span)
        n_errors = len(at.errors)
        if _read_members(at, low, high, indent, depth):
            if len(at.errors) == n_errors:  # its members are sound, so what holds them is not
                at.errors += reading.errors
            continue
        finer = cut_lines(at.data, at.starts, low + 1, high, indent, at.language, loose=True)
        if finer and not loose:
            _read_lines(at, low, high, indent, depth, in_type=in_type, loose=True)
        else:
            at.errors += reading.errors
            for find in guess(at.data, span, at.language):
                at.finds.setdefault(find.key, find)


def _read_members(at: _Rescue, low: int, high: int, indent: int, depth: int) -> bool:
    """Cut a broken piece at its members' indent; False if there is nothing to cut."""
    if depth >= _DEEPEST or high - low < _FEWEST_LINES:
        return False
    inner = inner_indent(at.data, at.starts, low, high, indent)
    if inner < 0:
        return False
    cuts = cut_lines(at.data, at.starts, low + 1, high, inner, at.language)
    if len(cuts) < 2 and (not cuts or depth > 1):
        return False
    header = at.data[at.starts[low] : at.starts[cuts[0]]]
    if at.language.wrap is None and not _HOLDER.search(header):
        return False  # a function of C or Go: it holds no declarations
    span = (at.starts[low], _end(at, high))
    _read_header(at, span, header)
    in_type = _TYPE_HEADER.search(header) is not None
    _read_lines(at, cuts[0], high, inner, depth + 1, in_type=in_type)
    return True


def _read_header(at: _Rescue, span: Span, header: bytes) -> None:
    """Find the container that a piece begins with; its range is the piece's."""
    closed = header if at.language.indented else header.rstrip() + b"\n}\n"
    if at.language.indented:
        closed = header + b"\n" + b" " * 80 + b"pass\n"
    found = [f.moved(span[0]) for f in _parsed(at, closed).finds]
    found = [f for f in found if f.name_at < span[0] + len(header)]
    if not any(f.start == span[0] or f.clean for f in found):
        found += guess(at.data, (span[0], span[0] + len(header)), at.language)
    end = span[0] + len(at.data[span[0] : span[1]].rstrip())
    holder = min(found, key=lambda f: (f.start, -f.end), default=None)
    for find in found:
        reach = find.end if find is not holder else end
        at.finds[find.key] = find._replace(end=min(reach, end), clean=False)


def _best(at: _Rescue, span: Span, *, in_type: bool) -> Reading:
    """The reading of the span with the least that is not understood."""
    text = at.data[span[0] : span[1]]
    wrap = at.language.wrap
    ways: list[tuple[bytes, bytes]] = [(at.language.opening, b"")]
    if wrap is not None and in_type:
        ways = [wrap, *ways]
    elif wrap is not None and span[0]:
        ways = [*ways, wrap]
    best: Reading | None = None
    for before, after in ways:
        for body in _bodies(text, at.language):
            reading = _parsed(at, before + body + after)
            shift = span[0] - len(before)
            finds = [f.moved(shift) for f in reading.finds]
            finds = [_clipped(f, span) for f in finds if span[0] <= f.start < span[1]]
            errors = [_inside((a + shift, b + shift), span) for a, b in reading.errors]
            moved = Reading(finds, errors, [])
            if body is not text and best is not None:
                best = _either_arm(best, moved)
            elif best is None or _cost(moved) < _cost(best):
                best = moved
            if best.sound:
                return best
    assert best is not None
    return best


def _bodies(text: bytes, language: Language) -> Iterator[bytes]:
    """The text, and what is left of it when its conditionals are decided."""
    yield text
    if language.has_arms:
        yield from one_arm_only(text)


def _either_arm(best: Reading, arm: Reading) -> Reading:
    """Add what one arm of a conditional has; understood is the text if some arm alone was."""
    known = {find.key: find for find in best.finds}
    for find in arm.finds:
        if find.clean or find.key not in known:
            known[find.key] = find
    return Reading(list(known.values()), [] if arm.sound else best.errors, [])


def _parsed(at: _Rescue, text: bytes) -> Reading:
    return read(text, at.language, at.grammar)


def _united(at: _Rescue, whole: Iterable[Find]) -> Iterable[Find]:
    """Finds of both kinds of reading; where both have the same, the one without errors in it."""
    sound = _Spans(at.sound)
    kept = dict(at.finds)
    for find in whole:
        if find.key in kept:
            if find.clean and not kept[find.key].clean:
                kept[find.key] = find
        elif not sound.have(find.name_at):
            kept[find.key] = find
    return kept.values()


def _closed(at: _Rescue, find: Find) -> Find:
    """A cut inside its body may have ended it too soon."""
    if find.clean or at.data[find.body : find.body + 1] != b"{" or find.body < 0:
        return find
    return find._replace(end=max(find.end, closing_end(at.data, at.starts, find.start, find.end)))


def _is_local(at: _Rescue, find: Find) -> bool:
    """An indented variable of a flat language: its function was not understood."""
    if find.kind != "variable" or not at.language.is_flat:
        return False
    begin = at.starts[bisect_right(at.starts, find.start) - 1]
    return at.data[begin : begin + 1].isspace()


def _is_new(at: _Rescue, find: Find) -> bool:
    known = at.finds.get(find.key)
    return known is None or find.clean or not known.clean


def _cost(reading: Reading) -> tuple[int, int]:
    return sum(max(1, b - a) for a, b in reading.errors), -len(reading.finds)


def _clipped(find: Find, span: Span) -> Find:
    return find if find.end <= span[1] else find._replace(end=span[1])


def _inside(error: Span, span: Span) -> Span:
    start = min(max(error[0], span[0]), max(span[0], span[1] - 1))
    return start, max(start, min(error[1], span[1]))


def _end(at: _Rescue, line: int) -> int:
    return at.starts[line] if line < len(at.starts) else len(at.data)


class _Spans:
    """Whether a place is in one of many spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]

    def have(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return index >= 0 and at < self._spans[index][1]
