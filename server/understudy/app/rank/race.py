"""The tests of a ranking: the likeliest winner first, and nobody who cannot win any more."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from understudy.app.check.blast_radius import changed_paths
from understudy.app.rank.candidate import NOT_TESTED, RankedPatch, RunOfTests
from understudy.app.rank.test_reports import RunnerReport, compared, read_report
from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.dependents.test_files import is_test
from understudy.outline.detection import language_of_name
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import Progress
from understudy.workspace.session import Session

PLACE_OF_TESTS = "{tests}"
"""An argument of the test command that stands for the files of tests that can run the change."""
_FOLLOWED = frozenset(("python", "javascript", "typescript", "tsx"))
"""Languages whose tests are run by the names of their files, and whose imports are known."""


@dataclass
class Race:
    """Runs the test command with one candidate after the other, and first with none."""

    session: Session
    live_base: LiveBase
    command: tuple[str, ...]
    seconds: float | None
    by_user: bool
    environ: Mapping[str, str] | None
    progress: Progress
    base: tuple[RunnerReport, int] = field(init=False)
    n_tests_run: int = 0

    async def run(self, candidates: Sequence[RankedPatch]) -> None:
        """Give each its tests; `candidates` stand in the order of what is known without.

        Raises what `run` does, OutsideFailure `tests-unusable` where there is nothing to compare
        with.
        """
        if not candidates:
            return
        if PLACE_OF_TESTS in self.command:
            for one in candidates:
                one.reach = await self._reach(one)
        self.base = await self._base(candidates)
        if not self.base[0].passed and not self.base[0].failed:
            _have_same_tests(candidates)
        running = dict[asyncio.Task[None], RankedPatch]()
        try:
            await self._race(candidates, running)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _race(
        self, candidates: Sequence[RankedPatch], running: dict[asyncio.Task[None], RankedPatch]
    ) -> None:
        """Test the next while there is room; whoever has lost meanwhile is ended."""
        side_by_side = max(1, (os.cpu_count() or 1) // 2)
        waiting = list(candidates)
        while waiting or running:
            while waiting and len(running) < side_by_side:
                one = waiting.pop(0)
                if self._has_lost(one, candidates):
                    one.tests = NOT_TESTED
                    continue
                self.progress(
                    f"tests with {one.id}", len(candidates) - len(waiting) - 1, len(candidates)
                )
                running[self.session.tasks.spawn(self._test(one), f"tests with {one.id}")] = one
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                one = running.pop(task)
                if task.cancelled():
                    one.tests = NOT_TESTED
                else:
                    task.result()
            for task, one in running.items():
                if self._has_lost(one, candidates):
                    task.cancel()

    def _has_lost(self, one: RankedPatch, candidates: Sequence[RankedPatch]) -> bool:
        """Whether even tests that are all that could be wished for would not make it the best."""
        wished = RunOfTests(mended=tuple(sorted(self.base[0].failed)) or self._mendable())
        best = min(
            (other.place() for other in candidates if other.tests and other.tests.has_ended),
            default=None,
        )
        return best is not None and one.place(wished) > best

    def _mendable(self) -> tuple[str, ...]:
        return ("exit status",) if self.base[1] != 0 else ()

    async def _base(self, candidates: Sequence[RankedPatch]) -> tuple[RunnerReport, int]:
        self.progress("tests without a candidate", 0, len(candidates))
        files: tuple[str, ...] | None = ()
        for one in candidates:
            files = None if files is None or one.reach is None else (*files, *one.reach)
        there = await self.live_base.fresh()
        before = Snapshot(there)
        files = files and tuple(sorted({path for path in files if before.exists(path)}))
        receipt = await self._receipt(None, files)
        if receipt.ended.limit is not None or receipt.ended.status < 0:
            text = "without any candidate the tests do not come to their end"
            why = receipt.ended.limit or f"signal {-receipt.ended.status}"
            raise OutsideFailure("tests-unusable", f"{text} ({why})", str(receipt.output.path))
        report = await asyncio.to_thread(_report_of, receipt.output.path)
        self.n_tests_run += len(report.passed | report.failed)
        return report, receipt.ended.status

    async def _test(self, one: RankedPatch) -> None:
        receipt = await self._receipt(one, one.reach)
        ended, base = receipt.ended, self.base
        report = await asyncio.to_thread(_report_of, receipt.output.path)
        self.n_tests_run += len(report.passed | report.failed)
        found = compared(base[0], report, (base[1], ended.status), one.reach)
        one.tests = replace(
            found,
            limit=ended.limit,
            files=one.reach,
            output=str(receipt.output.path),
            seconds=receipt.elapsed_ms / 1000,
        )

    async def _receipt(self, one: RankedPatch | None, files: Sequence[str] | None) -> RunReceipt:
        snapshot = None
        if one is not None and one.book is not None:
            snapshot = await one.book.snapshot(one.branch, self.live_base.now)
        listed = [path for path in files or () if snapshot is None or snapshot.exists(path)]
        options = RunOptions(
            argv=_with_tests(self.command, listed),
            seconds=self.seconds,
            by_user=self.by_user,
            environ=self.environ,
        )
        branch, book = (None, None) if one is None else (one.branch, one.book)
        return await run(
            self.session, branch, options, owner="rank", live_base=self.live_base, book=book
        )

    async def _reach(self, one: RankedPatch) -> tuple[str, ...] | None:
        """The files of tests that can run what it changes; None where all are to be run."""
        assert one.book is not None
        base = self.live_base.now
        before, after = Snapshot(base), await one.book.snapshot(one.branch, base)
        changed = changed_paths(before, after)
        if any(not _is_followed(path) for path in changed):
            return None
        far = await self.session.bindings.distances([before, after], changed)
        return tuple(sorted({path for path in (*far, *changed) if is_test(path)})) or None


def _have_same_tests(candidates: Sequence[RankedPatch]) -> None:
    """Where no test is named, but exit statuses can be compared, and those of the same tests."""
    files: tuple[str, ...] | None = None
    if all(one.reach is not None for one in candidates):
        files = tuple(sorted({path for one in candidates for path in one.reach or ()}))
    for one in candidates:
        one.reach = files


def _is_followed(path: str) -> bool:
    """Whether what a file changes reaches tests by imports alone."""
    return language_of_name(path) in _FOLLOWED and not path.endswith("conftest.py")


def _with_tests(command: Sequence[str], files: Sequence[str]) -> tuple[str, ...]:
    argv: list[str] = []
    for part in command:
        argv += files if part == PLACE_OF_TESTS else [part]
    return tuple(argv)


def _report_of(output: Path) -> RunnerReport:
    with output.open(encoding="utf-8", errors="replace") as lines:
        return read_report(lines)
