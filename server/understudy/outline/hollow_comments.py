"""Comments on lines of their own, which a parser need not see.

A text may look like a comment inside of a string. There it is left out all the same, as that hides
nothing, unless the string could end in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from understudy.outline.hollowed import Cut
from understudy.outline.languages import Language

_BLOCK = rb"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/(?=[ \t]*\r?\n)"
_LINES = rb"//[^\n]*(?:\n[ \t]*//[^\n]*)*(?=\n)"
_ATTRIBUTE = rb"\#\[[^\n]*\](?=[ \t]*\r?\n)"
_SLASH = ord("/")
_OPENS = {
    "bash": b"", "c": b"", "cpp": b"", "csharp": b'"', "go": b"`", "java": b'"', "javascript": b"`",
    "php": b"\"'", "rust": b'"', "tsx": b"`", "typescript": b"`",
}  # fmt: skip
"""The quotes that open strings of several lines, by the name of the language."""


def comments(data: bytes, language: Language) -> Iterator[Cut]:
    """Where comments are that have their lines for themselves, and attributes that stand apart."""
    quotes = _OPENS.get(language.name)
    if quotes is None or b"//" not in language.comment:
        return
    marks = [quotes[at : at + 1] for at in range(len(quotes))]
    for found in _pattern(language.name == "rust").finditer(data):
        start, end = found.span(1)
        text = found[1]
        if text.find(b"/*", 2) >= 0 or (text[1] == _SLASH and b"*/" in text):
            continue
        if language.has_arms and text[1] == _SLASH and b"\\\n" in data[start : end + 1]:
            continue  # it goes on, or what it stands in does
        if not any(text.count(mark) % 2 for mark in marks):
            yield Cut(start, end)


def are_closed(data: bytes) -> bool:
    """Whether most comments that are opened are closed: patterns look for the end of each."""
    return data.count(b"/*") <= 2 * data.count(b"*/") + 100


@cache
def _pattern(has_attributes: bool) -> re.Pattern[bytes]:
    ways = (_BLOCK, _LINES, _ATTRIBUTE) if has_attributes else (_BLOCK, _LINES)
    return re.compile(rb"\n[ \t]*(" + b"|".join(ways) + rb")")
