"""Verdicts on real edits of published projects, on a warm session with the default time limit.

Each is held against cold command lines over the whole project, before the edit and after it: what
is missed, invented, or called fixed while it is still there. A finding that an edit "fixes" while
it breaks something, and that is there again once the larger edit is whole of which it is a part,
was only hidden. Halves of hunks are broken on purpose, and so counted apart; so are projects in
which an import leads nowhere, as a dependency is not installed.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from bench.radius_corpora import CORPORA, JUDGES, Releases
from bench.report import Figure, Setup, percentile
from bench.verdict_corpora import MORE
from tests.support.agreement import Judgement, Rehearsals, compare, rehearsals
from tests.support.edits import GeneratedEdit
from tests.support.oracle import Found, Key
from tests.support.release_edits import RealEdit, release_edits
from tests.support.sample import Project
from tests.support.truth_cache import KeptTruth
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.values.verdicts import CheckReport
from understudy.workspace.options import CheckOptions

MAX_UNKNOWN = 0.01
SEED = 17
_SERVERS = {"gcc": "clangd"}
"""Who judges where the radius' truth is told by what the product does not ask."""
_LEADS_NOWHERE = frozenset(
    ("unresolved-import", "reportMissingImports", "2307", "BrokenImport", "E0432", "E0433",
     "pp_file_not_found")
)  # fmt: skip
"""Codes by which the cold run says, before any edit, that a dependency is not there."""


