"""The words of a text, whatever its language: what may be a name in it."""

from __future__ import annotations

import re

_WORD = re.compile(rb"[\w$\x80-\xff]+")


def words_of(text: bytes) -> list[bytes]:
    """All words of a text in their order."""
    return _WORD.findall(text)


def has_word(text: bytes, word: bytes) -> bool:
    """Whether a text has a word that is no part of a longer one."""
    if _WORD.fullmatch(word) is None:
        return False
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_WORD.match(text[start - 1 : start]) or _WORD.match(text[end : end + 1])):
            return True
        start = text.find(word, end)
    return False
