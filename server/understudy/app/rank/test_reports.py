"""Which tests passed and failed, by what their runner printed.

Runners that name every test are read best: pytest with `-rA` or `-v`, `go test -v` or `-json`,
cargo, unittest with `-v`, TAP, Jest and Vitest in their verbose forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from understudy.app.rank.candidate import RunOfTests

_WORDS = {
    **dict.fromkeys(("PASSED", "PASS", "XPASS", "ok", "pass", "\u2713", "\u221a"), "passed"),
    **dict.fromkeys(
        ("FAILED", "FAIL", "ERROR", "fail", "not ok", "\u2715", "\u00d7", "\u2717"), "failed"
    ),
}
_NAME_FIRST = (
    re.compile(r"(?P<name>\S+::\S.*?) (?P<word>PASSED|FAILED|ERROR|XPASS)\b"),  # pytest -v
    re.compile(r"(?P<name>\w+ \([\w.]+\)).* \.\.\. (?P<word>ok|FAIL|ERROR)"),  # unittest -v
    re.compile(r"test (?P<name>.+?) \.\.\. (?P<word>ok|FAILED)"),  # cargo
)
_WORD_FIRST = (
    re.compile(
        r"(?:\[gw\d+\] \[ *\d+%\] )?"  # pytest -rA, and of xdist
        r"(?P<word>PASSED|FAILED|ERROR|XPASS) (?P<name>\S+::.*?)(?: - .*)?"
    ),
    re.compile(r"(?P<word>ERROR) (?P<name>\S+\.py)(?: - .*)?"),  # pytest, of a file
    re.compile(r"(?P<word>FAIL|ERROR): (?P<name>\w+ \([\w.]+\)).*"),  # unittest
    re.compile(r"\s*--- (?P<word>PASS|FAIL): (?P<name>\S+).*"),  # go
    re.compile(r"(?P<word>ok|FAIL)\s*\t(?P<name>[\w./-]+)(?:[\t ].*)?"),  # go, of a package
    re.compile(r"\s*(?P<word>ok|not ok) \d+ (?:- )?(?P<name>.*?)(?: # .*)?"),  # TAP
    re.compile(
        r"\s*(?P<word>[\u2713\u221a\u2715\u00d7\u2717]) (?P<name>.+?)(?: \(?[\d.]+ ?m?s\)?)?"
    ),  # Jest, Vitest
)
_LONGEST_LINE = 1000
_TOTAL = re.compile(r"(\d+) (passed|failed|errors?)\b")
_IS_SUMMARY = re.compile(r"=* ?\d+ (?:passed|failed|errors?)\b.* in [\d.]+s")


@dataclass
class RunnerReport:
    """The tests that an output names, and the totals that it tells at its end."""

    passed: set[str] = field(default_factory=set[str])
    failed: set[str] = field(default_factory=set[str])
    n_passed: int = 0
    n_failed: int = 0


def read_report(lines: Iterable[str]) -> RunnerReport:
    """What the lines of an output say of single tests; one that failed once has failed."""
    report = RunnerReport()
    for raw in lines:
        line = raw.rstrip("\r\n")
        if len(line) > _LONGEST_LINE:  # no test has such a name, and patterns would take long
            continue
        if line.startswith('{"') and '"Action"' in line:
            _take_json(line, report)
            continue
        for form in (*_NAME_FIRST, *_WORD_FIRST):
            found = form.fullmatch(line)
            if found is None:
                found = form.match(line) if form is _NAME_FIRST[0] else None
            if found is not None:
                _note(report, found["name"], found["word"])
                break
        else:
            if _IS_SUMMARY.match(line.lstrip("= ")) or _IS_SUMMARY.match(line):
                _take_totals(line, report)
    report.passed -= report.failed
    return report


def compared(
    before: RunnerReport,
    after: RunnerReport,
    statuses: tuple[int, int],
    files: Collection[str] | None = None,
) -> RunOfTests:
    """What was broken and mended, by two reports and the exit statuses of both.

    `files` are those whose tests were run after (None: of all). A test that has gone counts as
    broken. Where no test is named, the exit status is all there is.
    """
    base_status, status = statuses
    broken = after.failed - before.failed
    mended = before.failed & after.passed
    if before.passed:  # the runner names every test
        gone = before.passed - after.passed - after.failed
        broken |= {name for name in gone if files is None or _file_of(name) in files}
    elif files is None:
        broken |= _lost(before, after)
    if not before.passed and status == 0:
        mended |= before.failed
    if status != 0 and base_status == 0 and not broken:
        broken = {f"exit status {status}"}
    if status == 0 and base_status != 0 and not mended:
        mended = {"exit status"}
    return RunOfTests(
        tuple(sorted(broken)),
        tuple(sorted(mended)),
        max(after.n_passed, len(after.passed)),
        max(after.n_failed, len(after.failed)),
        status,
    )


def _lost(before: RunnerReport, after: RunnerReport) -> set[str]:
    """That there are fewer tests, where only their number is told."""
    gone = before.n_passed - after.n_passed
    return {f"{gone} that are gone"} if gone > 0 and after.n_passed else set()


def _file_of(name: str) -> str:
    return name.partition("::")[0]


def _note(report: RunnerReport, name: str, word: str) -> None:
    outcome = _WORDS[word]
    (report.passed if outcome == "passed" else report.failed).add(name.strip())


def _take_totals(line: str, report: RunnerReport) -> None:
    for number, word in _TOTAL.findall(line):
        if word == "passed":
            report.n_passed += int(number)
        else:
            report.n_failed += int(number)


def _take_json(line: str, report: RunnerReport) -> None:
    """One event of `go test -json`."""
    try:
        event: Any = json.loads(line)
        action, name = event["Action"], event.get("Test")
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    if isinstance(name, str) and action in ("pass", "fail"):
        _note(report, f"{event.get('Package', '')}.{name}", action)
