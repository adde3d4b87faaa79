"""Sixteen branches on one server process, while every core is busy: does any see another?

Every switch is a new edit, so that the server is asked each time; half of the switches come after
a check that was abandoned.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from bench.marks import marked, markers
from bench.report import Figure, Setup
from tests.support.agreement import Rehearsals, rehearsals
from tests.support.burners import burners
from tests.support.kit import Pairing
from tests.support.kits import PAIRINGS
from tests.support.projects import project
from tests.support.sample import Project

N_BRANCHES = 16
N_SWITCHES = 200
LONGEST_BEFORE_ABANDONED_S = 0.15


async def run(setup: Setup) -> list[Figure]:
    """One figure a server."""
    return [await _of_server(setup, PAIRINGS[name]) for name in setup.servers]


@dataclass
class _Turns:
    """The branches of one server; each has a lasting error in one file, and changes another."""

    live: Rehearsals
    pairing: Pairing
    sample: Project
    chance: random.Random
    branches: list[str] = field(default_factory=lambda: [])
    lasting: list[str] = field(default_factory=lambda: [])
    n_edits: int = 0

    async def create(self) -> None:
        """Make the branches with their lasting errors."""
        path = self.sample.sources[1]
        for number in range(N_BRANCHES):
            branch = await self.live.session.branches.create(f"branch {number}")
            text, marker = marked(
                self.pairing.language, self.sample.files[path], f"lasting_{number}"
            )
            await self.live.edit(branch.id, [{"kind": "write", "path": path, "text": text}])
            self.branches.append(branch.id)
            self.lasting.append(marker)

    async def edit(self, number: int) -> str:
        """Change a branch's other file; returns the marker of the one new error."""
        self.n_edits += 1
        path = self.sample.sources[0]
        name = f"turn_{self.n_edits}_of_{number}"
        text, marker = marked(self.pairing.language, self.sample.files[path], name)
        edits = [{"kind": "write", "path": path, "text": text}]
        await self.live.edit(self.branches[number], edits)
        return marker

    async def abandon(self) -> None:
        """Begin a check of some branch, and cancel it somewhere on its way."""
        number = self.chance.randrange(N_BRANCHES)
        await self.edit(number)
        checking = asyncio.ensure_future(self.live.check(self.branches[number], "edited"))
        patience = self.chance.uniform(0, LONGEST_BEFORE_ABANDONED_S)
        await asyncio.wait([checking], timeout=patience)
        checking.cancel()
        await asyncio.gather(checking, return_exceptions=True)

    async def switch(self) -> str:
        """Check a random branch after a new edit: `right`, `unknown: why` or what was wrong."""
        number = self.chance.randrange(N_BRANCHES)
        expected = sorted((await self.edit(number), self.lasting[number]))
        report = (await self.live.check(self.branches[number], "edited")).report
        reasons = [str(file.reason) for file in report.files if file.verdict == "unknown"]
        if reasons:
            return f"unknown: {reasons[0]}"
        found = markers(report.introduced)
        return "right" if found == expected else f"expected {expected}, found {found}"


async def _of_server(setup: Setup, pairing: Pairing) -> Figure:
    sample = project(pairing.language)
    folder = setup.folder / pairing.server
    user = sample.write(folder / "project")
    outcomes: list[str] = []
    n_abandoned = 0
    async with rehearsals(user, folder / "state", pairing.server) as live:
        chance = random.Random(pairing.server)  # noqa: S311 - the same turns in every run
        turns = _Turns(live, pairing, sample, chance)
        await turns.create()
        with burners() as n_burners:
            for number in range(N_SWITCHES):
                if number % 2:
                    await turns.abandon()
                    n_abandoned += 1
                outcomes.append(await turns.switch())
        generation = await live.generation()
    n_right = outcomes.count("right")
    unknown = [outcome for outcome in outcomes if outcome.startswith("unknown")]
    wrong = [outcome for outcome in outcomes if outcome != "right" and outcome not in unknown]
    for outcome in [*wrong, *unknown][:5]:
        setup.say(f"{pairing.server}: {outcome}")
    return Figure(
        "switches", pairing.server,
        f"{n_right} right, {len(wrong)} wrong, {len(unknown)} unknown",
        f"{N_SWITCHES} switches, {n_abandoned} after an abandoned check",
        bar="0 wrong",
        ok=not wrong,
        data={"burners": n_burners, "server_processes": generation, "wrong": wrong,
              "unknown": unknown},
    )  # fmt: skip
