"""SIGKILL of the owner at random points: nothing is left, before the next start and after it."""

from __future__ import annotations

from pathlib import Path

from tests.support.stage_kills import run_stage_kills

N_KILLS = 4
"""`bench stage_kills` has 100."""


def test_nothing_is_left(tmp_path: Path) -> None:
    counts = run_stage_kills(tmp_path, N_KILLS, seed=3)
    assert (counts.kills, counts.left) == (N_KILLS, 0), counts
