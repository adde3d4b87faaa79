"""A hundred SIGKILLs of the owner of stages at random points: what is left of them?"""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from bench.report import Figure, Setup
from tests.support.stage_kills import run_stage_kills

N_KILLS = 100
SEED = 1


async def run(setup: Setup) -> list[Figure]:
    """One figure."""
    counts = await asyncio.to_thread(run_stage_kills, setup.folder, N_KILLS, SEED)
    left = f"{counts.processes} processes, {counts.mounts} mounts, "
    return [
        Figure(
            "stage_kills", f"{counts.kills} kills of the owner",
            left + f"{counts.locks} locks, {counts.folders} folders left",
            f"{counts.swept} folders swept, slowest end {counts.slowest_end_s:.2f} s",
            bar="nothing",
            ok=counts.left == 0 and counts.kills == N_KILLS,
            data=asdict(counts),
        )
    ]  # fmt: skip
