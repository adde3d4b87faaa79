"""How much of an outline is left when one bracket or quote of the file is gone."""

from __future__ import annotations

import random
import statistics

from bench.report import Figure, Setup
from tests.support.outline_corpus import GO, JAVA, PYTHON, RUST, TYPESCRIPT
from understudy.outline.model import FUNCTIONS, TYPES, Outline
from understudy.outline.read_outline import outline

N_DELETIONS = 200
LEAST_MEAN, LEAST_WORST = 0.99, 0.90
MARKS = b"(){}[]\"'`"
FILES = (PYTHON[0], JAVA[0], JAVA[1], GO[1], RUST[0], RUST[2], TYPESCRIPT[1])
_SEED = 20260101


async def run(setup: Setup) -> list[Figure]:
    """Mean and worst share of the declarations kept, by name and line."""
    chance = random.Random(_SEED)  # noqa: S311 - the same places in every run
    kept: list[float] = []
    for file in FILES:
        text = file.path.read_bytes()
        before = _names(outline(text, file.language))
        places = [place for place, byte in enumerate(text) if byte in MARKS]
        of_file: list[float] = []
        for place in chance.sample(places, -(-N_DELETIONS // len(FILES))):
            after = _names(outline(text[:place] + text[place + 1 :], file.language))
            of_file.append(len(before & after) / len(before))
        setup.say(f"{file.ending}: {statistics.mean(of_file):.4f}, worst {min(of_file):.4f}")
        kept += of_file
    mean, worst = statistics.mean(kept), min(kept)
    return [
        Figure(
            "outline_midedit", f"kept after {len(kept)} deletions, mean and worst",
            f"{mean:.4f}, {worst:.4f}", "1", mean, f">= {LEAST_MEAN}, >= {LEAST_WORST}",
            mean >= LEAST_MEAN and worst >= LEAST_WORST, {"kept": kept},
        )
    ]  # fmt: skip


def _names(found: Outline) -> set[tuple[str, int]]:
    return {(e.name, e.name_line) for e in found.entries if e.kind in FUNCTIONS | TYPES}
