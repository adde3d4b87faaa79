"""What a check answers, and how it is told the two sides of the comparison."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Severity
from understudy.values.verdicts import CheckReport

SnapshotSource = Callable[[Base], Awaitable[Snapshot]]
"""Makes a side of the comparison over the base as it is now; called again when the base moves."""


@dataclass(frozen=True)
class Checked:
    """A report with the snapshots that it is about, to show source lines from."""

    report: CheckReport
    before: Snapshot
    after: Snapshot
    severity: Severity
