"""TOML, from the standard library or from its back-port on Python 3.10."""

from __future__ import annotations

import re
import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as _toml
else:
    import tomli as _toml

MOST_PARTS = 500
"""Of a dotted key: the reader's time is quadratic in them."""

_QUOTES = re.compile("[\"']")

TOMLDecodeError = _toml.TOMLDecodeError


def loads(text: str) -> dict[str, Any]:
    """What a text holds; raises TOMLDecodeError, which is a ValueError, whatever is wrong."""
    if any(line.count(".") > MOST_PARTS and _dots(line) > MOST_PARTS for line in text.split("\n")):
        raise TOMLDecodeError(f"cannot be read: a key has more than {MOST_PARTS} parts")
    try:
        return _toml.loads(text)
    except TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; a deep list
        raise TOMLDecodeError(f"cannot be read: {error}") from error


def _dots(line: str) -> int:
    """The dots of a line outside of what stands in quotes."""
    return sum(piece.count(".") for piece in _QUOTES.split(line)[::2])
