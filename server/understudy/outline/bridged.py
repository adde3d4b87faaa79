"""A second look at the broken regions of a text, with more of what a grammar misreads bridged."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from understudy.outline.bodies import closes
from understudy.outline.finds import (
    OUTER,
    Find,
    Reading,
    Source,
    bridge_gaps,
    broken,
    finds_of,
    whole_span,
)
from understudy.outline.hollowed import Hollowed
from understudy.outline.languages import Language
from understudy.outline.model import TYPES
from understudy.outline.spans import Span

_START = itemgetter(0)


class Bridged(NamedTuple):
    """What the second look found; `hidden` is what a bridge took away though it may declare."""

    reading: Reading
    hidden: list[Span]
    text: bytes
    hollowed: Hollowed

    def has(self, find: Find) -> bool:
        """Whether a bridge left the name of this find where it is."""
        start = _hollowed_place(self.hollowed, find.name_at)
        return bool(self.text[start : start + len(find.name)].strip())


def read_bridged(source: Source, regions: Sequence[Span]) -> Bridged:
    """What is in these regions of the text, read together and as if nothing lay between them."""
    from tree_sitter import Parser, Range  # noqa: PLC0415 - a compiled wheel

    hollowed, grammar = source.hollowed, source.grammar
    language = source.language.with_rare_gaps
    parts: list[bytes] = []
    ranges: list[Range] = []
    hidden: list[Span] = []
    position = 0
    for start, end in (_shortened(hollowed, region) for region in regions):
        bridged = bridge_gaps(hollowed.text[start:end], language)
        hidden += _hidden(hollowed.text[start:end], bridged, start, language)
        parts += (hollowed.text[position:start], bridged)
        ranges.append(Range((0, start), (0, end), start, end))
        position = end
    text = b"".join((*parts, hollowed.text[position:]))
    root = Parser(grammar.language, included_ranges=ranges).parse(text).root_node
    found = finds_of(root, text, language, grammar, hollowed)
    finds: list[Find] = []
    torn: list[Span] = []
    for find in found:
        end = _region_end(regions, find)
        if find.end <= end or _holds_regions(source, find):
            finds.append(find)
        else:
            torn.append((find.start, max(find.start + 1, min(find.body, end))))
    errors: list[Span] = []
    units: list[Span] = []
    if root.has_error:
        errors, units = (_lengthened(hollowed, spans) for spans in broken(root, language))
        if not units or root.is_error:
            units = list(regions)  # what such a root holds has lost its form, errors or not
    reading = Reading(finds, sorted((errors or units) + torn), sorted(units + torn))
    return Bridged(reading, _lengthened(hollowed, hidden), text, hollowed)


def _region_end(regions: Sequence[Span], find: Find) -> int:
    """Where the region ends that a find begins in, -1 if it is in none."""
    index = bisect_right(regions, find.start, key=_START) - 1
    return regions[index][1] if index >= 0 else -1


def _holds_regions(source: Source, find: Find) -> bool:
    """Whether it may begin in one region and end in another, as no function of theirs does."""
    is_holder = find.kind in TYPES or find.kind == OUTER
    return find.clean and is_holder and closes(source, find)


def _hidden(text: bytes, bridged: bytes, start: int, language: Language) -> Iterator[Span]:
    """The first groups of the patterns of what may declare something, where they were blanked."""
    if text == bridged:
        return
    text = b"\n" + text  # as when it was bridged
    for match in chain.from_iterable(pattern.finditer(text) for pattern in language.declaring):
        first, last = match.start(1) - 1, match.end(1) - 1
        if match[1].strip() and not bridged[max(0, first) : last].strip():
            declared = first + len(match[1]) - len(match[1].lstrip())
            yield start + declared, start + first + len(match[1].rstrip())


def _shortened(hollowed: Hollowed, region: Span) -> Span:
    start, end = (_hollowed_place(hollowed, at) for at in region)
    return start, min(end, len(hollowed.text))


def _hollowed_place(hollowed: Hollowed, at: int) -> int:
    return bisect_left(range(len(hollowed.text) + 1), at, key=hollowed.before)


def _lengthened(hollowed: Hollowed, spans: Iterable[Span]) -> list[Span]:
    return [whole_span(hollowed, *span) for span in spans]
