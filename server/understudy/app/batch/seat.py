"""A seat: one warm session that judges rows of one revision after the other. It runs in a process
of its own, and knows nothing of queues.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.app.batch.checkout import Checkouts
from understudy.app.reward.named_tests import RunsOfTests, TaskTests
from understudy.app.reward.reward import rated, score_one
from understudy.disk.layout import Layout
from understudy.findings.lines import finding_line
from understudy.findings.rewards import Weights
from understudy.shadow.folder import Moved
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.stamps import stamp_of
from understudy.values.verdicts import Answer, CheckReport
from understudy.workspace import settings as settings_module
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.servers.environment import find_git
from understudy.workspace.session import Session

_MOST_FINDINGS = 200
"""Findings of a row that are told; all are counted."""
_SCORED = (
    "deleted_tests", "emptied_tests", "skipped_tests", "tampered", "empty", "unread", "reward",
    "verified", "resolved", "fail_to_pass", "pass_to_pass", "tests_ended",
)  # fmt: skip
"""Columns that are fields of the score."""
_UNRESOLVED = frozenset(
    (
        *("reportMissingImports", "unresolved-import", "import-not-found"),  # Python's checkers
        *("2307", "2792", "7016", "BrokenImport"),  # TypeScript, Go
        *("unresolved-module", "E0432", "E0433", "pp_file_not_found"),  # Rust, C++
    )
)
"""Codes of findings that say that an import leads nowhere: what stands behind it hides errors."""

RowAnswer = dict[str, Any]


@frozen
class SeatTerms:
    """What all rows of a batch are judged with; `command` runs the tests of those without one."""

    scope: str | None
    severity: str | None
    timeout_s: float
    trust: bool
    command: tuple[str, ...] = ()
    test_timeout_s: float = 600.0


class JudgingSeat:
    """Owns its checkouts and the session over the one that is open."""

    def __init__(self, folder: Path, terms: SeatTerms) -> None:
        git = find_git(None)
        if git is None:
            raise OutsideFailure("not-installed", "a batch needs git", "git")
        self._checkouts = Checkouts(git, folder / "checkouts")
        self._state = Layout(folder / "state")
        self._terms = terms
        self._at: tuple[str, str] | None = None
        self._session: Session | None = None
        self._known: dict[str, RowAnswer] = {}
        self._runs: dict[str, RunsOfTests] = {}

    async def judge(
        self, repo: str, mirror: Path, revision: str, rows: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[RowAnswer, None]:
        """The columns of each row (as `asked_of`), in order; `{}` once the checkout is open."""
        try:
            session = await self._open(repo, mirror, revision)
        except UnderstudyError as error:
            for row in rows:
                yield {"id": row["id"], **refused(error)}
            return
        yield {}
        for row in rows:
            began = time.monotonic()
            terms = self._terms
            asked = json.dumps([row["patch"], row["tests"]])
            digest = hashlib.sha256(asked.encode()).hexdigest()
            found = self._known.get(digest)
            if found is None:
                found = await self._judged(session, row["patch"], row["tests"])
                question = (repo, revision, digest, terms.scope, terms.severity, *terms.command)
                found["stamp"] = stamp_of((*question, *found["versions"]))
                self._known[digest] = found
            seconds = round(time.monotonic() - began, 3)
            yield {"id": row["id"], **found, "seconds": seconds}

    async def close(self) -> None:
        """End the session and its servers."""
        session, self._session, self._at = self._session, None, None
        self._known, self._runs = {}, {}
        if session is not None:
            await session.close()

    async def _open(self, repo: str, mirror: Path, revision: str) -> Session:
        if self._session is not None and self._at == (repo, revision):
            return self._session
        await self.close()
        root = Root.open(await self._checkouts.at(repo, mirror, revision))
        settings = settings_module.load(root, trusted=self._terms.trust)
        self._session = Session(root, settings, self._state.create(), self._terms.trust)
        self._at = (repo, revision)
        return self._session

    async def _judged(self, session: Session, patch: str, tests: Mapping[str, Any]) -> RowAnswer:
        terms = self._terms
        options = CheckOptions(
            scope=terms.scope,  # pyright: ignore[reportArgumentType] - the command line checks it
            severity=terms.severity,  # pyright: ignore[reportArgumentType] - as above
            timeout_s=terms.timeout_s,
        )
        try:
            task = self._task(tests)
            runs = RunsOfTests(session, session.bases.own, task)
            runs = self._runs.setdefault(json.dumps(tests), runs)
            scored = await score_one(runs, _diff(patch), options)
        except UnderstudyError as error:
            if isinstance(error, OutsideFailure):
                return {**refused(error), "verdict": "failed"}
            return refused(error)
        if scored.checked is None or scored.error is not None:
            assert scored.error is not None
            return {**refused(scored.error), "empty": scored.score.empty}
        columns = await _columns(session, scored.checked)
        score, named = scored.score, tests["fail_to_pass"] or tests["pass_to_pass"]
        if columns["environment"] == "none" or (named and not task.command):
            score = replace(score, verified=False)
        if columns["verdict"] == "unknown":
            score = replace(score, verdict="unknown")
        score = rated(score, Weights())
        told = {name: getattr(score, name) for name in _SCORED}
        return {**columns, **told, "not_passed": list(score.not_passed[:_MOST_FINDINGS])}

    def _task(self, tests: Mapping[str, Any]) -> TaskTests:
        """The tests of a row; without trust, none are run, as they are code of the repository."""
        terms = self._terms
        command = tuple(tests["command"]) or terms.command
        if not terms.trust or not command:
            return TaskTests()
        return TaskTests(
            command, tuple(tests["fail_to_pass"]), tuple(tests["pass_to_pass"]),
            _diff(tests["patch"]), terms.test_timeout_s,
        )  # fmt: skip


def _diff(patch: str) -> list[dict[str, str]]:
    return [{"kind": "diff", "text": patch}] if patch.strip() else []


def refused(error: UnderstudyError) -> RowAnswer:
    """The columns of a row that cannot be judged, whoever judges it."""
    return {**_NOTHING, "verdict": "refused", "code": error.code, "text": str(error)}


async def _columns(session: Session, checked: Checked) -> RowAnswer:
    report = checked.report
    errors = sum(one.severity == "error" for one in report.introduced)
    reasons: set[str] = {file.reason.code for file in report.files if file.reason is not None}
    environment = await _environment(session, checked)
    verdict: str = report.verdict
    if environment == "none":
        reasons.add("environment")
        verdict = "unknown" if verdict == "clean" else verdict
    return {
        **_NOTHING,
        "verdict": verdict,
        "environment": environment,
        "introduced_errors": errors,
        "introduced_others": len(report.introduced) - errors,
        "fixed": len(report.fixed),
        "hidden": len(report.hidden),
        "silenced": len(report.silenced),
        "remaining": report.remaining,
        "files": len(report.files),
        "unjudged": len(report.unjudged),
        "unknown": sum(file.verdict == "unknown" for file in report.files),
        "reasons": sorted(reasons),
        "findings": [finding_line(one) for one in report.introduced[:_MOST_FINDINGS]],
        "versions": _versions(session, report),
    }


_NOTHING: RowAnswer = {
    "verdict": "failed",
    "code": None,
    "text": None,
    "environment": None,
    "stamp": None,
    "introduced_errors": 0,
    "introduced_others": 0,
    "fixed": 0,
    "hidden": 0,
    "silenced": 0,
    "deleted_tests": 0,
    "emptied_tests": 0,
    "skipped_tests": 0,
    "tampered": 0,
    "empty": False,
    "unread": 0,
    "reward": 0.0,
    "verified": False,
    "resolved": None,
    "fail_to_pass": None,
    "pass_to_pass": None,
    "tests_ended": None,
    "not_passed": [],
    "remaining": 0,
    "files": 0,
    "unjudged": 0,
    "unknown": 0,
    "reasons": [],
    "findings": [],
    "versions": [],
    "seconds": 0.0,
}
"""Every column of a row, so that all rows of a table have the same.

