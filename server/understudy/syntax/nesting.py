"""How deeply the brackets of a text are nested: a parser's time is quadratic in it."""

from __future__ import annotations

from typing import Final

DEEPEST: Final = 500
"""Brackets that are open at once; 60,000 of them cost a parser five seconds, 240,000 eighty."""

_BRACKETS: Final = b"()[]{}"
_ALL_OTHERS: Final = bytes(byte for byte in range(256) if byte not in _BRACKETS)


def is_deep(text: bytes, deepest: int = DEEPEST) -> bool:
    """Whether a text is nested so deeply that only somebody with a time limit should parse it.

    Brackets in strings and comments count, too: no text of a person has so many left open.
    """
    depth = 0
    for bracket in text.translate(None, _ALL_OTHERS):
        if bracket in b"([{":
            depth += 1
            if depth > deepest:
                return True
        elif depth:
            depth -= 1
    return False
