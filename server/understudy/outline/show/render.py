"""An outline as text within a token budget; a token is counted as four bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from understudy.outline.model import LineRange, Outline, OutlineEntry
from understudy.outline.show.lines_shown import SHORT_SIGNATURE, Line, hidden, place, short, total
from understudy.outline.show.select import by_lines, by_symbol
from understudy.outline.show.steps import (
    SMALL,
    Reduction,
    applied,
    coarse,
    n_steps_to_fold,
    steps,
)
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

BYTES_A_TOKEN = 4
DEFAULT_BUDGET = 8000
"""Tokens."""

_MOST_RANGES = 5
_MOST_ATTEMPTS = 8
_COMMENTED = frozenset(("constant", "field", "member", "property", "variable"))
"""Kinds whose comment is shown unasked: what a field means often stands there only."""

_DEEPEST_START = 4
_FIRST = attrgetter("first")
_LIKELY_BESIDE, _LIKELY_BESIDE_SMALL = 9, 2
"""Bytes that an entry takes beside its name, the small ones joined on a line."""


@frozen
class Options:
    """What to show: a title (the path), one symbol or some lines only, comments' first lines."""

    title: str = ""
    symbol: str | None = None
    lines: LineRange | None = None
    docs: bool = False


def tokens(text: str) -> int:
    """How many tokens a text is counted as: a quarter of its bytes in UTF-8, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)


def render(outline: Outline, budget: int = DEFAULT_BUDGET, options: Options | None = None) -> str:
    """The outline's text, coarser step by step until it fits into so many tokens.

    Every cut is counted in the header. Raises BadInput `budget-too-small`, saying what the least
    is, and what `by_symbol` and `by_lines` raise.
    """
    chosen = options or Options()
    part = _selected(outline, chosen)
    ladder = _Ladder(part, docs=chosen.docs)
    limit = budget * BYTES_A_TOKEN
    allowed = limit - _size(_header(outline, part, chosen, ""))
    used = 0
    for attempt in range(_MOST_ATTEMPTS):
        lines = ladder.fitted(allowed)
        header = _header(outline, part, chosen, ladder.cuts(lines))
        used = _size(header) + total(lines)
        if used <= limit:
            return "".join([f"{text}\n" for text in (*header, *[line.text for line in lines])])
        allowed -= used - limit + BYTES_A_TOKEN * 2**attempt  # the header changes with the cuts
    least = -(-used // BYTES_A_TOKEN)
    raise BadInput(
        "budget-too-small",
        f"{budget} tokens do not hold this outline, the least are about {least}",
    )


def _selected(outline: Outline, options: Options) -> Outline:
    part = outline
    if options.symbol is not None:
        part = by_symbol(part, options.symbol)
    if options.lines is not None:
        part = by_lines(part, options.lines)
    return part


class _Ladder:
    """The lines after each step taken as far as it goes; an attempt starts at the last it needs.

    What lines cost is known once their text is written, so steps that cannot suffice are taken by
    the least that lines cost, and many at once where what they leave alone is too much already.
    """

    def __init__(self, part: Outline, *, docs: bool) -> None:
        self._entries, self._wording, self._docs = part.entries, part.wording, docs
        self._deepest = max((entry.depth for entry in part.entries), default=0)
        self._steps = tuple(steps(self._deepest))
        self._whole: list[Line] | None = None  # the lines before the first step
        self._shortenings: list[Reduction] = []
        self._savings: dict[int, list[int]] = {}  # those of the reductions of a step
        self._first = 1  # the number of steps before the first rung
        self._rungs: list[list[Line]] = []
        self._floors: list[int] = []
        self._reductions: list[list[Reduction]] = [[]]  # those that made each rung
        self._costs: dict[int, int] = {}
        self._depths: frozenset[int] = frozenset()  # those of the lines of the last rung
        self._n_docs: int | None = None

    def fitted(self, room: int) -> list[Line]:
        """The lines after as many steps as they need to take no more than `room` bytes.

        The first attempt has the most room.
        """
        if not self._rungs:
            self._begin(room)
        if self._first == 1 and self._floors[0] <= room and self._cost(1) <= room:
            return self._with_long_lines(room)  # the first step makes nothing longer
        for number in range(self._first, len(self._steps)):
            if self._floor(number + 1) > room:
                continue
            used = self._cost(number)
            lines = self._rungs[number - self._first]
            if used <= room:
                return lines
            if self._cost(number + 1) <= room:
                found = self._reductions[number + 1 - self._first]
                return self._taken(number, lines, found, used - room)
        return self._rungs[-1]

    def _with_long_lines(self, room: int) -> list[Line]:
        """Not all lines have to be short."""
        if self._whole is None:
            self._whole = [line.whole() for line in self._rungs[0]]
        used = total(self._whole)
        if used <= room:
            return self._whole
        if not self._shortenings:
            self._shortenings = list(self._steps[0].find(self._whole))
        return self._taken(0, self._whole, self._shortenings, used - room)

    def _taken(
        self, number: int, lines: list[Line], found: list[Reduction], need: int
    ) -> list[Line]:
        """Take a step's reductions until they save enough, those that lose least a byte first."""
        if number not in self._savings:
            self._savings[number] = [reduction.saving(lines) for reduction in found]
        savings = self._savings[number]
        chosen, saved = list(found), sum(savings)
        if saved > need:
            chosen, saved = _enough(list(zip(found, savings, strict=True)), need)
        shrunk = self._steps[number].shrunk
        if shrunk is not None and chosen and saved > need:
            chosen[-1] = shrunk(lines, chosen[-1], saved - need)
        return applied(lines, sorted(chosen, key=_FIRST))

    def _begin(self, room: int) -> None:
        """Find the first rung: short lines of all entries, or one that is not enough either."""
        likely = [0] * (self._deepest + 1)
        for entry in self._entries:
            is_small = entry.kind in SMALL
            beside = _LIKELY_BESIDE_SMALL if is_small else _LIKELY_BESIDE + entry.depth
            likely[entry.depth] += len(entry.name) + beside
        for depth in range(1, min(self._deepest, _DEEPEST_START) + 1):
            if sum(likely[:depth]) > room:
                lines = coarse(self._outer(depth), depth, self._deepest)
                floor = sum([line.floor for line in lines])
                if floor > room:
                    self._first = n_steps_to_fold(depth, self._deepest)
                    self._rungs, self._floors = [lines], [floor]
                    break
        else:
            lines = self._outer(self._deepest + 1)
            is_near = sum(likely) < room  # what they cost will have to be known
            floor = total(lines) if is_near else sum([line.floor for line in lines])
            self._rungs, self._floors = [lines], [floor]
        self._depths = frozenset([line.depth for line in self._rungs[0]])

    def _outer(self, depth: int) -> list[Line]:
        """The entries that are less deep than this, between them one line for all others."""
        wording, docs = self._wording, self._docs
        lines: list[Line] = []
        deeper: list[OutlineEntry] = []
        for entry in self._entries:
            if entry.depth >= depth:
                deeper.append(entry)
                continue
            if deeper:
                lines.append(hidden(deeper, wording))
                deeper = []
            lines.append(short(entry, wording, had_doc=docs or entry.kind in _COMMENTED))
        if deeper:
            lines.append(hidden(deeper, wording))
        return lines

    def cuts(self, lines: Sequence[Line]) -> str:
        """What the lines show less than all of them at full detail do."""
        if lines is self._whole:
            return ""
        if self._n_docs is None:
            said = [e for e in self._entries if self._docs or e.kind in _COMMENTED]
            self._n_docs = self._wording.n_documented(said)
        own = [line for line in lines if line.n_names < 0]
        named = sum([line.n_names for line in lines if line.n_names > 0])
        said = (
            (sum([line.is_cut for line in own]), f"signatures cut to {SHORT_SIGNATURE} characters"),
            (self._n_docs - sum([line.detail.doc for line in own]), "comments left out"),
            (named, "entries by name only"),
            (len(self._entries) - len(own) - named, "entries counted only"),
        )
        return ", ".join(f"{n} {text}" for n, text in said if n)

    def _floor(self, number: int) -> int:
        """The least that the lines cost after so many steps."""
        while len(self._rungs) <= number - self._first:
            lines, step = self._rungs[-1], self._steps[self._first + len(self._rungs) - 1]
            reductions: list[Reduction] = []
            if step.depth is None or step.depth in self._depths:
                reductions = list(step.find(lines))
            floor = self._floors[-1] + sum([_rise(lines, one) for one in reductions])
            if reductions:
                lines = applied(lines, reductions)
                self._depths = frozenset([line.depth for line in lines])
            self._rungs.append(lines)
            self._floors.append(floor)
            self._reductions.append(reductions)
        return self._floors[number - self._first]

    def _cost(self, number: int) -> int:
        if number not in self._costs:
            place = number - self._first
            if number - 1 in self._costs:
                before, reductions = self._rungs[place - 1], self._reductions[place]
                saved = sum([one.saving(before) for one in reductions])
                self._costs[number] = self._costs[number - 1] - saved
            else:
                self._costs[number] = total(self._rungs[place])
        return self._costs[number]


