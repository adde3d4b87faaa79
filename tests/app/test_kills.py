"""An acknowledged edit, rebase or discard survives `kill -9`, and none is half applied."""

from pathlib import Path

from tests.support.kills import run_kills


def test_twenty_kills_lose_no_acknowledged_edit(tmp_path: Path):
    counts = run_kills(tmp_path, n_kills=20, seed=7)
    assert (counts.kills, counts.lost, counts.half_applied) == (20, 0, 0)
    assert counts.acknowledged > 20, "the stream hardly ran, so that nothing was proven"
    assert min(counts.rebased, counts.discarded) > 20
