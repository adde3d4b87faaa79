"""A candidate, what is known of it by now, and where that puts it among the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from understudy.values.errors import UnderstudyError
from understudy.values.findings import counts
from understudy.values.frozen import frozen
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.checked import Checked

Sameness = Literal["text", "code"]
"""Same files to the byte; or files that differ in comments, layout and docstrings alone."""


@frozen
class GivenCandidate:
    """What is to be ranked: a kept branch, or the edits (JSON values) of a patch."""

    id: str
    edits: Sequence[object] = ()
    branch: str | None = None
    unreadable: UnderstudyError | None = None
    """Why there are no edits: it is refused like a patch that does not apply."""


@frozen
class RunOfTests:
    """What the tests said of a candidate; `files` is None where all were run.

    `stopped` says that it was ended, or never begun, as it could not win any more.
    """

    broken: tuple[str, ...] = ()
    mended: tuple[str, ...] = ()
    passed: int = 0
    failed: int = 0
    status: int | None = None
    limit: str | None = None
    stopped: bool = False
    files: tuple[str, ...] | None = None
    output: str | None = None
    seconds: float = 0.0

    @property
    def has_ended(self) -> bool:
        """Whether the command came to its own end."""
        return not self.stopped and self.limit is None and (self.status or 0) >= 0


NOT_TESTED = RunOfTests(stopped=True)


@dataclass
class RankedPatch:
    """One candidate of a ranking; the verb fills it in, the cheapest facts first."""

    id: str
    branch: str = ""
    book: BranchBook | None = None
    lines: int = 0
    refused: UnderstudyError | None = None
    same_as: str | None = None
    sameness: Sameness | None = None
    votes: int = 1
    checked: Checked | None = None
    tests: RunOfTests | None = None
    seconds: float = 0.0
    why: str = ""
    reach: tuple[str, ...] | None = None
    """The files of tests that can run the change; None where nobody knows."""

    @property
    def verdict(self) -> str:
        """The check's, or `refused`."""
        if self.refused is not None:
            return "refused"
        return "unknown" if self.checked is None else self.checked.report.verdict

    @property
    def n_introduced(self) -> int:
        """Introduced findings that count for the verdict."""
        if self.checked is None:
            return 0
        severity = self.checked.severity
        return sum(counts(one.severity, severity) for one in self.checked.report.introduced)

    @property
    def n_milder(self) -> int:
        """Introduced findings that are milder, hints aside, and what it silences."""
        if self.checked is None:
            return 0
        report, severity = self.checked.report, self.checked.severity
        mild = (one for one in report.introduced if not counts(one.severity, severity))
        return sum(one.severity != "hint" for one in mild) + len(report.silenced)

    @property
    def n_unknown(self) -> int:
        """Files that could not be judged."""
        if self.checked is None:
            return 0
        return sum(file.verdict == "unknown" for file in self.checked.report.files)

    def place(self, tests: RunOfTests | None = None) -> Standing:
        """Where it stands with these tests (None: with its own); less is better."""
        tests = tests or self.tests or RunOfTests()
        evidence = 0 if tests.has_ended else 1 if tests.stopped else 2
        return Standing(
            self.refused is not None,
            len(tests.broken),
            evidence,
            self.n_introduced,
            self.verdict == "unknown" or self.n_unknown > 0,
            -len(tests.mended),
            self.n_milder,
            -self.votes,
            self.lines,
            self.id,
        )


class Standing(NamedTuple):
    """What candidates are compared by, in turn; the id last, so that chance decides nothing."""

    refused: bool
    broken: int
    evidence: int
    introduced: int
    unknown: bool
    mended: int
    milder: int
    votes: int
    lines: int
    id: str


def ordered(candidates: Sequence[RankedPatch]) -> list[RankedPatch]:
    """Best first, each with why it stands there; those that say the same follow their first."""
    first = sorted((one for one in candidates if one.same_as is None), key=RankedPatch.place)
    followers: dict[str, list[RankedPatch]] = {}
    for one in candidates:
        if one.same_as is not None:
            followers.setdefault(one.same_as, []).append(one)
            one.why = f"same {one.sameness} as {one.same_as}"
    for number, one in enumerate(first):
        if number:
            one.why = _why(one, first[number - 1], "the one above")
        elif len(first) > 1:
            one.why = _why(one, first[1], "the next")
        else:
            one.why = _refusal(one) or "there is no other"
    rows: list[RankedPatch] = []
    for one in first:
        rows += [one, *sorted(followers.get(one.id, ()), key=lambda other: other.id)]
    return rows


def _refusal(one: RankedPatch) -> str:
    return "" if one.refused is None else f"{one.refused.code}: {one.refused}"


def _why(one: RankedPatch, other: RankedPatch, name: str) -> str:
    """The first thing in which two candidates differ."""
    mine, its = one.place(), other.place()
    if mine.refused:
        return _refusal(one)
    if its.refused:
        return f"it applies; {name} does not"
    if mine.broken == its.broken and mine.evidence != its.evidence:
        return _EVIDENCE[mine.evidence]
    for field_name, verb, noun in _COMPARED:
        own, others = abs(getattr(mine, field_name)), abs(getattr(its, field_name))
        if own == others:
            continue
        if field_name == "unknown":
            return "judged in full" if its.unknown else "could not be judged in full"
        return f"{verb} {own} {noun}{'' if own == 1 else 's'}; {name} {others}"
    return f"equal to {name} in all that is compared; by name"


_EVIDENCE = ("its tests have ended", "not tested: cannot win any more", "its tests did not end")
_COMPARED = (
    ("broken", "breaks", "test"),
    ("introduced", "introduces", "finding"),
    ("unknown", "", ""),
    ("mended", "mends", "test"),
    ("milder", "introduces", "milder finding"),
    ("votes", "is said by", "candidate"),
    ("lines", "changes", "line"),
)
"""Fields of a place in the order in which they are compared, as they are told."""