@dataclass
class _Tally:
    """The edits of one kind."""

    n_edits: int = 0
    unknown: list[str] = field(default_factory=list[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    n_beside_findings: int = 0
    wrong: list[str] = field(default_factory=list[str])
    wrong_fixed: list[str] = field(default_factory=list[str])
    n_fixed: int = 0
    n_hidden: int = 0
    took_ms: list[float] = field(default_factory=list[float])

    def add(self, judged: Judgement, report: CheckReport, wrong_fixed: Sequence[Key]) -> None:
        """Count one edit."""
        self.n_edits += 1
        self.n_fixed += len(report.fixed)
        self.n_hidden += len(report.hidden)
        self.took_ms.append(report.elapsed_ms)
        if report.verdict == "unknown":
            self.unknown.append(judged.edit.label)
            first = next(file for file in report.files if file.verdict == "unknown")
            assert first.reason is not None, first
            self.reasons[f"{first.reason.code}: {first.reason.text}"] += 1
        elif judged.reasons:
            self.n_beside_findings += 1
        if judged.outcome == "wrong":
            self.wrong.append(str(judged))
        self.wrong_fixed += [f"{judged.edit.label}: {key}" for key in wrong_fixed]


@dataclass
class _Counts:
    whole: _Tally = field(default_factory=_Tally)
    halves: _Tally = field(default_factory=_Tally)
    lacking: set[str] = field(default_factory=set[str])


async def run(setup: Setup) -> list[Figure]:
    """Of each project what is unknown or wrong; and the share of unknown ones over all of them."""
    counted: dict[str, _Counts] = {}
    figures: list[Figure] = []
    for releases in (*CORPORA, *MORE):
        counts = counted[releases.name] = await _of(setup, releases)
        figures.append(_figure(releases, counts))
    return [*figures, _share(counted)]


async def _of(setup: Setup, releases: Releases) -> _Counts:
    counts = _Counts()
    server = _SERVERS.get(releases.judge, releases.judge)
    oracle = JUDGES[server].oracle
    by_project = _edits(releases, setup.n_edits)
    for number, (project, edits) in enumerate(by_project):
        folder = setup.folder / releases.name.replace("/", " ") / str(number)
        truth = KeptTruth(oracle, project, folder / "truth")
        counts.lacking |= _lacking(await asyncio.to_thread(truth.findings_before))
        async with AsyncExitStack() as stack:
            opened = rehearsals(project.write(folder / "project"), folder / "state", server)
            live = await stack.enter_async_context(opened)
            await _report(live, edits[0])  # the server looks around
            for edit in edits:
                report = await _report(live, edit)
                judged, hidden = await asyncio.to_thread(_held, truth, edit, report)
                tally = counts.halves if edit.is_half else counts.whole
                tally.add(judged, report, hidden)
                _say(setup, releases, judged, hidden)
    return counts


def _edits(releases: Releases, most: int) -> Iterator[tuple[Project, list[RealEdit]]]:
    """Each release with the edits that lead towards the next one, in an order that mixes them."""
    projects = [releases.project(version) for version in releases.versions]
    steps = list(itertools.pairwise(projects))
    for before, after in steps:
        found = list(release_edits(before, after))
        random.Random(SEED).shuffle(found)  # noqa: S311 - the same order in every run
        yield before, found[: -(-most // len(steps))]


async def _report(live: Rehearsals, edit: GeneratedEdit) -> CheckReport:
    """A check in the default scope and within the default time limit."""
    branch = await live.branch(edit)
    options = CheckOptions(severity="warning", servers=(live.server,))
    after = branch_side(live.session.branches, branch)
    checked = await check(live.session, base_side, after, options, owner=branch)
    await live.session.branches.discard(branch)
    return checked.report


def _held(truth: KeptTruth, edit: RealEdit, report: CheckReport) -> tuple[Judgement, list[Key]]:
    """A report beside the cold runs, and what it calls fixed though it is only hidden."""
    judged = compare(edit, report, truth.delta(edit), truth.unsaid(edit))
    return judged, _hidden_after_all(truth, edit, report)


def _lacking(before: Counter[Found]) -> set[str]:
    return {f"{one.path}: {one.code}" for one in before if one.code in _LEADS_NOWHERE}


def _hidden_after_all(truth: KeptTruth, edit: RealEdit, report: CheckReport) -> list[Key]:
    """What is called fixed while the edit breaks something, and a larger edit brings back."""
    fixed = Counter((one.path, one.range.start.line, one.code) for one in report.fixed)
    if not fixed or edit.part_of is None or not truth.delta(edit).introduced:
        return []
    larger: RealEdit | None = edit.part_of
    back: set[Key] = set()
    while larger is not None:
        gone = truth.delta(larger).fixed
        back |= {key for key in fixed if key not in gone and _is_kept(larger, key)}
        larger = larger.part_of
    return sorted(back, key=str)


def _is_kept(edit: GeneratedEdit, key: Key) -> bool:
    """Whether the line of a finding is still there after an edit."""
    path, line, _ = key
    return path not in edit.files or line in (edit.origins.get(path) or ())


def _say(setup: Setup, releases: Releases, judged: Judgement, hidden: Sequence[Key]) -> None:
    if judged.outcome != "right":
        setup.say(f"verdicts: {releases.name}: {judged.verdict}: {judged}")
    if hidden:
        setup.say(f"verdicts: {releases.name}: {judged.edit.label}: only hidden: {hidden}")


def _figure(releases: Releases, counts: _Counts) -> Figure:
    server = _SERVERS.get(releases.judge, releases.judge)
    name = f"{releases.name.rpartition('github.com/')[2].replace('/', ' ')} by {server}"
    whole, halves = counts.whole, counts.halves
    wrong = [*whole.wrong, *halves.wrong]
    wrong_fixed = [*whole.wrong_fixed, *halves.wrong_fixed]
    ours = f"{len(whole.unknown)} of {whole.n_edits} unknown"
    if halves.n_edits:
        ours += f" (halves {len(halves.unknown)} of {halves.n_edits})"
    if counts.lacking:
        ours += "; lacks a dependency"
    return Figure(
        "verdicts", name, ours, f"{len(wrong)} wrong, {len(wrong_fixed)} only hidden",
        bar="0 wrong", ok=not wrong and not wrong_fixed,
        data={"wrong": wrong, "wrong_fixed": wrong_fixed, "lacking": sorted(counts.lacking),
              "unknown": {**whole.reasons}, "unknown_halves": {**halves.reasons},
              "beside_findings": whole.n_beside_findings,
              "fixed": whole.n_fixed + halves.n_fixed, "hidden": whole.n_hidden + halves.n_hidden,
              "p90_ms": percentile(whole.took_ms, 90)},
    )  # fmt: skip


def _share(counted: dict[str, _Counts]) -> Figure:
    """The share of unknown verdicts, where nothing that a project needs is missing."""
    complete = [counts.whole for counts in counted.values() if not counts.lacking]
    others = [counts.whole for counts in counted.values() if counts.lacking]
    n_edits = sum(tally.n_edits for tally in complete)
    share = sum(len(tally.unknown) for tally in complete) / n_edits
    reasons: Counter[str] = sum((tally.reasons for tally in complete), Counter())
    apart = sum(len(tally.unknown) for tally in others)
    return Figure(
        "verdicts", f"{len(complete)} complete projects", f"{share:.1%} of {n_edits} unknown",
        f"{apart} of {sum(tally.n_edits for tally in others)} of those that lack a dependency",
        bar=f"<= {MAX_UNKNOWN:.0%} of >= 12", ok=share <= MAX_UNKNOWN and len(complete) >= 12,
        data={"reasons": {**reasons}, "complete": [n for n, c in counted.items() if not c.lacking]},
    )  # fmt: skip
