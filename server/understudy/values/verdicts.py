"""Verdicts: `clean`, `findings`, or `unknown` with a reason; never an empty list for silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.positions import Range
from understudy.values.silencing import Silencing

Verdict = Literal["clean", "findings", "unknown"]
ReasonCode = Literal[
    "no-server",
    "not-installed",
    "starting",
    "untrusted",
    "timeout",
    "cancelled",
    "crashed",
    "unproven",
    "unproven-profile",
    "silent",
    "conflict",
    "unsupported",
    "skipped",
    "too-large",
    "base-moved",
    "base-unknown",
]


@frozen(slots=True)
class Reason:
    """Why something is unknown: a stable code and a sentence that says what to do."""

    code: ReasonCode
    text: str


@frozen(slots=True)
class Showing:
    """How a text was shown: to which process of the server, on a stage or in the user's folder.

    `generation` counts the server's processes from 1, `version` what each was shown.
    """

    generation: int
    version: int
    staged: bool


@frozen(slots=True)
class Answer:
    """What one server proved about one file of one snapshot.

    `findings` is None exactly when `reason` is given: nothing was proven. An empty tuple is
    evidence of no findings, by the freshness rule named in `rule`. `kept`: an earlier question
    about the same texts has brought it.
    """

    path: str
    server: str
    rule: str
    findings: tuple[Finding, ...] | None
    reason: Reason | None
    elapsed_ms: float
    showing: Showing | None = None
    kept: bool = False

    def __post_init__(self) -> None:
        assert (self.findings is None) != (self.reason is None)


@frozen(slots=True)
class ServerVerdict:
    """One server's verdict on one file's difference."""

    name: str
    verdict: Verdict
    rule: str
    elapsed_ms: float
    reason: Reason | None = None


@frozen(slots=True)
class FileVerdict:
    """The verdict on one file's difference, with each server's."""

    path: str
    verdict: Verdict
    reason: Reason | None
    servers: tuple[ServerVerdict, ...]


@frozen(slots=True)
class Hider:
    """What keeps a checker from looking: a place after the edit, or a whole file (no range)."""

    path: str
    range: Range | None
    message: str


@frozen(slots=True)
class Hidden:
    """A finding of before that is no longer said, while nothing proves that it is gone."""

    finding: Finding
    by: Hider


@frozen(slots=True)
class CheckReport:
    """A check's whole answer; `stamp` names the snapshots it is about.

    `passed_over` counts the files that could import what was edited, that no server judges, and
    that name nothing of it; `out_of_reach` what could not be judged before the edit either, and
    cannot be affected by it. `hidden` are those that are no longer said only because something
    broken keeps the checker from looking. `silenced` is what the edit adds so that checkers and
    tests say less; findings that went with it are in none of the others. `late` are the files that
    were not judged in time: how many, by the imports that lie between them and the edit
    (None: it does not affect them).
    `affected_files`, of the scope `workspace` alone, is how many files servers would be asked about
    in the scope `affected`. `not_asked`, of a question that names servers, are the groups of others
    that judge edited files, with those files.
    """

    verdict: Verdict
    stamp: str
    base_moved: bool
    introduced: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    hidden: tuple[Hidden, ...]
    unattributed: tuple[Finding, ...]
    remaining: int
    passed_over: int
    out_of_reach: int
    unjudged: tuple[str, ...]
    files: tuple[FileVerdict, ...]
    elapsed_ms: float
    silenced: tuple[Silencing, ...] = ()
    late: Mapping[int | None, int] = field(default_factory=dict[int | None, int])
    affected_files: int | None = None
    not_asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@frozen(slots=True)
class FirstWave:
    """What a check knows of the edited files and their direct users, while others are asked.

    It only tells what is found by now, and clears nothing; `to_come` counts the answers that are
    still waited for, one a server and file.
    """

    introduced: tuple[Finding, ...]
    unattributed: tuple[Finding, ...]
    judged: int
    to_come: int
