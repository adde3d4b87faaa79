"""Do checks agree with cold command lines over the whole project, and find all dependents?

Sixty generated edits of the sample project a server, and a fifth as many of a published project.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.report import Figure, Setup
from bench.sources import real_project
from tests.support.agreement import Tally, compare, rehearsals
from tests.support.edits import GeneratedEdit, generate
from tests.support.kit import Pairing
from tests.support.kits import COMMANDS, PAIRINGS
from tests.support.projects import project
from tests.support.sample import Project
from tests.support.truth_cache import KeptTruth
from understudy.values.verdicts import CheckReport

SEED = 60
AT_ONCE = 3
MAX_UNKNOWN = 0.02
MIN_RECALL = 0.99

Generate = Callable[[Project, int, Pairing], list[GeneratedEdit]]


class Row(NamedTuple):
    """What one row of agreement rehearses."""

    name: str
    of_sample: Generate
    of_published: Generate
    abandons: bool = False
    """Whether other checks are begun and given up in between."""


def _edits(project: Project, count: int, pairing: Pairing) -> list[GeneratedEdit]:
    return generate(project, SEED, count, pairing.kinds)


async def run(setup: Setup) -> list[Figure]:
    """Two figures a server: agreement and recall."""
    return await run_row(setup, Row("agreement", _edits, _edits))


async def run_row(setup: Setup, row: Row) -> list[Figure]:
    """The figures of a row."""
    turn = asyncio.Semaphore(2)  # cold command lines of two servers at once, no more
    figures: list[Figure] = []

    async def one(name: str) -> list[Figure]:
        async with turn:
            return await _of_server(setup, row, {**PAIRINGS, **COMMANDS}[name])

    for found in await asyncio.gather(*(one(name) for name in setup.servers)):
        figures += found
    return figures


async def _of_server(setup: Setup, row: Row, pairing: Pairing) -> list[Figure]:
    tally = Tally()
    sample, published = project(pairing.language), real_project(pairing.language)
    corpora = [("sample", sample, row.of_sample(sample, setup.n_edits, pairing))]
    if published is not None:
        n_edits = max(1, setup.n_edits // 5)
        corpora.append(("published", published, row.of_published(published, n_edits, pairing)))
    for name, sources, edits in corpora:
        folder = setup.folder / pairing.server / name
        reports = await _reports(row, pairing, sources, folder, edits)
        truth = KeptTruth(pairing.oracle, sources, folder / "truth")
        for edit, report in zip(edits, reports, strict=True):
            delta = await asyncio.to_thread(truth.delta, edit)
            tally.judgements.append(compare(edit, report, delta))
    for judged in tally.judgements:
        if judged.outcome != "right":
            setup.say(f"{pairing.server}: {judged}")
    return _figures(row, pairing, tally)


async def _reports(
    row: Row, pairing: Pairing, sources: Project, folder: Path, edits: Sequence[GeneratedEdit]
) -> list[CheckReport]:
    order = list(range(len(edits)))
    random.Random(SEED).shuffle(order)  # noqa: S311 - the same order in every run
    user = sources.write(folder / "project")
    async with rehearsals(user, folder / "state", pairing.server) as live:
        abandoned = random.Random(SEED) if row.abandons else None  # noqa: S311 - see above
        reports = await live.check_all(edits, order, AT_ONCE, abandoned)
        assert await live.generation() == 1, "the server was restarted between the edits"
    return reports


def _figures(row: Row, pairing: Pairing, tally: Tally) -> list[Figure]:
    n_all = len(tally.judgements)
    n_right, n_unknown = tally.number("right"), tally.number("unknown")
    ours = f"{n_right} right, {tally.n_wrong} wrong, {n_unknown} unknown"
    if tally.n_beside_findings:
        ours += f" ({tally.n_beside_findings} beside findings)"
    n_cross = sum(bool(judged.dependents) for judged in tally.judgements)
    agreement = Figure(
        row.name, pairing.server, ours, f"{n_all} edits by {pairing.oracle.name}, cold",
        bar="0 wrong, unknown <= 2 %",
        ok=tally.n_wrong == 0 and n_unknown <= MAX_UNKNOWN * n_all,
        data={"right": n_right, "wrong": tally.n_wrong, "unknown": n_unknown,
              "not_right": [str(j) for j in tally.judgements if j.outcome != "right"]},
    )  # fmt: skip
    recall = Figure(
        row.name, f"{pairing.server}: dependents", f"{tally.recall:.3f}",
        f"{tally.n_dependents} files in {n_cross} edits",
        bar=">= 0.99",
        ok=tally.recall >= MIN_RECALL,
        data={"recall": tally.recall, "dependents": tally.n_dependents, "cross_edits": n_cross},
    )  # fmt: skip
    return [agreement, recall]
