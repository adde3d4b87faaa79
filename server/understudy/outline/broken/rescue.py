"""Reads a broken text piece by piece, and puts that together with what the whole parse found.

One bracket too few may hide the rest of a file. The regions around errors are cut where
declarations begin, then at the indent of their members, and each piece is parsed alone. One without
an error is believed over the whole parse, elsewhere both are kept: a cut may fall into a function.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from understudy.outline.broken import cuts
from understudy.outline.broken.arms import one_arm_only
from understudy.outline.broken.bodies import SoundBodies, closes
from understudy.outline.broken.bridged import Bridged, read_bridged
from understudy.outline.broken.columns import guess
from understudy.outline.broken.seen import seen_text
from understudy.outline.finds import Find, Source, TextReading, broken, finds_of, parse
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, TYPES
from understudy.outline.spans import Span, Spans, without

Lines = tuple[int, int]
"""First line and the line after the last, from 0."""

_DEEPEST = 4
_FEWEST_LINES = 3
_BIG = 8000
"""Bytes; a bigger piece is cut, if it can be, before it is read in other ways."""

_HOLDER = re.compile(
    rb"\b(?:class|interface|struct|trait|impl|enum|record|object|protocol|extension|module|mod"
    rb"|namespace|extern|union|describe)\b"
)
_STATEMENT = re.compile(rb"(?:[ \t]*#[^\n]*\n|\s)*(?:if|elif|else|case|for|while|until)\b")
_TYPE_HEADER = re.compile(
    rb"\b(?:class|interface|struct|trait|impl|enum|record|object|protocol|extension)\b"
)


@dataclass
class _Rescue:
    """The text being read, and what its pieces gave so far."""

    source: Source
    seen: bytes = b""
    finds: dict[tuple[int, bool], Find] = field(default_factory=dict[tuple[int, bool], Find])
    sound: list[Span] = field(default_factory=list[Span])
    errors: list[Span] = field(default_factory=list[Span])

    def span(self, first: int, last: int) -> Span:
        """The bytes of the lines [first, last)."""
        return self.starts[first], _end(self, last)

    @property
    def data(self) -> bytes:
        """The text."""
        return self.source.data

    @property
    def starts(self) -> Sequence[int]:
        """Where its lines begin."""
        return self.source.starts

    @property
    def language(self) -> Language:
        """Its language."""
        return self.source.language


def rescue(source: Source, whole: TextReading) -> TextReading:
    """The finds of the whole parse and of the pieces together; `errors` are those that remain."""
    at = _Rescue(source)
    bodies = SoundBodies(source, whole.finds)
    readings = [(whole, bodies)]
    regions = _doubted(at, whole, bodies)
    hidden: list[Span] = []
    text, spans = source.data, list[Span]()
    at.errors += (error for error in whole.errors if bodies.excuse(error))
    if regions and source.language.rare_gaps:
        spans = [at.span(*lines) for lines in regions]
        bridged = read_bridged(source, spans)
        again, text = bridged.reading, bridged.text
        bodies = SoundBodies(source, again.finds)
        readings.insert(0, (again, bodies))
        regions = _doubted(at, again, bodies)
        _take_again(at, spans, regions, again, bodies)
        _keep_first(at, spans, whole.finds, bridged)
        hidden = [span for span in bridged.hidden if not bodies.excuse(span)]
    if regions:
        at.seen = seen_text(source, [at.span(*lines) for lines in regions], text, spans)
    for first, last in regions:
        _read_lines(at, first, last, 0, 0, in_type=False)
    for reading, bodies in readings:
        _unite(at, reading.finds, bodies)
    finds = [_closed(at, find) for find in at.finds.values() if not _is_local(at, find)]
    return TextReading(finds, sorted({*at.errors, *hidden}), whole.units)


def _take_again(
    at: _Rescue,
    spans: Sequence[Span],
    left: Iterable[Lines],
    again: TextReading,
    bodies: SoundBodies,
) -> None:
    """Keep what the second look understood of these spans: all but the lines that are left."""
    looked, doubted = Spans(spans), [at.span(*lines) for lines in left]
    at.errors = [error for error in at.errors if not looked.have(error[0])]
    at.errors += (error for error in again.errors if bodies.excuse(error))
    at.sound += without(spans, doubted)
    unsure = Spans(doubted)
    finds = (find for find in again.finds if not unsure.have(find.name_at))
    at.finds.update((find.key, find) for find in finds if not _is_made_up(find, bodies))


def _keep_first(
    at: _Rescue, spans: Sequence[Span], finds: Iterable[Find], bridged: Bridged
) -> None:
    """Keep what the whole parse had understood of these spans, but for names of macros."""
    looked = Spans(spans)
    again = bridged.reading.finds
    inner = Spans(
        (find.body, find.end) for find in again if find.kind in FUNCTIONS and find.body >= 0
    )
    for find in finds:
        if not find.clean or find.key in at.finds or not looked.have(find.name_at):
            continue
        if bridged.has(find) and not inner.have(find.name_at):
            at.finds[find.key] = find


def _doubted(at: _Rescue, reading: TextReading, bodies: SoundBodies) -> list[Lines]:
    """The regions with errors that may hide something."""
    doubted = [error for error in reading.errors if not bodies.excuse(error)]
    return _regions(at, _holding(reading.units, doubted))


def _holding(units: Sequence[Span], errors: Sequence[Span]) -> Iterator[Span]:
    """The broken nodes that have one of these errors in them."""
    starts = [start for start, _ in errors]
    for unit in units:
        index = bisect_left(starts, unit[0])
        if index < len(starts) and starts[index] <= unit[1]:
            yield unit


def _is_made_up(find: Find, bodies: SoundBodies) -> bool:
    """Whether it seems to be a function in the body of another: a macro's arguments may."""
    return not find.clean and find.kind in FUNCTIONS and bodies.have(find.start - 1)


