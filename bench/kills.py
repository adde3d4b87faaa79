"""Two hundred kills at random points of an edit stream: what is lost, what is half applied?"""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from bench.report import Figure, Setup
from tests.support.kills import run_kills

N_KILLS = 200
SEED = 1


async def run(setup: Setup) -> list[Figure]:
    """One figure."""
    counts = await asyncio.to_thread(run_kills, setup.folder, N_KILLS, SEED)
    return [
        Figure(
            "kills", f"{counts.kills} kills",
            f"{counts.lost} lost, {counts.half_applied} half applied",
            f"{counts.acknowledged} acknowledged edits",
            bar="0 and 0",
            ok=counts.lost == 0 and counts.half_applied == 0 and counts.kills == N_KILLS,
            data=asdict(counts),
        )
    ]  # fmt: skip
