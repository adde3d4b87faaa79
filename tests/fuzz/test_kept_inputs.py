"""What fuzzing began with, and what it once found, is given to the readers for ever."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

KEPT = Path(__file__).resolve().parents[1] / "data" / "fuzz"


@pytest.mark.parametrize("name", TARGETS)
def test_beginnings_are_taken(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)
    TARGETS[name].run(b"")


@pytest.mark.parametrize(
    "path", sorted(KEPT.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_what_was_found_is_mended(path: Path) -> None:
    TARGETS[path.parent.name].run(path.read_bytes())
