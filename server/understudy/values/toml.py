"""TOML, from the standard library or from its back-port on Python 3.10."""

from __future__ import annotations

import sys
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib as _toml
else:
    import tomli as _toml

TOMLDecodeError = _toml.TOMLDecodeError


def loads(text: str) -> dict[str, Any]:
    """What a text holds; raises TOMLDecodeError, which is a ValueError, whatever is wrong."""
    try:
        return _toml.loads(text)
    except TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; a deep list
        raise TOMLDecodeError(f"cannot be read: {error}") from error
