"""Whatever an accept, its undoing or an adoption is killed at, the next start leaves it whole."""

from __future__ import annotations

from pathlib import Path

from tests.support.accept_kills import run_accept_kills


def test_kills_leave_nothing_half_applied_and_no_stray_file(tmp_path: Path):
    counts = run_accept_kills(tmp_path, n_kills=15, seed=3)
    assert (counts.kills, counts.half_applied, counts.strays) == (15, 0, 0)
    assert counts.under_way > 0, "no accept was under way when it was killed"
