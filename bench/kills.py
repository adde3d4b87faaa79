"""Two hundred kills at random points of an edit stream, two hundred of accepts: what is lost?"""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from bench.report import Figure, Setup
from tests.support.accept_kills import AcceptKillCounts, run_accept_kills
from tests.support.kills import KillCounts, run_kills

N_KILLS = 200
SEED = 1


async def run(setup: Setup) -> list[Figure]:
    """Two figures: edits that are acknowledged; accepts, their undoing and adoptions."""
    (edits, accepts) = (setup.folder / name for name in ("edits", "accepts"))
    edits.mkdir()
    accepts.mkdir()
    return [
        _edits(await asyncio.to_thread(run_kills, edits, N_KILLS, SEED)),
        _accepts(await asyncio.to_thread(run_accept_kills, accepts, N_KILLS, SEED)),
    ]


def _edits(counts: KillCounts) -> Figure:
    return Figure(
        "kills", f"{counts.kills} kills",
        f"{counts.lost} lost, {counts.half_applied} half applied",
        f"{counts.acknowledged} edits, {counts.rebased} rebases, {counts.discarded} discards",
        bar="0 and 0",
        ok=counts.lost == 0 and counts.half_applied == 0 and counts.kills == N_KILLS,
        data=asdict(counts),
    )  # fmt: skip


def _accepts(counts: AcceptKillCounts) -> Figure:
    return Figure(
        "kills", f"{counts.kills} kills of accept, undo, adopt",
        f"{counts.half_applied} half applied, {counts.strays} strays",
        f"{counts.under_way} under way: {counts.finished} finished, {counts.taken_back} taken back",
        bar="0 and 0",
        ok=counts.half_applied == 0 and counts.strays == 0 and counts.kills == N_KILLS,
        data=asdict(counts),
    )  # fmt: skip
