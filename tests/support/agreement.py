"""Compares checks in one live session with the oracle: right, wrong or unknown, edit by edit."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.support.edits import GeneratedEdit
from tests.support.oracle import Delta, Key, settled
from tests.support.servers import MissingServerError, environment, npm_packages
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.disk.journal.journal import Journal
from understudy.disk.layout import Layout
from understudy.values.findings import Finding, counts
from understudy.values.paths import Root
from understudy.values.verdicts import CheckReport, Verdict
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.servers.answer_cache import AnswerCache
from understudy.workspace.session import Session
from understudy.workspace.settings import Scope, Settings

Outcome = Literal["right", "wrong", "unknown"]
_REWRITTEN = -1
"""In place of the line of a finding: it was among those that the edit wrote anew."""
CHECK_DEADLINE_S = 300.0
"""Also for the last of 256 that wait for a server that takes half a second for each."""


@dataclass(frozen=True)
class Judgement:
    """One edit's outcome. `missing` and `extra`: keys the check lacks, or has beyond the oracle's.

    `dependents`: untouched files whose findings changed; `missed`: those the check left out.
    `verdict`: the check's on the whole.
    """

    edit: GeneratedEdit
    outcome: Outcome
    missing: Counter[Key]
    extra: Counter[Key]
    dependents: frozenset[str]
    missed: frozenset[str]
    reasons: tuple[str, ...] = ()
    verdict: Verdict = "unknown"

    def __str__(self) -> str:
        text = f"{self.outcome}: {self.edit.kind}: {self.edit.label}"
        for name in ("missing", "extra", "missed", "reasons"):
            if getattr(self, name):
                text += f"\n    {name}: {getattr(self, name)}"
        return text


@dataclass
class Tally:
    """All outcomes of one server."""

    judgements: list[Judgement] = field(default_factory=lambda: [])

    def number(self, outcome: Outcome) -> int:
        """How many edits came out so."""
        return sum(judged.outcome == outcome for judged in self.judgements)

    @property
    def n_beside_findings(self) -> int:
        """Unknown ones whose verdict is `findings`: only other files are not known."""
        unknown = (judged for judged in self.judgements if judged.outcome == "unknown")
        return sum(judged.verdict == "findings" for judged in unknown)

    @property
    def n_wrong(self) -> int:
        """Wrong answers."""
        return self.number("wrong")

    @property
    def n_dependents(self) -> int:
        """Untouched files whose findings an edit changed, over all edits."""
        return sum(len(judged.dependents) for judged in self.judgements)

    @property
    def recall(self) -> float:
        """The share of dependents that were judged, or named as unknown."""
        missed = sum(len(judged.missed) for judged in self.judgements)
        return 1.0 if self.n_dependents == 0 else 1 - missed / self.n_dependents

    def wrong(self) -> str:
        """The wrong answers in words, for a message."""
        return "\n".join(str(judged) for judged in self.judgements if judged.outcome == "wrong")


class Rehearsals:
    """One live session over a folder: each edit gets a branch of its own."""

    def __init__(self, session: Session, server: str) -> None:
        self.session = session
        self.server = server

    async def branch(self, edit: GeneratedEdit) -> str:
        """A new branch with the edit in it."""
        made = await self.session.branches.create("rehearsal")
        await self.edit(made.id, edit.as_edits())
        return made.id

    async def edit(self, branch_id: str, edits: list[dict[str, str]]) -> None:
        """Put more edits into a branch."""
        await self.session.branches.edit(branch_id, edits, await self.session.fresh_base())

    async def check(self, branch_id: str, scope: Scope = "affected") -> Checked:
        """The branch against the base, by this one server."""
        options = CheckOptions(
            scope=scope,
            severity="warning",
            servers=(self.server,),
            timeout_s=CHECK_DEADLINE_S,
        )
        after = branch_side(self.session.branches, branch_id)
        return await check(self.session, base_side, after, options, owner=branch_id)

    async def check_all(
        self,
        edits: Sequence[GeneratedEdit],
        order: Iterable[int],
        at_once: int,
        abandoned: random.Random | None = None,
    ) -> list[CheckReport]:
        """Check the edits in an order, some of them waiting at once; the reports as `edits` is.

        With `abandoned`, a check of another edit is begun before each and given up half-way.
        """
        ids = [await self.branch(edit) for edit in edits]
        gate = asyncio.Semaphore(at_once)

        async def one(index: int) -> tuple[int, CheckReport]:
            async with gate:
                if abandoned is not None:
                    await self.abandon(abandoned.choice(ids), abandoned.uniform(0, 0.2))
                return index, (await self.check(ids[index])).report

        found = dict(await asyncio.gather(*(one(index) for index in order)))
        return [found[index] for index in range(len(edits))]

    async def abandon(self, branch_id: str, seconds: float) -> None:
        """Begin a check whose answers are not kept; give it up after that time at the latest."""
        self.session.answers = AnswerCache()
        checking = asyncio.ensure_future(self.check(branch_id))
        await asyncio.wait([checking], timeout=seconds)
        checking.cancel()
        await asyncio.wait([checking])
        self.session.answers = AnswerCache()

    async def generation(self) -> int:
        """How many processes the server has used, each seat's counted for itself.

        1 for a command, which has a process for each question.
        """
        statuses = await self.session.pool.status()
        return max((status.generation for status in statuses), default=1)


@asynccontextmanager
async def rehearsals(folder: Path, state: Path, server: str) -> AsyncIterator[Rehearsals]:
    """A trusted session over a folder, ended at the end."""
    layout = Layout(state).create()
    root = Root.open(folder)
    journal = await Journal.open(layout.journal)
    beside = (str(npm_packages("eslint")),) if server == "eslint" else ()
    settings = Settings(stage_home=beside)  # the project's ESLint lies where it is installed
    session = Session(root, settings, layout, trusted=True, environ=environment(), journal=journal)
    try:
        await session.branches.load()
        (choice,) = (choice for choice in session.servers.all() if choice.name == server)
        if choice.reason is not None:
            raise MissingServerError(choice.reason.text)
        yield Rehearsals(session, server)
    finally:
        await session.close()
        await journal.close()


def compare(
    edit: GeneratedEdit, report: CheckReport, truth: Delta, unsaid: Counter[Key] | None = None
) -> Judgement:
    """Hold a report against the oracle; `unsaid` is what an oracle that gave up leaves open.

    What a check calls unknown is neither right nor wrong; all else must be as the oracle has it,
    also in files that the check did not look at. Files that it says no server judges, as a
    command line does its own configuration, are left out.
    """
    truth = _judged(truth, frozenset(report.unjudged))
    unknown = {file.path for file in report.files if file.verdict == "unknown"}
    # What is only hidden or silenced, a cold command line does not say either: to it, it is gone.
    silenced = [finding for silencing in report.silenced for finding in silencing.findings]
    hidden = _keys(one.finding for one in report.hidden) - (unsaid or Counter())
    gone = _keys([*report.fixed, *silenced]) + hidden
    found = _without_milder(Delta(_keys(report.introduced), gone), edit)
    found = settled(found, edit)
    fixed, truly_fixed = (_without_taste(one.fixed, edit) for one in (found, truth))
    missing = (truth.introduced - found.introduced) + (truly_fixed - fixed)
    extra = (found.introduced - truth.introduced) + (fixed - truly_fixed)
    missing = Counter({key: n for key, n in missing.items() if key[0] not in unknown})
    dependents = truth.untouched(edit)
    missed = dependents - {file.path for file in report.files}
    false_clean = report.verdict == "clean" and bool(truth.introduced)
    wrong = bool(missing or extra or missed or false_clean)
    outcome: Outcome = "wrong" if wrong else "unknown" if unknown else "right"
    reasons = {str(file.reason) for file in report.files if file.verdict == "unknown"}
    said = tuple(sorted(reasons))
    return Judgement(edit, outcome, missing, extra, dependents, missed, said, report.verdict)


def _without_taste(fixed: Counter[Key], edit: GeneratedEdit) -> Counter[Key]:
    """Fixed findings without the lines of those that stood on rewritten ones.

    Which of several such findings is gone, and which is still there, is a matter of taste.
    """
    kept = {path: set(edit.origins[home]) for path, home in edit.homes().items()}
    found: Counter[Key] = Counter()
    for key, number in fixed.items():
        path, line, code = key
        is_last = line >= len((edit.before.get(path) or "").splitlines())
        is_kept = path not in kept or is_last or line in kept[path]
        found[key if is_kept else (path, _REWRITTEN, code)] += number
    return found


def _judged(truth: Delta, unjudged: frozenset[str]) -> Delta:
    kept = (
        Counter({key: number for key, number in found.items() if key[0] not in unjudged})
        for found in (truth.introduced, truth.fixed)
    )
    return Delta(*kept)


def _without_milder(delta: Delta, edit: GeneratedEdit) -> Delta:
    """Strike out what only changed its severity, as configuration can make it: keys have none."""
    both = Counter(
        {
            key: min(number, delta.fixed[key])
            for key, number in delta.introduced.items()
            if key[0] not in edit.files
        }
    )
    return Delta(delta.introduced - both, delta.fixed - both)


def _keys(findings: Iterable[Finding]) -> Counter[Key]:
    return Counter(
        (finding.path, finding.range.start.line, finding.code)
        for finding in findings
        if counts(finding.severity, "warning")
    )
