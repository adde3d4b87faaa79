"""Constructs that a grammar does not know, and what stands for them while it reads."""

from __future__ import annotations

import re
from collections.abc import Callable

Gap = tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bytes]]
"""A construct that the grammar does not know, and what of equal length stands for it."""


def are_closed(data: bytes) -> bool:
    """Whether most comments that are opened are closed: patterns look for the end of each."""
    return data.count(b"/*") <= 2 * data.count(b"*/") + 100


def blank(match: re.Match[bytes]) -> bytes:
    """The first group, and blanks for the second."""
    return match[1] + b" " * len(match[2])
