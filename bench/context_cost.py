"""What sessions of real tool calls cost: ours beside the best of fifteen plain harnesses.

Tokens are those of a provider without a cache; the prices are those of one with a cache, warm all
the time or cold whenever the user speaks. What is read again is counted, on both sides. Two of the
four traces were measured only when all was tuned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from bench.context_harness import CUTS, FORGETS, REGIMES, Meter, json_of, ours, plain
from bench.report import Figure, Setup
from bench.traces import SEEN, UNSEEN, trace

MAX_COST, MAX_SUMMARIES = 0.9, 0.5


@dataclass(frozen=True)
class _Replayed:
    """A trace under each regime: ours, the cheapest plain one, and one that only appends."""

    ours: Mapping[str, Meter]
    best: Mapping[str, tuple[str, Meter]]
    appended: Meter


async def run(setup: Setup) -> list[Figure]:
    """A figure for each trace and regime, and one for the summaries that are wanted."""
    return await asyncio.to_thread(_run, setup)


def _run(setup: Setup) -> list[Figure]:
    figures: list[Figure] = []
    wanted = plain_wanted = 0
    for name in (*SEEN, *UNSEEN):
        setup.say(f"context_cost: {name}")
        done = _replayed(setup, name)
        kind = "unseen" if name in UNSEEN else "seen"
        for regime in REGIMES:
            mine = done.ours[regime.name]
            which, best = done.best[regime.name]
            ratio = mine.cost / best.cost
            figures.append(
                Figure(
                    "context_cost", f"{name} ({kind}), {regime.name}", f"{mine.cost / 1e6:.3f} M",
                    f"{best.cost / 1e6:.3f} M {which}", ratio, f"<= {MAX_COST}", ratio <= MAX_COST,
                    {"ours": json_of(mine), "plain": json_of(best)},
                )
            )  # fmt: skip
        wanted += done.ours["warm"].summaries
        plain_wanted += done.appended.summaries
    share = wanted / max(1, plain_wanted)
    return [
        *figures,
        Figure(
            "context_cost", "summaries wanted, four traces", f"{wanted}",
            f"{plain_wanted} append only, cut at 30,000 characters", share,
            f"<= {MAX_SUMMARIES}", share <= MAX_SUMMARIES,
        ),
    ]  # fmt: skip


def _replayed(setup: Setup, name: str) -> _Replayed:
    made = trace(name)
    mine = {
        regime.name: ours(made, regime, setup.folder / f"{name}-{regime.name}")
        for regime in REGIMES
    }
    plains = {
        f"{cut}, {forget}": plain(made, CUTS[cut], FORGETS[forget])
        for cut in CUTS
        for forget in FORGETS
    }
    best: dict[str, tuple[str, Meter]] = {}
    for index, regime in enumerate(REGIMES):
        which = min(plains, key=lambda one: plains[one][index].cost)
        best[regime.name] = (which, plains[which][index])
    return _Replayed(mine, best, plains["30k, append only"][1])
