"""What a case is: an edit, and which of the project's findings it mends; all others it only hides.

What is known by construction: a finding whose cause the edit leaves as it is cannot be fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Place = tuple[str, int]
"""A path and a line, from 1, as they were before."""
Change = str | None | tuple[str, str]
"""A new text, nothing, or what stands once in the text and what comes in its place."""


@dataclass(frozen=True)
class HidingCase:
    """`hidden` are findings that a checker is known to stop saying, though they are there."""

    name: str
    edits: Mapping[str, Change]
    hidden: frozenset[Place] = frozenset()
    fixed: frozenset[Place] = frozenset()


@dataclass(frozen=True)
class HidingProject:
    """A folder with known findings, and what is done to it."""

    files: Mapping[str, str]
    cases: tuple[HidingCase, ...] = field(default=())

    def as_edits(self, case: HidingCase) -> list[dict[str, str]]:
        """The case's edits as a batch."""
        return [self._as_edit(path, change) for path, change in case.edits.items()]

    def _as_edit(self, path: str, change: Change) -> dict[str, str]:
        if change is None:
            return {"kind": "delete", "path": path}
        if isinstance(change, str):
            return {"kind": "write", "path": path, "text": change}
        old, new = change
        assert self.files[path].count(old) == 1, (path, old)
        return {"kind": "replace", "path": path, "old": old, "new": new}


def breaks(name: str, edits: Mapping[str, Change], hidden: str) -> HidingCase:
    """An edit that mends nothing; `hidden` as `PATH:LINE,LINE PATH:LINE`."""
    return HidingCase(name, edits, hidden=places(hidden))


def mends(name: str, edits: Mapping[str, Change], fixed: str) -> HidingCase:
    """An edit that mends just these, and hides none."""
    return HidingCase(name, edits, fixed=places(fixed))


def places(text: str) -> frozenset[Place]:
    """`PATH:LINE,LINE PATH:LINE` as places."""
    return frozenset(
        (path, int(line))
        for path, _, lines in (word.partition(":") for word in text.split())
        for line in lines.split(",")
    )
