"""Reasons name files as the folder does, wherever on the machine it lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.app.check.reasons import ReasonTeller
from understudy.findings.judgement import Judged
from understudy.values.verdicts import Answer, Reason

ROOT = Path("/srv/one/my project")
TEXTS = [
    (
        "no metadata for file file:///srv/one/my%20project/p/a%2Bb.go",
        "no metadata for file p/a+b.go",
    ),
    ("no metadata for file file:///srv/one/my%20project/p/p.go", "no metadata for this file"),
    ("/srv/one/my project/go.mod:1: unknown", "go.mod:1: unknown"),
    ("required by `one` (/srv/one/my project)", "required by `one` (.)"),
    ("in /srv/one/my projects/a and /x/srv/one/my project/a", None),
    ("log: /srv/one/.local/state/log", None),
    ("one:\n\ttwo\n\n  three", "one: | two | three"),
    ("file p/p.go.orig", None),
    ("y" * 1300, f"{'y' * 1200} … (100 more characters)"),
]


@pytest.mark.parametrize(("text", "told"), TEXTS)
def test_places_are_below_the_root(text: str, told: str | None) -> None:
    reason = Reason("unproven", text)
    answer = Answer("p/p.go", "x", "pull", None, reason, 0.0)
    after = ReasonTeller(ROOT, {}, ()).told(Judged("p/p.go", None, answer, reason)).after
    assert after is not None
    assert after.reason == Reason("unproven", text if told is None else told)


def test_a_remedy_is_told_behind_the_reason() -> None:
    answer = Answer("a.ts", "tsc", "command", None, Reason("unproven", "nothing leads there"), 0.0)
    teller = ReasonTeller(ROOT, {"leads": "name it", "nothing": "never told"}, ())
    after = teller.told(Judged("a.ts", None, answer)).after
    assert after is not None
    assert after.reason == Reason("unproven", "nothing leads there; name it")
