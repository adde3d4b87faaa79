"""The verb `reward`: a patch scored for who learns from it.

applies? -> findings, with the blast radius -> what it silences and steers -> tests -> one number
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, cast

from understudy.app.check.asked import start_servers
from understudy.app.check.blast_radius import changed_paths
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.app.rank.same import code_stamp
from understudy.app.reward.named_tests import Edits, OutcomeOfTests, RunsOfTests, TaskTests
from understudy.app.reward.tampering import tampering_in
from understudy.findings.rewards import Score, Weights, rewarded
from understudy.outline.detection import language_of_name
from understudy.outline.languages import LANGUAGES
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.code_digest import GRAMMARS
from understudy.values.errors import BadInput, Conflict
from understudy.values.findings import counts
from understudy.values.frozen import frozen
from understudy.workspace.branches.checked import Checked
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions, refuse_unknown_servers, time_limit
from understudy.workspace.progress import Progress, silent
from understudy.workspace.session import Session

_TESTS_OFF = {"deleted-test": "deleted", "emptied-test": "emptied", "skipped-test": "skipped"}


@frozen
class RewardQuestion:
    """Edits (JSON values) that are scored each by itself, with what, and how the facts count.

    Raises BadInput `no-patches`.
    """

    patches: Sequence[Edits]
    options: CheckOptions = field(default_factory=CheckOptions)
    tests: TaskTests = field(default_factory=TaskTests)
    weights: Weights = field(default_factory=Weights)

    def __post_init__(self) -> None:
        if not self.patches:
            raise BadInput("no-patches", "name at least one patch to score")


async def reward(
    session: Session, question: RewardQuestion, live_base: LiveBase, progress: Progress = silent
) -> list[Score]:
    """The scores, in the order of the patches; one that does not apply is `refused`, and earns 0.

    Raises BadInput (`unknown-server`, `bad-timeout`, `bad-test-patch`), and what `run` does.
    """
    refuse_unknown_servers(session.servers, question.options)
    time_limit(question.options.timeout_s, session.settings.timeout_s)
    runs = RunsOfTests(session, live_base, question.tests)
    scores: list[Score] = []
    for number, edits in enumerate(question.patches):
        progress("scored patches", number, len(question.patches))
        scored = await score_one(runs, edits, question.options)
        scores.append(rated(scored.score, question.weights))
    return scores


@frozen
class ScoredPatch:
    """A score, still without its reward, and what it was made of; `error` is why it is refused."""

    score: Score
    checked: Checked | None = None
    error: BadInput | Conflict | None = None


async def score_one(runs: RunsOfTests, edits: Edits, options: CheckOptions) -> ScoredPatch:
    """Check one patch, and run the tests with it; raises what `run` does, `bad-test-patch`."""
    began = time.monotonic()
    session, live_base, book = runs.session, runs.live_base, runs.session.unlisted
    try:
        async with passing_branch(book, list(edits), live_base, "reward") as branch:
            await start_servers(session, book, branch, options, live_base)
            checked = await check(
                session, base_side, branch_side(book, branch), options,
                owner="reward", live_base=live_base,
            )  # fmt: skip
            snapshot = await book.snapshot(branch, live_base.now)
            score = await score_of(session, checked, snapshot)
    except (BadInput, Conflict) as error:
        told = f"{error.code}: {error}"
        return ScoredPatch(Score("refused", empty=_says_nothing(edits), refused=told), error=error)
    outcome = None
    if runs.tests.command and not score.empty:
        outcome = await runs.of(edits, snapshot)
    score = with_tests(score, runs.tests, outcome)
    return ScoredPatch(replace(score, seconds=time.monotonic() - began), checked)


async def score_of(session: Session, checked: Checked, after: Snapshot) -> Score:
    """What a check and the texts themselves say, before any test."""
    report, before = checked.report, Snapshot(after.base)
    counted = sum(counts(one.severity, checked.severity) for one in report.introduced)
    off = Counter[str]()
    for row in report.silenced:
        off[_TESTS_OFF.get(row.how, "unread" if row.is_unread else "silenced")] += 1
    unknown = sum(file.verdict == "unknown" for file in report.files)
    unread = {row.path for row in report.silenced if row.is_unread}
    changed = changed_paths(before, after)
    tampered = 0
    for path in sorted(changed):
        found = await tampering_in(session.workers, path, *_texts(before, after, path))
        tampered += found or 0
        unread |= {path} if found is None else set()
    return Score(
        report.verdict,
        verified=report.verdict != "unknown" and not unknown and not unread,
        introduced=counted,
        milder=len(report.introduced) - counted,
        fixed=len(report.fixed),
        hidden=len(report.hidden),
        unknown=unknown,
        silenced=off["silenced"],
        deleted_tests=off["deleted"],
        emptied_tests=off["emptied"],
        skipped_tests=off["skipped"],
        tampered=tampered,
        empty=await _is_empty(session, before, after, changed),
        unread=len(unread),
    )


def with_tests(score: Score, tests: TaskTests, outcome: OutcomeOfTests | None) -> Score:
    """The score with what the tests said; None: they were asked for and were not run."""
    if not tests.command:
        return score
    if outcome is None:
        return replace(
            score, tests_ended=False, verified=False, resolved=False,
            fail_to_pass=0.0 if tests.fail_to_pass else None,
            pass_to_pass=0.0, not_passed=tests.names,
        )  # fmt: skip
    rates = [rate for rate in (outcome.fail_to_pass, outcome.pass_to_pass) if rate is not None]
    return replace(
        score,
        tests_ended=outcome.ended,
        fail_to_pass=outcome.fail_to_pass,
        pass_to_pass=outcome.pass_to_pass,
        not_passed=outcome.not_passed,
        resolved=outcome.ended and bool(rates) and min(rates) >= 1,
        verified=score.verified and outcome.ended and outcome.is_named,
        tampered=score.tampered + outcome.is_steered,
    )


def rated(score: Score, weights: Weights) -> Score:
    """The score with its reward."""
    number, why = rewarded(score, weights)
    return replace(score, reward=number, why=why)


async def _is_empty(
    session: Session, before: Snapshot, after: Snapshot, changed: frozenset[str]
) -> bool:
    """Whether no code is other than it was: comments, layout and docstrings are none."""
    if not all(_is_code(path) for path in changed):
        return False
    paths = sorted(changed)
    sides: list[str] = []
    for one in (before, after):
        if not all(one.exists(path) for path in paths):
            return False
        picked = Snapshot(one.base, {path: one.packed(path) for path in paths})
        sides.append(await code_stamp(picked, session.workers))
    return sides[0] == sides[1]


def _says_nothing(edits: Edits) -> bool:
    """Whether there is no edit, or none but blank diffs."""
    texts = [one.get("text", "x") for one in map(_fields, edits)]
    return not any(str(text).strip() for text in texts)


def _fields(edit: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", edit) if isinstance(edit, Mapping) else {}


def _is_code(path: str) -> bool:
    language = LANGUAGES.get(language_of_name(path) or "")
    return language is not None and language.grammar in GRAMMARS


def _texts(before: Snapshot, after: Snapshot, path: str) -> tuple[str | None, str | None]:
    return _text(before, path), _text(after, path)


def _text(snapshot: Snapshot, path: str) -> str | None:
    try:
        text: Any = snapshot.read(path)
    except BadInput:  # no text
        return None
    return None if text is None else text.content
