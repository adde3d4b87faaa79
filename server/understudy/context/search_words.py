"""A question to an index of words, and the passages that texts are indexed by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from understudy.values.errors import BadInput

PASSAGE_LINES = 40
"""Lines of a file that are ranked together."""

_WORD = re.compile(r"\w+")
_MOST_WORDS = 32
_ANCHOR = re.compile(r"^## (\d+) .*$", re.MULTILINE)
_LINE_BYTES = 200


def match_expression(question: str) -> str:
    """An FTS5 expression that any of the words satisfy; raises BadInput `empty-question`.

    Each word is quoted, so that no character of it means something to the index.
    """
    words = list(dict.fromkeys(_WORD.findall(question)))[:_MOST_WORDS]
    if not words:
        raise BadInput("empty-question", "give some words to search for", question or None)
    return " OR ".join(f'"{word}"' for word in words)


def passages(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of a file and the line that each begins at, from 1."""
    lines = text.split("\n")
    for first in range(0, len(lines), PASSAGE_LINES):
        piece = "\n".join(lines[first : first + PASSAGE_LINES])
        if piece.strip():
            yield first + 1, piece


def sections(twin: str) -> Iterator[tuple[int, int, str]]:
    """The sections of a history: event, line that it begins at, text."""
    found = list(_ANCHOR.finditer(twin))
    line = 1
    at = 0
    for index, match in enumerate(found):
        line += twin.count("\n", at, match.start())
        at = match.start()
        end = found[index + 1].start() if index + 1 < len(found) else len(twin)
        yield int(match[1]), line, twin[at:end]


def telling_line(piece: str, question: str) -> tuple[int, str]:
    """The line of a passage with most of the question's words: its offset from 0, its text."""
    words = {word.lower() for word in _WORD.findall(question)}
    best, best_count = (0, ""), 0
    for offset, line in enumerate(piece.split("\n")):
        count = len(words & {word.lower() for word in _WORD.findall(line[:2000])})
        if count > best_count:
            best, best_count = (offset, line.strip()), count
    offset, line = best
    return offset, line if len(line) <= _LINE_BYTES else f"{line[:_LINE_BYTES]}..."
