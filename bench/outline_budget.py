"""Whether outlines keep their token budget, and use it."""

from __future__ import annotations

from bench.report import Figure, Setup
from tests.support.outline_corpus import ALL
from understudy.outline.read_outline import outline
from understudy.outline.show.render import render, tokens

BUDGETS = (500, 1000, 2000, 4000, 8000, 16000)
LEAST_USED = 0.8


async def run(setup: Setup) -> list[Figure]:
    """Over all files and budgets: the most and the least of the budget that was used."""
    used: dict[str, float] = {}
    for file in ALL:
        found = outline(file.path.read_bytes(), file.language)
        whole = tokens(render(found, 100_000_000))
        for budget in BUDGETS:
            if whole > budget:
                used[f"{file.ending} {budget}"] = tokens(render(found, budget)) / budget
        setup.say(f"{file.ending}: whole {whole}")
    least, most = min(used.values()), max(used.values())
    return [
        Figure(
            "outline_budget", f"share of the budget used, least and most of {len(used)}",
            f"{least:.3f}, {most:.3f}", "1", least, f">= {LEAST_USED}, <= 1",
            least >= LEAST_USED and most <= 1, {"used": used},
        )
    ]  # fmt: skip
