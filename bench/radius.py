"""Which files an edit can break, beside whole-project cold runs before and after it.

The edits are those between releases of published projects, their files, hunks and halves of hunks,
and mutations. A file that the cold runs judge otherwise, and that the radius leaves out, is missed.
What a cold run found is kept, so a row that was cut goes on where it was.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.radius_corpora import CORPORA, JUDGES, Releases
from bench.report import Figure, Setup, percentile
from tests.support.edits import GeneratedEdit
from tests.support.sample import Language, Project
from tests.support.sessions import open_session
from tests.support.truth_cache import KeptTruth
from understudy.app.check.blast_radius import blast_radius
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.session import Session

LARGE = 1000
"""Files; a project of more is a large one."""

_LEAST_EDITS, _LEAST_LARGE, _LEAST_PROJECTS = 3000, 300, 12
_ROUND_S = 60


@dataclass
class _Tally:
    name: str
    language: Language
    n_edits: int = 0
    n_large: int = 0
    """Edits of a project of more than a thousand files."""
    n_affected: int = 0
    n_asked: list[int] = field(default_factory=list[int])
    missed: list[str] = field(default_factory=list[str])

    def add(
        self, project: Project, edit: GeneratedEdit, asked: frozenset[str], affected: frozenset[str]
    ) -> None:
        """Count one edit."""
        self.n_edits += 1
        self.n_large += len(project.files) > LARGE
        self.n_affected += len(affected)
        self.n_asked.append(len(asked))
        self.missed += [f"{edit.label}: {path}" for path in sorted(affected - asked)]


async def run(setup: Setup) -> list[Figure]:
    """Of each project the files missed, and how many were asked; what all have at the end."""
    tallies = [await _of(setup, one) for one in CORPORA]
    return [*map(_figure, tallies), _total(tallies)]


async def _of(setup: Setup, releases: Releases) -> _Tally:
    name = releases.name.rpartition("github.com/")[2].replace("/", " ")
    tally, said = _Tally(name, releases.language), time.monotonic()
    async with AsyncExitStack() as stack:
        compared = _Compared(stack, setup.folder / name, releases.judge)
        for project, edit in releases.some_edits(setup.n_edits):
            tally.add(project, edit, *await compared.of(project, edit))
            if time.monotonic() - said > _ROUND_S:
                said = time.monotonic()
                setup.say(f"radius: {name}: {tally.n_edits} edits, {len(tally.missed)} missed")
    for line in tally.missed:
        setup.say(f"radius: {name}: missed: {line}")
    assert tally.n_edits, f"no edits of {name}: are its releases what they were?"
    setup.say(f"radius: {name}: {tally.n_edits} edits, {len(tally.missed)} missed")
    return tally


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
        asked = await asked_by(session, edit, self.judge)
        delta = await asyncio.to_thread(truth.delta, edit)
        return asked, delta.untouched(edit)


async def asked_by(session: Session, edit: GeneratedEdit, judge: str) -> frozenset[str]:
    """The files that the radius names beside the edited ones, for this judge; it is not asked."""

    async def infers() -> bool:
        profile = session.catalogue.named(judge)
        return profile is None or profile.infers_results

    base = await session.fresh_base()
    branch = await session.branches.create("radius")
    try:
        await session.branches.edit(branch.id, edit.as_edits(), base)
        after = await session.branches.snapshot(branch.id, base)
        before = Snapshot(base)
        radius = await blast_radius(session.bindings, before, after, "affected", infers)
    finally:
        await session.branches.discard(branch.id)
    return frozenset(radius.distance) - radius.changed


def _figure(tally: _Tally) -> Figure:
    median = statistics.median(tally.n_asked)
    p90 = percentile(tally.n_asked, 90)
    ours = f"{len(tally.missed)} missed; asked {median:.0f} median, {p90:.0f} p90"
    return Figure(
        "radius", tally.name, ours, f"{tally.n_affected} files changed in {tally.n_edits} edits",
        bar="0 missed", ok=not tally.missed,
        data={"missed": tally.missed, "asked": tally.n_asked, "affected": tally.n_affected},
    )  # fmt: skip


def _total(tallies: Sequence[_Tally]) -> Figure:
    """Whether it was tried often enough, on enough projects, and nothing was missed."""
    n_edits, n_large = sum(one.n_edits for one in tallies), sum(one.n_large for one in tallies)
    n_missed = sum(len(one.missed) for one in tallies)
    enough = n_edits >= _LEAST_EDITS and n_large >= _LEAST_LARGE and len(tallies) >= _LEAST_PROJECTS
    return Figure(
        "radius", "all projects",
        f"{n_missed} missed in {n_edits} edits, {n_large} of them large, {len(tallies)} projects",
        f"{sum(one.n_affected for one in tallies)} files changed",
        bar=f"0 missed in >= {_LEAST_EDITS}, {_LEAST_LARGE} large, {_LEAST_PROJECTS} projects",
        ok=enough and not n_missed,
        data={"edits": n_edits, "large": n_large, "projects": len(tallies), "missed": n_missed,
              "languages": dict(Counter(one.language for one in tallies))},
    )  # fmt: skip
