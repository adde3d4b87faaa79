"""A second look at the broken regions of a text, with more of what a grammar misreads bridged."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from understudy.outline.broken.bodies import closes
from understudy.outline.broken.seen import without_blocks
from understudy.outline.finds import (
    OUTER,
    Find,
    Source,
    TextReading,
    bridge_gaps,
    broken,
    finds_of,
)
from understudy.outline.languages import Language
from understudy.outline.model import TYPES
from understudy.outline.spans import Span


class Bridged(NamedTuple):
    """What the second look found; `hidden` is what a bridge took away though it may declare."""

    reading: TextReading
    hidden: list[Span]
    text: bytes

    def has(self, find: Find) -> bool:
        """Whether a bridge left the name of this find where it is."""
        return bool(self.text[find.name_at : find.name_at + len(find.name)].strip())


def read_bridged(source: Source, regions: Sequence[Span]) -> Bridged:
    """What is in these regions of the text, read together and as if nothing lay between them."""
    from tree_sitter import Parser, Range  # noqa: PLC0415 - a compiled wheel

    data, grammar = source.data, source.grammar
    language = source.language.with_rare_gaps
    parts: list[bytes] = []
    ranges: list[Range] = []
    hidden: list[Span] = []
    position = 0
    for start, end in regions:
        plain = without_blocks(source, (start, end))
        bridged = bridge_gaps(plain, language)
        hidden += _hidden(plain, bridged, start, language)
        parts += (data[position:start], bridged)
        ranges.append(Range((0, start), (0, end), start, end))
        position = end
    text = b"".join((*parts, data[position:]))
    root = Parser(grammar.language, included_ranges=ranges).parse(text).root_node
    finds: list[Find] = []
    torn: list[Span] = []
    for find in finds_of(root, text, language, grammar):
        end = _region_end(regions, find)
        if find.end <= end or _holds_regions(source, find):
            finds.append(find)
        else:
            torn.append((find.start, max(find.start + 1, min(find.body, end))))
    errors: list[Span] = []
    units: list[Span] = []
    if root.has_error:
        errors, units = broken(root, language)
        if not units or root.is_error:
            units = list(regions)  # what such a root holds has lost its form, errors or not
    reading = TextReading(finds, sorted((errors or units) + torn), sorted(units + torn))
    return Bridged(reading, hidden, text)


def _region_end(regions: Sequence[Span], find: Find) -> int:
    """Where the region ends that a find begins in, -1 if it is in none."""
    index = bisect_right(regions, find.start, key=lambda region: region[0]) - 1
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
