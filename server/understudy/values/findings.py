"""A finding: one diagnostic, with the server that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from understudy.values.positions import Range

Severity = Literal["error", "warning", "information", "hint"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "information", "hint")
"""From worst to mildest; the LSP numbers 1 to 4."""


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """One diagnostic at `range` (code points) of the root-relative POSIX `path`."""

    path: str
    range: Range
    severity: Severity
    code: str | None
    source: str | None
    message: str
    server: str


def counts(severity: Severity, threshold: Severity) -> bool:
    """Whether a severity is at least as bad as the threshold."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)
