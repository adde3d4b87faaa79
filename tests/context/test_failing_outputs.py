"""Receipts of real failures; the benchmark judges all of them, here are the quick ones."""

from __future__ import annotations

from pathlib import Path

from tests.support.failing_outputs import judge_all
from tests.support.failing_projects import CASES

QUICK = (
    "unittest", "traceback", "traceback-then-noise", "compileall", "ruff", "ruff-concise",
    "node-throw", "node-tap", "npm-run", "eslint", "cargo-test", "bash-command", "bash-midway",
    "make", "make-keep-going", "git-apply", "shellcheck",
)  # fmt: skip


def test_receipts_hold_the_failing_line_and_the_status(tmp_path: Path) -> None:
    judged = judge_all(tmp_path, QUICK)
    assert len(judged) == len(QUICK)
    misses = [one.receipt for one in judged if not (one.has_line and one.has_status)]
    assert not misses


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40
    assert len({case.name for case in CASES}) == len(CASES)
