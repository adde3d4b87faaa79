"""From answers about two snapshots to the verdict, rule by rule of the contract."""

from __future__ import annotations

import pytest

from understudy.findings.judgement import Judged, judge
from understudy.values.findings import Finding, Severity
from understudy.values.positions import Position, Range
from understudy.values.verdicts import Answer, Reason

TIMEOUT = Reason("timeout", "too slow")


def finding(code: str, severity: Severity = "error", line: int = 0) -> Finding:
    place = Range(Position(line, 0), Position(line, 1))
    return Finding("a.py", place, severity, code, "s", f"about {code}", "server")


def answer(*findings: Finding, reason: Reason | None = None) -> Answer:
    return Answer("a.py", "server", "pull", None if reason else findings, reason, 1.0)


OLD, NEW, MILD = finding("old"), finding("new", line=5), finding("mild", "warning", 6)

# before, after -> verdict, introduced, fixed, unattributed, remaining
CASES = [
    (answer(), answer(), "clean", [], [], [], 0),
    (answer(OLD), answer(OLD), "clean", [], [], [], 1),
    (answer(), answer(NEW), "findings", [NEW], [], [], 0),
    (answer(OLD), answer(OLD, NEW), "findings", [NEW], [], [], 1),
    (answer(OLD), answer(), "clean", [], [OLD], [], 0),
    (answer(), answer(MILD), "clean", [MILD], [], [], 0),
    (answer(), answer(reason=TIMEOUT), "unknown", [], [], [], 0),
    (answer(OLD), answer(reason=TIMEOUT), "unknown", [], [], [], 0),
    (answer(reason=TIMEOUT), answer(), "clean", [], [], [], 0),
    (answer(reason=TIMEOUT), answer(NEW), "unknown", [], [], [NEW], 0),
    (answer(reason=TIMEOUT), answer(MILD), "clean", [], [], [MILD], 0),
    (answer(reason=TIMEOUT), answer(reason=TIMEOUT), "unknown", [], [], [], 0),
    (None, answer(NEW), "findings", [NEW], [], [], 0),  # a new file
    (None, answer(), "clean", [], [], [], 0),
    (answer(OLD), None, "clean", [], [OLD], [], 0),  # a deleted file
]


@pytest.mark.parametrize(
    ("before", "after", "verdict", "introduced", "fixed", "unattributed", "remaining"), CASES
)
def test_one_file_and_one_server(
    before, after, verdict, introduced, fixed, unattributed, remaining
):
    whole = judge([Judged("a.py", before, after)], lambda path: (path, None), "error")
    assert whole.verdict == verdict
    assert whole.files[0].verdict == verdict
    assert (whole.introduced, whole.fixed) == (introduced, fixed)
    assert (whole.unattributed, whole.remaining) == (unattributed, remaining)


def test_the_threshold_decides_what_counts():
    judged = [Judged("a.py", answer(), answer(MILD))]
    assert judge(judged, lambda path: (path, None), "warning").verdict == "findings"
    assert judge(judged, lambda path: (path, None), "error").verdict == "clean"


def test_findings_weigh_more_than_unknown_and_unknown_more_than_clean():
    clean, found = Judged("a.py", answer(), answer()), Judged("b.py", answer(), answer(NEW))
    unknown = Judged("c.py", answer(), answer(reason=TIMEOUT))

    def verdict(*judged: Judged) -> str:
        return judge(judged, lambda path: (path, None), "error").verdict

    assert verdict(clean, unknown) == "unknown"
    assert verdict(clean, unknown, found) == "findings"
    assert verdict(clean) == "clean"


def test_one_silent_server_keeps_a_file_from_being_clean():
    judged = [Judged("a.py", answer(), answer()), Judged("a.py", answer(), answer(reason=TIMEOUT))]
    whole = judge(judged, lambda path: (path, None), "error")
    assert [file.verdict for file in whole.files] == ["unknown"]
    assert whole.files[0].reason == TIMEOUT


def test_an_unknown_before_says_why():
    judged = [Judged("a.py", answer(reason=TIMEOUT), answer(NEW))]
    reason = judge(judged, lambda path: (path, None), "error").files[0].reason
    assert reason is not None
    assert reason.code == "base-unknown"
    assert "too slow" in reason.text
