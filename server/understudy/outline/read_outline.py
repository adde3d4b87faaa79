"""The outline of a text: whole, in pieces where it is broken, else by the look of its lines."""

from __future__ import annotations

import hashlib
import pickle
import re
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from understudy.outline.broken.columns import blocks, by_columns
from understudy.outline.broken.rescue import rescue
from understudy.outline.build import build
from understudy.outline.finds import Find, Source, ordered, read
from understudy.outline.grammar import Origin, load
from understudy.outline.languages import LANGUAGES, MARKDOWN, Language, canonical
from understudy.outline.markdown import headings
from understudy.outline.model import FUNCTIONS, TYPES, LineRange, Method, Outline, OutlineEntry
from understudy.outline.spans import Span
from understudy.outline.wording import TextWording, line_starts
from understudy.syntax.grammars import why_no_grammars
from understudy.values.texts import Text, encoding_of

MOST_FINDS = 50_000
"""Declarations of one file that are listed, the outermost ones; the rest is counted."""

_LONGEST_MEAN_LINE = 2000
_NO_UTF_8 = re.compile("[\udc80-\udcff]")
_METHODS: Mapping[Origin, Method] = {"ours": "tree", "tags": "tags", "kinds": "kinds"}


def outline(
    text: bytes, language: str, where: str | None = None, digest: str | None = None
) -> Outline:
    """Outline a file's bytes; the same bytes and language always give the same outline.

    `digest` is the SHA-256 of the bytes, if it is known.
    `language` is an editor's language id or the name of a grammar; one that nothing is known of is
    outlined by the look of its lines. UTF-16 needs its byte order mark. Raises BadInput `not-text`
    for binary files and `too-large` above 20 MB.
    """
    data = _as_utf_8(text, where)
    name = canonical(language)
    known = _known(name)
    starts = line_starts(data)
    if name == MARKDOWN:
        found = _Read(headings(data, starts), "headings")
    else:
        try:
            found = _by_tree(data, starts, known)
        except UnicodeDecodeError:  # from the parser's binding: predicates look at text
            found = _by_tree(_with_letters(data), starts, known)
    entries, method, partial, notes, n_left_out = found
    if not entries:
        is_understood = method == "tree" and not partial
        entries, method, notes = _by_lines(data, starts, known, found, is_understood)
    n_lines = len(starts) - (1 if starts[-1] >= len(data) and len(starts) > 1 else 0)
    n_lines = n_lines if data else 0
    partial = tuple((min(first, n_lines), min(last, n_lines)) for first, last in partial if n_lines)
    return Outline(
        name, digest or hashlib.sha256(text).hexdigest(), n_lines, len(text), entries,
        TextWording(data, known, starts), method, partial, notes, n_left_out,
    )  # fmt: skip


def at_rest(found: Outline) -> bytes:
    """The outline without its text, packed."""
    fields = (
        found.language, found.digest, found.n_lines, found.n_bytes, found.entries, found.method,
        found.partial, found.notes, found.n_left_out,
    )  # fmt: skip
    return zlib.compress(pickle.dumps(fields, pickle.HIGHEST_PROTOCOL), level=1)


def awake(packed: bytes, text: bytes) -> Outline:
    """An outline that was at rest, with the bytes of the file that it is of."""
    language, digest, n_lines, n_bytes, entries, *rest = pickle.loads(  # noqa: S301 - made above
        zlib.decompress(packed)
    )
    wording = TextWording(_as_utf_8(text, None), _known(language))
    return Outline(language, digest, n_lines, n_bytes, entries, wording, *rest)


def _known(name: str) -> Language:
    return LANGUAGES.get(name) or Language(name, name, (), comment=(b"//", b"#", b"--"))


def _as_utf_8(text: bytes, where: str | None) -> bytes:
    encoding, n_mark = encoding_of(text, where)
    if encoding != "utf-8":
        return Text.decode(text, where).content.encode("utf-8", "replace")
    return text[n_mark:]  # not decoded: nothing needs all of its characters


def _with_letters(data: bytes) -> bytes:
    """The text with a letter in the place of each byte that is no UTF-8."""
    return _NO_UTF_8.sub("_", data.decode("utf-8", "surrogateescape")).encode("utf-8")


class _Read(NamedTuple):
    """What goes into an outline."""

    entries: tuple[OutlineEntry, ...]
    method: Method
    partial: tuple[LineRange, ...] = ()
    notes: tuple[str, ...] = ()
    n_left_out: int = 0


def _by_tree(data: bytes, starts: Sequence[int], language: Language) -> _Read:
    grammar = load(language.name)
    if grammar is None:
        why = why_no_grammars() or f"nothing known of {language.name!r}"
        return _Read((), "columns", (), (why,))
    source = Source(data, starts, language, grammar)
    reading = read(source)
    method = _METHODS[grammar.origin]
    notes = tuple(f"pattern dropped: {pattern}" for pattern in grammar.dropped)
    is_minified = len(data) > len(starts) * _LONGEST_MEAN_LINE
    if not (reading.sound or grammar.origin != "ours" or is_minified):
        reading = rescue(source, reading)
        method = "pieces"
    if grammar.origin == "kinds" and _is_poorer(reading.finds, by_columns(data, starts)):
        return _Read((), method, (), notes)
    finds = reading.finds
    n_left_out = max(0, len(finds) - MOST_FINDS)
    entries = build(data, _outermost(finds) if n_left_out else finds, language, starts)
    return _Read(entries, method, _line_ranges(starts, reading.errors), notes, n_left_out)


def _outermost(finds: Iterable[Find]) -> list[Find]:
    """As many as may be listed, those first that have the fewest others around them."""
    levels: list[list[Find]] = []
    ends: list[int] = []
    for find in ordered(finds):
        while ends and find.start >= ends[-1]:
            ends.pop()
        if len(ends) == len(levels):
            levels.append([])
        levels[len(ends)].append(find)
        ends.append(find.end)
    return list(islice(chain.from_iterable(levels), MOST_FINDS))


def _is_poorer(finds: Iterable[Find], others: Iterable[Find]) -> bool:
    """Whether it has fewer functions and types."""
    wanted = FUNCTIONS | TYPES
    here, there = (sum(find.kind in wanted for find in some) for some in (finds, others))
    return here < there


def _by_lines(
    data: bytes, starts: Sequence[int], language: Language, empty: _Read, is_understood: bool
) -> tuple[tuple[OutlineEntry, ...], Method, tuple[str, ...]]:
    """What stands in for an empty outline: guessed declarations, else blocks of lines.

    Nothing is guessed of a text that the parser understands: what looks like a declaration there
    is a line of a comment or a string.
    """
    if not data.strip():
        return (), empty.method, (*empty.notes, "the file is empty")
    guessed = () if is_understood else by_columns(data, starts)
    if guessed:
        return build(data, guessed, language, starts), "columns", empty.notes
    said = (*empty.notes, "no declarations: blocks of lines instead")
    return build(data, blocks(data, starts), language, starts), "columns", said


def _line_ranges(starts: Sequence[int], spans: Iterable[Span]) -> tuple[LineRange, ...]:
    """The lines of these spans, touching ranges joined."""
    ranges: list[LineRange] = []
    for start, end in sorted(spans):
        first = bisect_right(starts, start)
        last = max(first, bisect_right(starts, max(start, end - 1)))
        if ranges and first <= ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], max(last, ranges[-1][1]))
        else:
            ranges.append((first, last))
    return tuple(ranges)
