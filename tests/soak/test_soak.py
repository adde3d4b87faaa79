"""A minute of the soak: no answer is wrong, each `unknown` has its reason, and nothing is left."""

from __future__ import annotations

from pathlib import Path

from tests.soak.__main__ import soak, told

SECONDS, N_AGENTS = 60.0, 4


async def test_a_minute_of_everybody_at_work(tmp_path: Path) -> None:
    soaked = await soak(tmp_path, SECONDS, N_AGENTS)
    assert soaked.is_well, told(soaked)
    assert soaked.answers.total - soaked.answers.verdicts["unknown"] > 0, told(soaked)
    assert soaked.faults.done, told(soaked)
