"""What the fields of untrusted tables are made of, besides plain types; see `structure`."""

from __future__ import annotations

from typing import NewType

Word = NewType("Word", str)
"""A string with something in it."""
Lower = NewType("Lower", str)
"""A string whose case says nothing, in lower case."""


def doc(text: str, unit: str = "") -> dict[str, str]:
    """A field's metadata: what it means, in one sentence, and what it counts."""
    return {"doc": text, "unit": unit}
