"""A second look at the broken regions of a text, with more of what a grammar misreads bridged."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter

from understudy.outline.finds import Find, Reading, Source, bridge_gaps, broken, finds_of
from understudy.outline.hollow import Hollowed
from understudy.outline.spans import Span

_START = itemgetter(0)


def read_bridged(source: Source, regions: Sequence[Span]) -> Reading:
    """What is in these regions of the text, read together and as if nothing lay between them."""
    from tree_sitter import Parser, Range  # noqa: PLC0415 - a compiled wheel

    hollowed, grammar = source.hollowed, source.grammar
    language = source.language.with_rare_gaps
    parts: list[bytes] = []
    ranges: list[Range] = []
    position = 0
    for start, end in (_shortened(hollowed, region) for region in regions):
        parts += (hollowed.text[position:start], bridge_gaps(hollowed.text[start:end], language))
        ranges.append(Range((0, start), (0, end), start, end))
        position = end
    text = b"".join((*parts, hollowed.text[position:]))
    root = Parser(grammar.language, included_ranges=ranges).parse(text).root_node
    found = finds_of(root, text, language, grammar, hollowed)
    finds = [find for find in found if _is_in_one(regions, find)]
    if not root.has_error:
        return Reading(finds, [], [])
    errors, units = (_lengthened(hollowed, spans) for spans in broken(root, language))
    if not units or root.is_error:
        units = list(regions)  # what such a root holds has lost its form, errors or not
    return Reading(finds, errors or units, units)


def _is_in_one(regions: Sequence[Span], find: Find) -> bool:
    """Whether it lies in one region: what goes on in the next one is not what it seems."""
    index = bisect_right(regions, find.start, key=_START) - 1
    return index >= 0 and find.end <= regions[index][1]


def _shortened(hollowed: Hollowed, region: Span) -> Span:
    places = range(len(hollowed.text) + 1)
    start, end = (bisect_left(places, at, key=hollowed.before) for at in region)
    return start, min(end, len(hollowed.text))


def _lengthened(hollowed: Hollowed, spans: Iterable[Span]) -> list[Span]:
    whole = ((hollowed.before(start), hollowed.before_end(end)) for start, end in spans)
    return [(start, max(start, end)) for start, end in whole]