def _regions(at: _Rescue, units: Iterable[Span]) -> list[Lines]:
    """Line ranges [first, last) that begin and end at cuts and hold the broken nodes."""
    regions: list[Lines] = []
    reached = 0
    for start, end in sorted(units):
        first = bisect_right(at.starts, start) - 1
        last = bisect_right(at.starts, max(start, end - 1))
        low = (
            cuts.cut_before(at.data, at.starts, first, reached, at.language)
            if first > reached
            else reached
        )
        reached = (
            cuts.cut_behind(at.data, at.starts, last, at.language) if last > reached else reached
        )
        if regions and low <= regions[-1][1]:
            regions[-1] = (regions[-1][0], reached)
        else:
            regions.append((low, reached))
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
    places = cuts.cut_lines(at.data, at.starts, first, last, indent, at.language, loose=loose)
    edges = sorted({first, *places, last})
    for low, high in pairwise(edges):
        span = (at.starts[low], _end(at, high))
        if not at.seen[span[0] : span[1]].strip():
            continue
        is_big = span[1] - span[0] > _BIG
        first_try = _Piece(at, span, _ways(at, span, in_type=in_type)[0])
        reading = first_try.reading if is_big else _best(at, span, first_try, in_type=in_type)
        if _take(at, span, reading):
            continue
        n_errors = len(at.errors)
        if _read_members(at, low, high, indent, depth):
            if len(at.errors) == n_errors:  # its members are sound, so what holds them is not
                at.errors += reading.errors
            continue
        if is_big:
            reading = _best(at, span, first_try, in_type=in_type)
            if _take(at, span, reading):
                continue
        finer = cuts.cut_lines(at.data, at.starts, low + 1, high, indent, at.language, loose=True)
        if finer and not loose:
            _read_lines(at, low, high, indent, depth, in_type=in_type, loose=True)
        else:
            at.errors += reading.errors
            for find in guess(at.data, span, at.language):
                at.finds.setdefault(find.key, find)


def _take(at: _Rescue, span: Span, reading: TextReading) -> bool:
    """Keep what was found in a piece; whether nothing in it needs another look."""
    bodies = SoundBodies(at.source, reading.finds)
    finds = (find for find in reading.finds if not _is_made_up(find, bodies))
    at.finds.update((find.key, find) for find in finds if _is_new(at, find))
    if not all(bodies.excuse(error) for error in reading.errors):
        return False
    at.sound.append(span)
    at.errors += reading.errors
    return True


def _read_members(at: _Rescue, low: int, high: int, indent: int, depth: int) -> bool:
    """Cut a broken piece at its members' indent; False if there is nothing to cut."""
    if depth >= _DEEPEST or high - low < _FEWEST_LINES:
        return False
    inner = cuts.inner_indent(at.data, at.starts, low, high, indent)
    if inner < 0:
        return False
    places = cuts.cut_lines(at.data, at.starts, low + 1, high, inner, at.language)
    if len(places) < 2 and (not places or depth > 1):
        return False
    header = at.seen[at.starts[low] : at.starts[places[0]]]
    if at.language.functions_anywhere and _STATEMENT.match(header):  # it has no name
        _read_lines(at, low + 1, high, inner, depth + 1, in_type=False)
        return True
    if at.language.wrap is None and not _HOLDER.search(header):
        return False  # a function of C or Go: it holds no declarations
    span = (at.starts[low], _end(at, high))
    _read_header(at, span, header)
    in_type = _TYPE_HEADER.search(header) is not None
    _read_lines(at, places[0], high, inner, depth + 1, in_type=in_type)
    return True


def _read_header(at: _Rescue, span: Span, header: bytes) -> None:
    """Find the container that a piece begins with; its range is the piece's."""
    closed = header if at.language.indented else header.rstrip() + b"\n}\n"
    if at.language.indented:
        closed = header + b"\n" + b" " * 80 + b"pass\n"
    root = parse(closed, at.source.grammar)
    finds = finds_of(root, closed, at.language, at.source.grammar)
    found = [find.moved(span[0]) for find in finds]
    found = [f for f in found if f.name_at < span[0] + len(header)]
    if not any(f.start == span[0] or f.clean for f in found):
        found += guess(at.data, (span[0], span[0] + len(header)), at.language)
    end = span[0] + len(at.data[span[0] : span[1]].rstrip())
    holder = min(found, key=lambda f: (f.start, -f.end), default=None)
    for find in found:
        reach = find.end if find is not holder else end
        at.finds[find.key] = find._replace(end=min(reach, end), clean=False)


