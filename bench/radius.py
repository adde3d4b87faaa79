"""Which files an edit can break, beside whole-project cold runs before and after it.

The edits are those between releases of published projects, their files, hunks and halves of hunks,
and mutations. A file that the cold runs judge otherwise, and that the radius leaves out, is missed.
What a cold run found is kept, so a row that was cut goes on where it was.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.radius_corpora import CORPORA, JUDGES, Releases
from bench.report import Figure, Setup, percentile
from tests.support.edits import GeneratedEdit
from tests.support.sample import Project
from tests.support.sessions import open_session
from tests.support.truth_cache import KeptTruth
from understudy.app.check.blast_radius import blast_radius
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.session import Session

_ROUND_S = 60


@dataclass
class _Tally:
    n_edits: int = 0
    n_affected: int = 0
    n_asked: list[int] = field(default_factory=list[int])
    missed: list[str] = field(default_factory=list[str])

    def add(self, edit: GeneratedEdit, asked: frozenset[str], affected: frozenset[str]) -> None:
        """Count one edit."""
        self.n_edits += 1
        self.n_affected += len(affected)
        self.n_asked.append(len(asked))
        self.missed += [f"{edit.label}: {path}" for path in sorted(affected - asked)]


async def run(setup: Setup) -> list[Figure]:
    """Of each project the files missed, and how many were asked."""
    return [await _of(setup, one) for one in CORPORA]


async def _of(setup: Setup, releases: Releases) -> Figure:
    tally, said = _Tally(), time.monotonic()
    name = releases.name.rpartition("github.com/")[2].replace("/", " ")
    async with AsyncExitStack() as stack:
        compared = _Compared(stack, setup.folder / name, releases.judge)
        for project, edit in list(releases.edits())[: setup.n_edits]:
            tally.add(edit, *await compared.of(project, edit))
            if time.monotonic() - said > _ROUND_S:
                said = time.monotonic()
                setup.say(f"radius: {name}: {tally.n_edits} edits, {len(tally.missed)} missed")
    for line in tally.missed:
        setup.say(f"radius: {name}: missed: {line}")
    assert tally.n_edits, f"no edits of {name}: are its releases what they were?"
    setup.say(f"radius: {name}: {tally.n_edits} edits, {len(tally.missed)} missed")
    return _figure(name, tally)


@dataclass
class _Compared:
    """A session and the truth for each project that an edit is of."""

    stack: AsyncExitStack
    folder: Path
    judge: str
    kept: dict[int, tuple[Session, KeptTruth]] = field(
        default_factory=dict[int, tuple[Session, KeptTruth]]
    )

    async def of(self, project: Project, edit: GeneratedEdit) -> tuple[frozenset[str], ...]:
        """The untouched files that are asked, and those that cold runs judge otherwise."""
        if id(project) not in self.kept:
            folder = self.folder / str(len(self.kept))
            opened = open_session(folder, dict(project.files), {})
            session = await self.stack.enter_async_context(opened)
            oracle = JUDGES[self.judge].oracle
            self.kept[id(project)] = session, KeptTruth(oracle, project, folder / "truth")
        session, truth = self.kept[id(project)]
        asked = await asked_by(session, edit)
        delta = await asyncio.to_thread(truth.delta, edit)
        return asked, delta.untouched(edit)


async def asked_by(session: Session, edit: GeneratedEdit) -> frozenset[str]:
    """The files that the radius names beside the edited ones; no server is asked."""
    base = await session.fresh_base()
    branch = await session.branches.create("radius")
    try:
        await session.branches.edit(branch.id, edit.as_edits(), base)
        after = await session.branches.snapshot(branch.id, base)
        radius = await blast_radius(session.bindings, Snapshot(base), after, "affected")
    finally:
        await session.branches.discard(branch.id)
    return frozenset(radius.distance) - radius.changed


def _figure(name: str, tally: _Tally) -> Figure:
    median = statistics.median(tally.n_asked)
    p90 = percentile(tally.n_asked, 90)
    ours = f"{len(tally.missed)} missed; asked {median:.0f} median, {p90:.0f} p90"
    return Figure(
        "radius", name, ours, f"{tally.n_affected} files changed in {tally.n_edits} edits",
        bar="0 missed, p90 <= 60", ok=not tally.missed and p90 <= 60,
        data={"missed": tally.missed, "asked": tally.n_asked, "affected": tally.n_affected},
    )  # fmt: skip