def _rise(lines: Sequence[Line], reduction: Reduction) -> int:
    """By how much a reduction changes the least cost."""
    before = sum([line.floor for line in lines[reduction.first : reduction.last]])
    return sum([line.floor for line in reduction.new]) - before


def _enough(found: Sequence[tuple[Reduction, int]], need: int) -> tuple[list[Reduction], int]:
    """Reductions that save enough together, and how much that is."""

    def loss(one: tuple[Reduction, int]) -> tuple[float, int]:
        reduction, saving = one
        return -saving / max(reduction.cut, 1), reduction.first

    chosen: list[tuple[Reduction, int]] = []
    saved = 0
    for reduction, saving in sorted(found, key=loss):
        if saved >= need:
            break
        chosen.append((reduction, saving))
        saved += saving
    kept: list[Reduction] = []
    for index, (reduction, saving) in enumerate(chosen):
        if index < len(chosen) - 1 and saved - saving >= need:
            saved -= saving
        else:
            kept.append(reduction)
    return kept, saved


def _header(outline: Outline, part: Outline, options: Options, cuts: str) -> tuple[str, ...]:
    title = f" of {options.title}" if options.title else ""
    count = f"{len(outline.entries)} entries"
    if part is not outline:
        count = f"{len(part.entries)} of {count}"
    head = f"# outline{title}: {outline.language}, {outline.n_lines} lines, {count}"
    texts = [f"{head}, sha {outline.digest[:8]}, {understood(outline)}"]
    texts += [f"# {note}" for note in outline.notes]
    if cuts:
        texts.append(f"# to fit: {cuts}; ask for a symbol or a range of lines to see them")
    return tuple(texts)


def understood(outline: Outline) -> str:
    """`complete`, or `PARTIAL` with the lines that were not understood."""
    if outline.partial:
        ranges = ", ".join(place(*lines) for lines in outline.partial[:_MOST_RANGES])
        more = len(outline.partial) - _MOST_RANGES
        rest = f" and {more} more ranges" if more > 0 else ""
        return f"PARTIAL: lines {ranges}{rest} not understood, entries there may be missing"
    if outline.n_left_out:
        return f"PARTIAL: {outline.n_left_out} more declarations inside of these are not listed"
    if outline.method == "columns":
        return "PARTIAL: by the look of its lines"
    if outline.method == "tags":
        return "PARTIAL: by the grammar's tags (no fields or constants)"
    if outline.method == "kinds":
        return "PARTIAL: by what the grammar calls its nodes, declarations may be missing"
    return "complete"


def _size(header: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in header)
