"""What `doctor` has found, as text: for the command line, and for an editor by a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.doctor import HealthFinding

_MARKS = {"ok": "ok     ", "problem": "PROBLEM", "unused": "-      "}


def doctor_text(found: Sequence[HealthFinding]) -> str:
    """One line a finding."""
    width = max(len(finding.subject) for finding in found)
    lines = [f"{_MARKS[one.state]} {one.subject:<{width}}  {one.text}" for one in found]
    return "".join(f"{printable(line)}\n" for line in lines)
