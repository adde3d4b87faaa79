"""Comments on lines of their own, which a parser need not see.

A text may look like a comment inside of a string. There it is left out all the same, as that hides
nothing, unless the string could end in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from understudy.outline.hollowed import Cut
from understudy.outline.languages import Language

_BEGINS = re.compile(rb"\n[ \t]*/[/*]")
_BEGINS_OR_ATTRIBUTE = re.compile(rb"\n[ \t]*(?:/[/*]|\#\[)")
_LINES = re.compile(rb"//[^\n]*(?:\n[ \t]*//[^\n]*)*(?=\n)")
_ATTRIBUTE = re.compile(rb"\#\[[^\n]*\](?=[ \t]*\r?\n)")
_BLOCK_END = re.compile(rb"\*/(?=[ \t]*\r?\n)")
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
    search = (_BEGINS_OR_ATTRIBUTE if language.name == "rust" else _BEGINS).search
    position = closing = 0
    while (found := search(data, position)) is not None:
        position = found.end()
        start = position - 2
        is_lines = False
        if data[start] != _SLASH:
            whole = _ATTRIBUTE.match(data, start)
        elif data[start + 1] == _SLASH:
            is_lines, whole = True, _LINES.match(data, start)
        else:
            if closing < position:  # each end is looked for once
                closing = data.find(b"*/", position)
                closing = len(data) if closing < 0 else closing
            whole = _BLOCK_END.match(data, closing)
        if whole is None:
            continue
        end = whole.end()
        text = data[position:end]
        position = end
        if is_lines and language.has_arms and data.find(b"\\\n", start, end + 1) >= 0:
            continue  # it goes on
        if is_lines and b"*" in text and b"*/" in text:
            continue  # what it stands in ends there
        if b"/*" not in text and 1 not in [text.count(mark) % 2 for mark in marks]:
            yield Cut(start, end)


def are_closed(data: bytes) -> bool:
    """Whether most comments that are opened are closed: patterns look for the end of each."""
    return data.count(b"/*") <= 2 * data.count(b"*/") + 100
