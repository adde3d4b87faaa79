"""Stamps: one hash over all that decides an answer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

Stamp = str
"""16 hex digits. Equal stamps mean equal texts, settings and server versions."""


def stamp_of(parts: Iterable[str | None]) -> Stamp:
    """Hash the parts, in order; None and the empty string differ, and so do all splits."""
    digest = hashlib.sha256()
    for part in parts:
        raw = b"-" if part is None else b"+" + part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()[:16]
