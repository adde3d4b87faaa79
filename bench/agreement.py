"""Do checks agree with cold command lines over the whole project, and find all dependents?

Sixty generated edits of the sample project a server, and a fifth as many of a published project.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

from bench.report import Figure, Setup
from bench.sources import real_project
from tests.support.agreement import PAIRINGS, Pairing, Tally, compare, rehearsals
from tests.support.edits import GeneratedEdit, generate
from tests.support.projects import project
from tests.support.sample import Project
from tests.support.truth_cache import KeptTruth
from understudy.values.verdicts import CheckReport

SEED = 60
AT_ONCE = 3
MAX_UNKNOWN = 0.02
MIN_RECALL = 0.99


async def run(setup: Setup) -> list[Figure]:
    """Two figures a server: agreement and recall."""
    turn = asyncio.Semaphore(2)  # cold command lines of two servers at once, no more
    figures: list[Figure] = []

    async def one(name: str) -> list[Figure]:
        async with turn:
            return await _of_server(setup, PAIRINGS[name])

    for found in await asyncio.gather(*(one(name) for name in setup.servers)):
        figures += found
    return figures


async def _of_server(setup: Setup, pairing: Pairing) -> list[Figure]:
    tally = Tally()
    corpora = [("sample", project(pairing.language), setup.n_edits)]
    published = real_project(pairing.language)
    if published is not None:
        corpora.append(("published", published, max(1, setup.n_edits // 5)))
    for name, sources, n_edits in corpora:
        folder = setup.folder / pairing.server / name
        edits = generate(sources, SEED, n_edits, pairing.kinds)
        reports = await _reports(pairing, sources, folder, edits)
        truth = KeptTruth(pairing.tool, sources, folder / "truth")
        for edit, report in zip(edits, reports, strict=True):
            delta = await asyncio.to_thread(truth.delta, edit)
            tally.judgements.append(compare(edit, report, delta))
    for judged in tally.judgements:
        if judged.outcome != "right":
            setup.say(f"{pairing.server}: {judged}")
    return _figures(pairing, tally)


async def _reports(
    pairing: Pairing, sources: Project, folder: Path, edits: Sequence[GeneratedEdit]
) -> list[CheckReport]:
    order = list(range(len(edits)))
    random.Random(SEED).shuffle(order)  # noqa: S311 - the same order in every run
    user = sources.write(folder / "project")
    async with rehearsals(user, folder / "state", pairing.server) as live:
        reports = await live.check_all(edits, order, AT_ONCE)
        assert await live.generation() == 1, "the server was restarted between the edits"
    return reports


def _figures(pairing: Pairing, tally: Tally) -> list[Figure]:
    n_all = len(tally.judgements)
    n_unknown, n_new = tally.number("unknown"), tally.number("unknown", new_files=True)
    n_right = tally.number("right") + tally.number("right", new_files=True)
    ours = f"{n_right} right, {tally.n_wrong} wrong, {n_unknown} unknown (+ {n_new} new-file)"
    n_cross = sum(bool(judged.dependents) for judged in tally.judgements)
    agreement = Figure(
        "agreement", pairing.server, ours, f"{n_all} edits by {pairing.tool}, cold",
        bar="0 wrong, unknown <= 2 %",
        ok=tally.n_wrong == 0 and n_unknown <= MAX_UNKNOWN * n_all,
        data={"right": n_right, "wrong": tally.n_wrong, "unknown": n_unknown, "new_file": n_new,
              "not_right": [str(j) for j in tally.judgements if j.outcome != "right"]},
    )  # fmt: skip
    recall = Figure(
        "agreement", f"{pairing.server}: dependents", f"{tally.recall:.3f}",
        f"{tally.n_dependents} files in {n_cross} edits",
        bar=">= 0.99",
        ok=tally.recall >= MIN_RECALL,
        data={"recall": tally.recall, "dependents": tally.n_dependents, "cross_edits": n_cross},
    )  # fmt: skip
    return [agreement, recall]
