"""An outline as text within a token budget; a token is counted as four bytes of UTF-8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from understudy.outline.lines_shown import Detail, Line, place, plain
from understudy.outline.model import LineRange, Outline
from understudy.outline.select import by_lines, by_symbol
from understudy.outline.steps import SHORT_SIGNATURE, Reduction, Step, steps
from understudy.values.errors import BadInput

BYTES_A_TOKEN = 4
DEFAULT_BUDGET = 8000
"""Tokens."""

_MOST_RANGES = 5
_MOST_ATTEMPTS = 8
_COMMENTED = frozenset(("constant", "field", "member", "property", "variable"))
"""Kinds whose comment is shown unasked: what a field means often stands there only."""


@dataclass(frozen=True)
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
    full = [
        plain(entry, Detail(doc=chosen.docs or entry.kind in _COMMENTED)) for entry in part.entries
    ]
    limit = budget * BYTES_A_TOKEN
    allowed = limit - _size(_header(outline, part, chosen, (), full))
    text = ""
    ladder = _Ladder(full)
    for attempt in range(_MOST_ATTEMPTS):
        lines = ladder.fitted(allowed)
        text = _text(_header(outline, part, chosen, lines, full), lines)
        excess = len(text.encode("utf-8", "replace")) - limit
        if excess <= 0:
            return text
        allowed -= excess + BYTES_A_TOKEN * 2**attempt  # the header changes with the cuts
    raise BadInput(
        "budget-too-small",
        f"{budget} tokens do not hold this outline, the least are about {tokens(text)}",
    )


def _selected(outline: Outline, options: Options) -> Outline:
    part = outline
    if options.symbol is not None:
        part = by_symbol(part, options.symbol)
    if options.lines is not None:
        part = by_lines(part, options.lines)
    return part


class _Ladder:
    """The lines after each step taken as far as it goes; an attempt starts at the last it needs."""

    def __init__(self, full: Sequence[Line]) -> None:
        self._rungs = [(list(full), sum(line.cost for line in full))]
        self._steps = tuple(steps(max((line.depth for line in full), default=0)))

    def fitted(self, room: int) -> list[Line]:
        """The lines after as many steps as they need to take no more than `room` bytes."""
        for number, step in enumerate(self._steps):
            lines, used = self._rungs[number]
            if used <= room:
                return lines
            if number + 1 == len(self._rungs):
                lines = _taken(lines, step, used - room)
                left = sum(line.cost for line in lines)
                if left <= room:
                    return lines  # taken in part, perhaps
                self._rungs.append((lines, left))
            elif self._rungs[number + 1][1] <= room:
                return _taken(lines, step, used - room)
        return self._rungs[-1][0]


def _taken(lines: list[Line], step: Step, need: int) -> list[Line]:
    """Take the step's reductions until they save enough, those that lose least a byte first."""
    found = list(step.find(lines))
    chosen = found
    if sum(reduction.saving for reduction in found) > need:
        chosen = _enough(found, need)
    if step.shrunk is not None and chosen:
        excess = sum(reduction.saving for reduction in chosen) - need
        if excess > 0:
            chosen[-1] = step.shrunk(lines, chosen[-1], excess)
    result: list[Line] = []
    position = 0
    for reduction in sorted(chosen, key=lambda r: r.first):
        result += lines[position : reduction.first]
        result += reduction.new
        position = reduction.last
    result += lines[position:]
    return result


def _enough(found: Sequence[Reduction], need: int) -> list[Reduction]:
    ranked = sorted(found, key=lambda r: (-r.saving / max(r.cut, 1), r.first))
    chosen: list[Reduction] = []
    saved = 0
    for reduction in ranked:
        if saved >= need:
            break
        chosen.append(reduction)
        saved += reduction.saving
    kept: list[Reduction] = []
    for index, reduction in enumerate(chosen):
        if index < len(chosen) - 1 and saved - reduction.saving >= need:
            saved -= reduction.saving
        else:
            kept.append(reduction)
    return kept


def _header(
    outline: Outline, part: Outline, options: Options, lines: Sequence[Line], full: Sequence[Line]
) -> tuple[str, ...]:
    title = f" of {options.title}" if options.title else ""
    count = f"{len(outline.entries)} entries"
    if part is not outline:
        count = f"{len(part.entries)} of {count}"
    head = f"# outline{title}: {outline.language}, {outline.n_lines} lines, {count}"
    texts = [f"{head}, sha {outline.digest[:8]}, {understood(outline)}"]
    texts += [f"# {note}" for note in outline.notes]
    cuts = _cuts(lines, full) if lines else ""
    if cuts:
        texts.append(f"# to fit: {cuts}; ask for a symbol or a range of lines to see them")
    return tuple(texts)


def _cuts(lines: Sequence[Line], full: Sequence[Line]) -> str:
    """What the lines show less than all of them at full detail do."""
    own = [line for line in lines if not line.is_run]
    short = sum(1 for line in own if 0 < line.detail.limit < len(line.entries[0].signature))
    n_docs = sum(1 for line in full if line.detail.doc and line.entries[0].doc)
    n_docs -= sum(1 for line in own if line.detail.doc and line.entries[0].doc)
    named = sum(line.n_names for line in lines)
    counted = len(full) - len(own) - named
    said = (
        (short, f"signatures cut to {SHORT_SIGNATURE} characters"),
        (n_docs, "comments left out"),
        (named, "entries by name only"),
        (counted, "entries counted only"),
    )
    return ", ".join(f"{n} {text}" for n, text in said if n)


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


def _text(header: Sequence[str], lines: Sequence[Line]) -> str:
    return "".join(f"{text}\n" for text in (*header, *(line.text for line in lines)))


def _size(header: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "replace")) + 1 for line in header)
