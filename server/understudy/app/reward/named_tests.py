"""The tests of a reward: those that a task names, as its author has them, on a private copy.

What the candidate did to files of tests, and to what steers their runner, is undone there.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from understudy.app.check.blast_radius import changed_paths
from understudy.app.rank.race import PLACE_OF_TESTS
from understudy.app.rank.test_reports import RunnerReport, compared, read_report
from understudy.app.reward.tampering import steers_tests
from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.dependents.test_files import is_test
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, Conflict, OutsideFailure
from understudy.values.frozen import frozen
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

Edits = Sequence[Any]


@frozen
class TaskTests:
    """What runs the tests, and which count; in `command`, `{tests}` stands for their files.

    `patch` are edits with the tests of the task's author. Without names, the tests that the folder
    has are compared with and without the candidate. `seconds` is the limit of each run.
    Raises BadInput `no-test-command`.
    """

    command: tuple[str, ...] = ()
    fail_to_pass: tuple[str, ...] = ()
    pass_to_pass: tuple[str, ...] = ()
    patch: Edits = ()
    seconds: float | None = None
    by_user: bool = False
    environ: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        if not self.command and (self.names or self.patch):
            raise BadInput("no-test-command", "tests are named; name the command that runs them")

    @property
    def names(self) -> tuple[str, ...]:
        """All tests that count."""
        return (*self.fail_to_pass, *self.pass_to_pass)


@frozen
class OutcomeOfTests:
    """What the tests said; `is_named` is False where the runner names none, so any may be gone.

    `not_passed` are of those that count. `is_steered`: a test that cannot pass has passed.
    """

    ended: bool
    fail_to_pass: float | None
    pass_to_pass: float | None
    not_passed: tuple[str, ...]
    is_named: bool = True
    is_steered: bool = False


@frozen
class _RanTests:
    """One run; `ended`: of itself, with the last of the tests that it was given."""

    receipt: RunReceipt
    report: RunnerReport
    ended: bool
    is_steered: bool = False


@dataclass
class RunsOfTests:
    """Runs the tests of one task; what they say without any candidate is asked once."""

    session: Session
    live_base: LiveBase
    tests: TaskTests
    base: tuple[RunnerReport, int] | None = field(default=None, init=False)

    async def of(self, edits: Edits, candidate: Snapshot) -> OutcomeOfTests:
        """Run them with a candidate.

        Raises what `run` does, BadInput `bad-test-patch`, OutsideFailure `tests-unusable`.
        """
        tests = self.tests
        if tests.names:
            return await self._named(edits, candidate)
        if self.base is None:
            ran = await self._run(list(tests.patch), None)
            if not ran.ended:
                text = "without any candidate the tests do not come to their end"
                raise OutsideFailure("tests-unusable", text, str(ran.receipt.output.path))
            self.base = ran.report, ran.receipt.ended.status
        before, status = self.base
        undone = _undone(candidate) if tests.patch else []
        ran = await self._run([*edits, *undone, *tests.patch], candidate)
        if not ran.ended:
            return OutcomeOfTests(False, None, 0.0, ())
        found = compared(before, ran.report, (status, ran.receipt.ended.status))
        n_passed = len(before.passed) or before.n_passed or int(status == 0)
        n_failed = len(before.failed) or before.n_failed or int(status != 0)
        return OutcomeOfTests(
            True,
            len(found.mended) / max(n_failed, len(found.mended)) if n_failed else None,
            1 - min(len(found.broken) / n_passed, 1) if n_passed else None,
            found.broken,
            is_named=bool(before.passed or before.failed),
            is_steered=ran.is_steered,
        )

    async def _named(self, edits: Edits, candidate: Snapshot) -> OutcomeOfTests:
        tests = self.tests
        whole = [*edits, *_undone(candidate), *tests.patch]
        ran = await self._run(whole, candidate)
        passed = ran.report.passed
        not_passed = tuple(name for name in tests.names if name not in passed)
        return OutcomeOfTests(
            ran.ended,
            _rate(tests.fail_to_pass, passed),
            _rate(tests.pass_to_pass, passed),
            not_passed,
            is_steered=ran.is_steered,
        )

    async def _run(self, edits: Edits, candidate: Snapshot | None) -> _RanTests:
        """One run with these edits."""
        session, tests, book = self.session, self.tests, self.session.unlisted
        async with AsyncExitStack() as branches:

            async def laid(edits: Edits) -> tuple[str | None, Snapshot]:
                if not edits:
                    return None, Snapshot(self.live_base.now)
                branch = await branches.enter_async_context(
                    passing_branch(book, list(edits), self.live_base, "tests")
                )
                return branch, await book.snapshot(branch, self.live_base.now)

            try:
                branch, snapshot = await laid(edits)
            except (BadInput, Conflict) as error:
                raise BadInput("bad-test-patch", str(error), "test_patch") from error
            files = _files_of(tests.names, snapshot)
            planted = None if candidate is None else _planted(files, snapshot)
            if planted is not None:
                branch, _ = await laid([*edits, planted.edit])
                files = [*files, planted.path] if files else files
            options = RunOptions(
                argv=_with_files(tests.command, files), seconds=tests.seconds,
                by_user=tests.by_user, environ=tests.environ,
            )  # fmt: skip
            receipt = await run(
                session, branch, options, owner="reward", live_base=self.live_base, book=book
            )
        lines = receipt.output.path.read_text(encoding="utf-8", errors="replace").splitlines()
        status = receipt.ended.status
        ended = receipt.ended.limit is None and status >= 0
        if planted is None:
            return _RanTests(receipt, read_report(lines), ended)
        report = read_report(one for one in lines if planted.name not in one)
        must_run = bool(files) and PLACE_OF_TESTS in tests.command
        is_missed = must_run and planted.is_missed(lines)
        # A failure may have been its end (`pytest -x`, a crash): cut short, and no proof of more.
        is_cut = is_missed and (not ended or status != 0 or bool(report.failed))
        is_steered = planted.tells_steering(lines) or (is_missed and not is_cut)
        return _RanTests(receipt, report, ended and not is_cut, is_steered)


def _rate(names: Sequence[str], passed: set[str]) -> float | None:
    return sum(name in passed for name in names) / len(names) if names else None


def _undone(candidate: Snapshot) -> list[dict[str, str]]:
    """Edits that take back what a candidate did to files of tests and to what steers them."""
    base = Snapshot(candidate.base)
    undone: list[dict[str, str]] = []
    for path in sorted(filter(steers_tests, changed_paths(base, candidate))):
        try:
            text = base.read(path)
        except BadInput:  # no text: the candidate cannot have changed it but by deleting it
            continue
        if text is not None:
            undone.append({"kind": "write", "path": path, "text": text.content})
        elif candidate.exists(path):
            undone.append({"kind": "delete", "path": path})
    return undone


def _files_of(names: Sequence[str], snapshot: Snapshot) -> list[str]:
    """The files of named tests, where names begin with those."""
    found = {name.partition("::")[0] for name in names}
    return sorted(path for path in found if path and snapshot.exists(path))


def _with_files(command: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        word for part in command for word in (files if part == PLACE_OF_TESTS else (part,))
    )


@frozen
class PlantedTest:
    """A file with a test that passes and one that cannot, by names that no candidate can know."""

    path: str
    name: str

    @property
    def edit(self) -> dict[str, str]:
        """What puts it there; pytest and unittest both know that the failure is expected."""
        text = (
            "import unittest\n\n\nclass Test(unittest.TestCase):\n"
            f"    def test_a_{self.name}(self):\n        self.assertEqual(1, 1)\n\n"
            "    @unittest.expectedFailure\n"
            f"    def test_b_{self.name}(self):\n        self.assertEqual(1, 2)\n"
        )
        return {"kind": "write", "path": self.path, "text": text}

    def tells_steering(self, lines: Sequence[str]) -> bool:
        """Whether its runner does not say of the one that cannot pass that it has failed."""
        of_b = [line for line in lines if f"test_b_{self.name}" in line]
        expected = any("XFAIL" in line or "expected failure" in line for line in of_b)
        return bool(of_b) and not expected

    def is_missed(self, lines: Sequence[str]) -> bool:
        """Whether its runner names passed tests, and the one of ours is none of them."""
        passed = read_report(lines).passed
        return bool(passed) and not any(f"test_a_{self.name}" in name for name in passed)


def _planted(files: Sequence[str], snapshot: Snapshot) -> PlantedTest | None:
    """One beside the named tests of Python, or any other tests; None elsewhere."""
    known = files or sorted(filter(is_test, snapshot.paths()))
    beside = next((path for path in known if path.endswith(".py")), None)
    if beside is None:
        return None
    name = secrets.token_hex(6)
    path = PurePosixPath(beside).with_name(f"test_{name}.py").as_posix()
    return None if snapshot.exists(path) else PlantedTest(path, name)
