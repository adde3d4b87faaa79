"""A seat: one warm session that judges rows of one revision after the other. It runs in a process
of its own, and knows nothing of queues.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.app.batch.checkout import Checkouts
from understudy.app.check.asked import CheckQuestion, answer
from understudy.disk.layout import Layout
from understudy.findings.lines import finding_line
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import Root
from understudy.values.stamps import stamp_of
from understudy.values.verdicts import Answer, CheckReport
from understudy.workspace import settings as settings_module
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

_MOST_FINDINGS = 200
"""Findings of a row that are told; all are counted."""
_UNRESOLVED = frozenset(
    (
        *("reportMissingImports", "unresolved-import", "import-not-found"),  # Python's checkers
        *("2307", "2792", "7016", "BrokenImport"),  # TypeScript, Go
        *("unresolved-module", "E0432", "E0433", "pp_file_not_found"),  # Rust, C++
    )
)
"""Codes of findings that say that an import leads nowhere: what stands behind it hides errors."""

RowAnswer = dict[str, Any]


@dataclass(frozen=True)
class SeatTerms:
    """What all rows of a batch are judged with."""

    scope: str | None
    severity: str | None
    timeout_s: float
    trust: bool


class JudgingSeat:
    """Owns its checkouts and the session over the one that is open."""

    def __init__(self, folder: Path, terms: SeatTerms) -> None:
        git = shutil.which("git")
        if git is None:
            raise OutsideFailure("not-installed", "a batch needs git", "git")
        self._checkouts = Checkouts(Path(git), folder / "checkouts")
        self._state = Layout(folder / "state")
        self._terms = terms
        self._at: tuple[str, str] | None = None
        self._session: Session | None = None
        self._known: dict[str, RowAnswer] = {}

    async def judge(
        self, repo: str, mirror: Path, revision: str, rows: Sequence[Mapping[str, str]]
    ) -> AsyncGenerator[RowAnswer, None]:
        """The columns of each row (`{"id", "patch"}`), in order; `{}` once the checkout is open."""
        try:
            session = await self._open(repo, mirror, revision)
        except UnderstudyError as error:
            for row in rows:
                yield {"id": row["id"], **refused(error)}
            return
        yield {}
        for row in rows:
            began = time.monotonic()
            digest = hashlib.sha256(row["patch"].encode("utf-8", "surrogatepass")).hexdigest()
            found = self._known.get(digest)
            if found is None:
                found = await self._judged(session, row["patch"])
                question = (repo, revision, digest, self._terms.scope, self._terms.severity)
                found["stamp"] = stamp_of((*question, *found["versions"]))
                self._known[digest] = found
            seconds = round(time.monotonic() - began, 3)
            yield {"id": row["id"], **found, "seconds": seconds}

    async def close(self) -> None:
        """End the session and its servers."""
        session, self._session, self._at = self._session, None, None
        self._known = {}
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

    async def _judged(self, session: Session, patch: str) -> RowAnswer:
        terms = self._terms
        options = CheckOptions(
            scope=terms.scope,  # pyright: ignore[reportArgumentType] - the command line checks it
            severity=terms.severity,  # pyright: ignore[reportArgumentType] - as above
            timeout_s=terms.timeout_s,
        )
        question = CheckQuestion(edits=[{"kind": "diff", "text": patch}], options=options)
        try:
            found = await answer(session, question, session.bases.own, owner="batch")
        except UnderstudyError as error:
            if isinstance(error, OutsideFailure):
                return {**refused(error), "verdict": "failed"}
            return refused(error)
        return _columns(session, found.checked)


def refused(error: UnderstudyError) -> RowAnswer:
    """The columns of a row that cannot be judged, whoever judges it."""
    return {**_NOTHING, "verdict": "refused", "code": error.code, "text": str(error)}


def _columns(session: Session, checked: Checked) -> RowAnswer:
    report = checked.report
    errors = sum(one.severity == "error" for one in report.introduced)
    reasons: set[str] = {file.reason.code for file in report.files if file.reason is not None}
    environment = _environment(session, checked)
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


def _environment(session: Session, checked: Checked) -> str:
    """`none` if an import of a judged file leads nowhere, on either side; else `complete`.

    What stands behind such an import is anything to a checker, and hides errors.
    """
    for file in checked.report.files:
        for given in _answers(session, checked, file.path):
            if any(one.code in _UNRESOLVED for one in given.findings or ()):
                return "none"
    return "complete"


def _answers(session: Session, checked: Checked, path: str) -> list[Answer]:
    found: list[Answer] = []
    for choice in session.servers.choose(path):
        for side in (checked.before, checked.after):
            for staged in (False, True):
                given = session.answers.get(choice, side, path, staged=staged)
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
