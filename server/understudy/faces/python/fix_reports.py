"""What became of servers' fixes, as Python has it."""

from __future__ import annotations

from typing import Literal

from understudy.faces.python.findings import Finding, Json, finding_of
from understudy.faces.python.results import Diff
from understudy.values.frozen import frozen


@frozen
class FixOutcome:
    """One fix of a server: whether it was kept, and `why` not.

    `finding` is the one that it is for, in the text as it was when its turn came.
    """

    finding: Finding
    title: str
    kept: bool
    why: str | None


@frozen
class FixReport:
    """What mending came to; the verdict is on the mended edits.

    `fixes` has the kept ones first; `without_fix` counts introduced findings that no server has a
    fix for. `ended` is `clean`, `done` (every finding was tried), `no-gain` (trying all of them
    once more gained nothing), `limit` (of rounds) or `time`. `patch` is the whole edit against the
    user's text, fixes included, and `fixes_patch` the fixes alone, against what was checked.
    """

    fixes: tuple[FixOutcome, ...]
    without_fix: int
    rounds: int
    ended: Literal["clean", "done", "no-gain", "limit", "time"]
    patch: Diff
    fixes_patch: Diff


def fix_report_of(told: Json) -> FixReport:
    """A host's account."""
    return FixReport(
        tuple(
            FixOutcome(finding_of(one["finding"]), one["title"], one["kept"], one["why"])
            for one in told["fixes"]
        ),
        told["without_fix"],
        told["rounds"],
        told["ended"],
        Diff(told["patch"]),
        Diff(told["fixes_patch"]),
    )