def _ways(at: _Rescue, span: Span, *, in_type: bool) -> list[tuple[bytes, bytes]]:
    """What may stand before and behind a piece when it is parsed, the likeliest first."""
    wrap = at.language.wrap
    plain = (at.language.opening, b"")
    if wrap is None or not (in_type or span[0]):
        return [plain]
    return [wrap, plain] if in_type else [plain, wrap]


def _best(at: _Rescue, span: Span, first_try: _Piece, *, in_type: bool) -> TextReading:
    """The reading of the span with the least that is not understood."""
    pieces = [first_try]
    for way in _ways(at, span, in_type=in_type)[1:]:
        if not pieces[-1].errors and pieces[-1].reading.finds:
            break
        pieces.append(_Piece(at, span, way))
    least = min(piece.n_broken for piece in pieces)
    pieces = [piece for piece in pieces if piece.n_broken == least]
    best = max(pieces, key=lambda piece: len(piece.reading.finds))
    reading = best.reading
    if best.errors and at.language.has_arms:
        arms = [
            _Piece(at, span, best.way, arm).reading
            for arm in one_arm_only(at.seen[span[0] : span[1]])
        ]
        for arm in arms:
            reading = _either_arm(reading, arm)
        if reading.sound:  # each arm is to be, or what is in it may be lost
            reading = reading._replace(errors=sorted({e for arm in arms for e in arm.errors}))
    return reading


class _Piece:
    """A piece of the text, parsed with something before and behind it; its finds on demand."""

    def __init__(
        self, at: _Rescue, span: Span, way: tuple[bytes, bytes], text: bytes | None = None
    ) -> None:
        text = at.seen[span[0] : span[1]] if text is None else text
        self.way = way
        self._at, self._span = at, span
        self._shift = shift = span[0] - len(way[0])
        self._text = way[0] + text + way[1]
        self._root = parse(self._text, at.source.grammar)
        self.errors: list[Span] = []
        if self._root.has_error:
            errors, units = broken(self._root, at.language)
            self.errors = [_inside((a + shift, b + shift), span) for a, b in errors or units]
            self.errors = self.errors or [span]
        self.n_broken = sum(max(1, b - a) for a, b in self.errors)

    @cached_property
    def reading(self) -> TextReading:
        """What the query finds in it, by places in the whole text."""
        found = finds_of(self._root, self._text, self._at.language, self._at.source.grammar)
        moved = (find.moved(self._shift) for find in found)
        start, end = self._shift + len(self.way[0]), self._span[1]  # not what is around it
        finds = [_clipped(find, self._span) for find in moved if start <= find.start < end]
        return TextReading(finds, self.errors, [])


def _either_arm(best: TextReading, arm: TextReading) -> TextReading:
    """Add what one arm of a conditional has; understood is the text if some arm alone was."""
    known = {find.key: find for find in best.finds}
    for find in arm.finds:
        if find.clean or find.key not in known:
            known[find.key] = find
    return TextReading(list(known.values()), [] if arm.sound else best.errors, [])


def _unite(at: _Rescue, finds: Iterable[Find], bodies: SoundBodies) -> None:
    """Keep these finds too; where both readings have the same, the one to be trusted more."""
    sound = Spans(at.sound)
    kept = at.finds
    for find in finds:
        if _is_made_up(find, bodies):
            continue
        if find.key in kept:
            is_sound = find.clean or (find.kind in FUNCTIONS and bodies.have(find.body))
            if is_sound and (not kept[find.key].clean or _is_local(at, kept[find.key])):
                kept[find.key] = find
            elif find.end > kept[find.key].end and find.kind in TYPES and closes(at.source, find):
                kept[find.key] = kept[find.key]._replace(end=find.end)
        elif not sound.have(find.name_at):
            kept[find.key] = find


def _closed(at: _Rescue, find: Find) -> Find:
    """A cut inside its body may have ended it too soon."""
    if find.clean or at.data[find.body : find.body + 1] != b"{" or find.body < 0:
        return find
    end = cuts.closing_end(at.data, at.starts, find.start, find.end)
    return find._replace(end=max(find.end, end))


def _is_local(at: _Rescue, find: Find) -> bool:
    """An indented variable of a flat language: its function was not understood."""
    if find.kind != "variable" or not at.language.is_flat:
        return False
    begin = at.starts[bisect_right(at.starts, find.start) - 1]
    return at.data[begin : begin + 1].isspace()


def _is_new(at: _Rescue, find: Find) -> bool:
    known = at.finds.get(find.key)
    return known is None or find.clean or not known.clean


def _clipped(find: Find, span: Span) -> Find:
    return find if find.end <= span[1] else find._replace(end=span[1])


def _inside(error: Span, span: Span) -> Span:
    start = min(max(error[0], span[0]), max(span[0], span[1] - 1))
    return start, max(start, min(error[1], span[1]))


def _end(at: _Rescue, line: int) -> int:
    return at.starts[line] if line < len(at.starts) else len(at.data)
