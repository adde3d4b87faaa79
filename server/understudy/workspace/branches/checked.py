"""What a check answers, and how it is told the two sides of the comparison."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal

from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Finding, Severity
from understudy.values.frozen import frozen
from understudy.values.verdicts import CheckReport

if TYPE_CHECKING:
    from understudy.findings.judgement import Judged

SnapshotSource = Callable[[Base], Awaitable[Snapshot]]
"""Makes a side of the comparison over the base as it is now; called again when the base moves."""


MendingEnd = Literal["clean", "done", "no-gain", "limit", "time"]
"""Why mending ended: the verdict is clean, every finding was tried, trying all of them once more
gained nothing, the most rounds were done, or the time was up."""


@frozen
class FixAccount:
    """What became of one fix of a server; `finding` is the one that it is for, as `seen`.

    `why` says why it was not kept.
    """

    finding: Finding
    seen: Snapshot
    title: str
    kept: bool
    why: str | None = None


@frozen
class Mended:
    """What mending came to: an account of each fix, and how many findings are left without any.

    `patch` is all edits against the base, fixes included; `fixes_patch` the fixes alone, against
    the text that was checked.
    """

    fixes: tuple[FixAccount, ...]
    without_fix: int
    rounds: int
    ended: MendingEnd
    patch: str
    fixes_patch: str


@frozen
class NotedPlace:
    """A line of a file (0-based) with what stands or is said there."""

    path: str
    line: int
    text: str


@frozen
class TriedFix:
    """A server's fix that was tried: whether it would help, or what it would leave.

    Without a title, `leaves` is why the server's fixes are not known.
    """

    title: str
    helps: bool
    leaves: str | None = None


@frozen
class Explanation:
    """What servers know of a finding.

    `declared` is where the name at its place is declared, `signature` that of the call around it.
    `chain` are the files from the edit to the place, `names` those by which the change comes there.
    `nearest` are names like one that nobody declares. `rule` is the page of the rule. `unknown` is
    why its server has told nothing of it.
    """

    finding: Finding
    declared: NotedPlace | None = None
    signature: str | None = None
    related: tuple[NotedPlace, ...] = ()
    chain: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    rule: str | None = None
    fixes: tuple[TriedFix, ...] = ()
    unknown: str | None = None


@frozen
class Checked:
    """A report with the snapshots that it is about, to show source lines from.

    `answers` are what servers said of both sides. `mended` is what their fixes came to, where they
    were asked for; the report is about the edits with those. `explained` tells more of introduced
    findings, where that was asked for. `refuted` are the servers that were known by then to have
    answered wrong.
    """

    report: CheckReport
    before: Snapshot
    after: Snapshot
    severity: Severity
    answers: tuple[Judged, ...] = ()
    refuted: frozenset[object] = frozenset()
    mended: Mended | None = None
    explained: tuple[Explanation, ...] | None = None
