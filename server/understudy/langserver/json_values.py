"""Looking into decoded JSON from a foreign program without trusting its shape."""

from __future__ import annotations

from typing import Any, cast

Json = Any
"""A decoded JSON value; shapes are checked where they are used."""


def fields_of(value: Json) -> dict[str, Json]:
    """The fields of an object, none of anything else."""
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def items_of(value: Json) -> list[Json]:
    """The items of an array, none of anything else."""
    return cast("list[Json]", value) if isinstance(value, list) else []