`stamp` names the question: repository, revision, patch, what it is judged with.
"""


async def _environment(session: Session, checked: Checked) -> str:
    """`none` if an import of a judged file leads nowhere, on either side; else `complete`.

    What stands behind such an import is anything to a checker, and hides errors.
    """
    for file in checked.report.files:
        for given in await _answers(session, checked, file.path):
            if any(one.code in _UNRESOLVED for one in given.findings or ()):
                return "none"
    return "complete"


async def _answers(session: Session, checked: Checked, path: str) -> list[Answer]:
    found: list[Answer] = []
    for choice in session.servers.choose(path):
        for side in (checked.before, checked.after):
            try:
                state = (await session.taken_files.of(choice.profile, side)).state
            except Moved:  # so it is no longer that of any answer
                continue
            for staged in (False, True):
                given = session.answers.get(choice, side, path, staged=staged, configured=state)
                found += [] if given is None else [given]
    return found


def _versions(session: Session, report: CheckReport) -> list[str]:
    """The servers that were asked, each with what is known of its version."""
    asked = {server.name for file in report.files for server in file.servers}
    named = {
        choice.name: choice.spec.version
        for choice in session.servers.all()
        if choice.spec is not None and choice.name in asked
    }
    return [f"{name} {version}".strip() for name, version in sorted(named.items())]
