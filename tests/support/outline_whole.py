"""What the parser alone says of a text, to compare outlines with."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from understudy.outline.build import build
from understudy.outline.finds import bridge_gaps, finds_of, parse
from understudy.outline.grammar import load
from understudy.outline.languages import LANGUAGES, canonical
from understudy.outline.model import OutlineEntry
from understudy.outline.read_outline import outline
from understudy.outline.wording import line_starts


def as_parsed(text: bytes, language: str) -> Sequence[OutlineEntry] | None:
    """The entries of one parse of the text as it is.

    None where that has an error, or something that the grammar is known to misread without one.
    """
    entries, is_sound = _parsed(text, language)
    return entries if is_sound else None


def differs_from_parse(text: bytes, language: str, parsed: Sequence[OutlineEntry]) -> bool:
    """Whether the outline says other declarations than `parsed`; blocks of lines are none."""
    found = outline(text, language)
    if parsed:
        return found.entries != parsed
    return any(entry.kind != "section" for entry in found.entries)


def as_parsed_with_errors(text: bytes, language: str) -> Sequence[OutlineEntry]:
    """The entries of one parse of the text as it is, whether it was understood or not."""
    return _parsed(text, language)[0]


def assert_as_parsed(text: bytes, language: str) -> None:
    """The outline of a text that the parser understands has the very entries of that parse."""
    parsed = as_parsed(text, language)
    assert parsed is None or not differs_from_parse(text, language, parsed)


def _parsed(text: bytes, language: str) -> tuple[Sequence[OutlineEntry], bool]:
    known = LANGUAGES.get(canonical(language))
    grammar = None if known is None else load(known.name)
    if known is None or grammar is None:
        return (), False
    text = text.removeprefix(codecs.BOM_UTF8)
    root = parse(text, grammar)
    try:
        finds = finds_of(root, text, known, grammar)
    except UnicodeDecodeError:  # from the binding: it is no UTF-8
        return (), False
    return build(text, finds, known, line_starts(text)), not root.has_error and bridge_gaps(
        text, known
    ) == text
