"""The verb `rank`: which of many patches is the best, and why.

applies? -> same as another? -> findings, with the blast radius -> tests, of those still in the race
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import field

from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.app.rank.candidate import GivenCandidate, RankedPatch, ordered
from understudy.app.rank.race import Race
from understudy.app.rank.same import code_stamp, text_stamp
from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, Conflict
from understudy.values.frozen import frozen
from understudy.values.texts import Text
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions, refuse_unknown_servers, time_limit
from understudy.workspace.progress import Progress, silent
from understudy.workspace.session import Session

MOST_CANDIDATES = 4096
"""Candidates of one ranking: each is held in memory until the end."""
MOST_COPIES = 4
"""Processes of one server at most: each takes the memory of one."""


@frozen
class RankQuestion:
    """What is ranked and how; `command` runs the tests (none: findings alone decide).

    `test_seconds` is the time limit of each run of it; `by_user` and `environ` as in `RunOptions`.
    Raises BadInput `no-candidates`, `too-many-candidates`, `same-id`.
    """

    candidates: Sequence[GivenCandidate]
    options: CheckOptions = field(default_factory=CheckOptions)
    command: tuple[str, ...] = ()
    test_seconds: float | None = None
    by_user: bool = False
    environ: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not self.candidates:
            raise BadInput("no-candidates", "name at least one patch or branch to rank")
        if len(self.candidates) > MOST_CANDIDATES:
            text = (
                f"{len(self.candidates)} candidates; at most {MOST_CANDIDATES} are ranked at once"
            )
            raise BadInput("too-many-candidates", text)
        seen = set[str]()
        for one in self.candidates:
            if one.id in seen:
                raise BadInput("same-id", "two candidates have this id; each needs its own", one.id)
            seen.add(one.id)


@frozen
class Ranking:
    """All candidates, best first; `n_tests_run` counts single tests, where their runner names them.

    `base_tests` are how many passed and failed without any candidate (None: none were run).
    """

    candidates: Sequence[RankedPatch]
    n_tests_run: int
    base_tests: tuple[int, int] | None
    elapsed_ms: float


async def rank(
    session: Session, question: RankQuestion, live_base: LiveBase, progress: Progress = silent
) -> Ranking:
    """Judge all candidates, the cheap questions first, and put them in order.

    A patch that cannot be read or does not apply is the last row, and no failure. Raises BadInput
    (`unknown-branch`, `unknown-server`, `bad-timeout`), and what `run` does for the test command.
    """
    began = time.monotonic()
    refuse_unknown_servers(session.servers, question.options)
    time_limit(question.options.timeout_s, session.settings.timeout_s)
    async with AsyncExitStack() as branches:
        found = [await _laid(session, one, live_base, branches) for one in question.candidates]
        await _find_same(session, found, live_base)
        leaders = [one for one in found if one.refused is None and one.same_as is None]
        await _check_all(session, leaders, question.options, live_base, progress)
        n_run, base_tests = 0, None
        if question.command:
            leaders.sort(key=RankedPatch.place)
            race = Race(
                session, live_base, question.command, question.test_seconds,
                question.by_user, question.environ, progress,
            )  # fmt: skip
            await race.run(leaders)
            n_run = race.n_tests_run
            if leaders:
                report = race.base[0]
                passed = max(report.n_passed, len(report.passed))
                base_tests = passed, max(report.n_failed, len(report.failed))
        by_id = {one.id: one for one in leaders}
        for one in found:
            if one.same_as is not None:
                one.checked, one.tests = by_id[one.same_as].checked, by_id[one.same_as].tests
        return Ranking(ordered(found), n_run, base_tests, (time.monotonic() - began) * 1000)


async def _laid(
    session: Session, given: GivenCandidate, live_base: LiveBase, branches: AsyncExitStack
) -> RankedPatch:
    """The candidate on a branch, or why it cannot be."""
    one = RankedPatch(given.id, refused=given.unreadable)
    if one.refused is not None:
        return one
    if given.branch is not None:
        one.book, one.branch = session.branches, (await session.branches.get(given.branch)).id
    else:
        one.book = session.unlisted
        passing = passing_branch(one.book, list(given.edits), live_base, "candidate")
        try:
            one.branch = await branches.enter_async_context(passing)
        except (BadInput, Conflict) as error:
            one.refused = error
            return one
    snapshot = await one.book.snapshot(one.branch, live_base.now)
    one.lines = _changed_lines(snapshot)
    return one


async def _find_same(session: Session, found: Sequence[RankedPatch], live_base: LiveBase) -> None:
    """Have all but the smallest of those that say the same follow it."""
    by_text, by_code = dict[str, RankedPatch](), dict[str, RankedPatch]()
    first_texts = dict[str, str]()
    for one in sorted(found, key=lambda one: (one.lines, one.id)):
        if one.refused is not None:
            continue
        assert one.book is not None
        snapshot = await one.book.snapshot(one.branch, live_base.now)
        text = text_stamp(snapshot)
        leader = by_text.get(text)
        if leader is None:
            code = await code_stamp(snapshot, session.workers)
            leader = by_text[text] = by_code.setdefault(code, one)
        if leader is one:
            first_texts[one.id] = text
        else:
            one.same_as = leader.id
            one.sameness = "text" if first_texts[leader.id] == text else "code"
            leader.votes += 1


async def _check_all(
    session: Session,
    leaders: Sequence[RankedPatch],
    options: CheckOptions,
    live_base: LiveBase,
    progress: Progress,
) -> None:
    """Check each; the base is judged once for all, as its answers are kept."""
    # While a user types, one process is enough: the cores are the user's.
    cores = 1 if session.beside_an_editor else os.cpu_count() or 1
    copies = min(cores, MOST_COPIES, len(leaders))
    room, done = asyncio.Semaphore(copies), 0

    async def one_of(one: RankedPatch) -> None:
        nonlocal done
        assert one.book is not None
        async with room:
            began = time.monotonic()
            after = branch_side(one.book, one.branch)
            one.checked = await check(
                session, base_side, after, options, owner=one.id, live_base=live_base
            )
            one.seconds = time.monotonic() - began
            done += 1
            progress("checked candidates", done, len(leaders))

    with session.pool.several(copies):
        await all_of([one_of(one) for one in leaders])


def _changed_lines(snapshot: Snapshot) -> int:
    """Lines that are added or removed, counted as sets: which is smaller is all that matters."""
    total = 0
    for path, after in snapshot.edits.items():
        try:
            before = snapshot.base.folder.packed(snapshot.origins.get(path, path))
        except BadInput:  # no text
            before = None
        old, new = (
            _lines(None if before is None else before.unpack()),
            _lines(None if after is None else after.unpack()),
        )
        total += sum(abs(old.get(line, 0) - new.get(line, 0)) for line in {*old, *new})
    return total


def _lines(text: Text | None) -> dict[str, int]:
    counted: dict[str, int] = {}
    for line in () if text is None else text.content.splitlines():
        counted[line] = counted.get(line, 0) + 1
    return counted
