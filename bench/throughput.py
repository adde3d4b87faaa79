"""Checks a second: 256 branches that all wait at one server, beside one branch alone.

Every check is of a new edit, so that the server has to be asked.
"""

from __future__ import annotations

import asyncio
import time

from bench.marks import marked, markers
from bench.report import Figure, Setup
from tests.support.agreement import Rehearsals, rehearsals
from tests.support.kit import Pairing
from tests.support.kits import PAIRINGS
from tests.support.projects import project
from tests.support.sample import Project

N_BRANCHES = 256
N_ALONE = 64
LONGEST_ALONE_S = 10
MIN_RATIO = 0.9


async def run(setup: Setup) -> list[Figure]:
    """One figure a server."""
    return [await _of_server(setup, PAIRINGS[name]) for name in setup.servers]


async def _of_server(setup: Setup, pairing: Pairing) -> Figure:
    sample = project(pairing.language)
    folder = setup.folder / pairing.server
    user = sample.write(folder / "project")
    async with rehearsals(user, folder / "state", pairing.server) as live:
        alone = (await live.session.branches.create("alone")).id
        branches = [
            (await live.session.branches.create(f"{number}")).id for number in range(N_BRANCHES)
        ]
        await _one_by_one(live, pairing, sample, alone, "warm_up")
        before = await _one_by_one(live, pairing, sample, alone, "first")
        together = await _together(live, pairing, sample, branches)
        after = await _one_by_one(live, pairing, sample, alone, "second")
    reference = 2 / (1 / before + 1 / after)
    return Figure(
        "throughput", pairing.server,
        f"{together:.1f} checks/s", f"{reference:.1f} checks/s, one branch",
        together / reference,
        f">= {MIN_RATIO}",
        together / reference >= MIN_RATIO,
        {"together": together, "alone_before": before, "alone_after": after},
    )  # fmt: skip


async def _one_by_one(
    live: Rehearsals, pairing: Pairing, sample: Project, branch: str, name: str
) -> float:
    """Checks a second of one branch, edited before each check."""
    began = time.perf_counter()
    n_checks, elapsed = 0, 0.0
    while n_checks < N_ALONE and elapsed < LONGEST_ALONE_S:
        await _edit_and_check(live, pairing, sample, branch, f"{name}_{n_checks}")
        n_checks, elapsed = n_checks + 1, time.perf_counter() - began
    return n_checks / elapsed


async def _together(
    live: Rehearsals, pairing: Pairing, sample: Project, branches: list[str]
) -> float:
    """Checks a second of branches that are all edited and checked at once."""
    began = time.perf_counter()
    await asyncio.gather(
        *(
            _edit_and_check(live, pairing, sample, branch, f"together_{number}")
            for number, branch in enumerate(branches)
        )
    )
    return len(branches) / (time.perf_counter() - began)


async def _edit_and_check(
    live: Rehearsals, pairing: Pairing, sample: Project, branch: str, name: str
) -> None:
    path = sample.sources[0]
    text, marker = marked(pairing.language, sample.files[path], name)
    await live.edit(branch, [{"kind": "write", "path": path, "text": text}])
    report = (await live.check(branch, "edited")).report
    assert markers(report.introduced) == [marker], (marker, report)
