"""Canonical JSON: the same value gives the same bytes, in every process, whatever its hash seed."""

from __future__ import annotations

import hashlib
import json


def canonical(value: object) -> str:
    """Keys sorted, no blanks, one line; half a surrogate pair is escaped, all else as it is.

    Raises ValueError for what JSON does not have (NaN, infinities, other types).
    """
    text = _dumped(value, ascii_only=False)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _dumped(value, ascii_only=True)
    return text


def digest_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _dumped(value: object, *, ascii_only: bool) -> str:
    try:
        return json.dumps(
            value, ensure_ascii=ascii_only, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
