"""Constructs that a grammar does not know, and what stands for them while it reads."""

from __future__ import annotations

import re
from collections.abc import Callable

Gap = tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bytes]]
"""A construct that the grammar does not know, and what of equal length stands for it."""


def blank(match: re.Match[bytes]) -> bytes:
    """The first group, and blanks for the second."""
    return match[1] + b" " * len(match[2])
