"""A silencing: what an edit adds so that a checker or a test says less."""

from __future__ import annotations

from typing import Literal

from understudy.values.findings import Finding
from understudy.values.frozen import frozen

SilencedHow = Literal[
    "comment", "cast", "setting", "skipped-test", "emptied-test", "deleted-test", "unread"
]
"""A suppression in a comment or an attribute; a widening cast or annotation; a setting that was
weakened; a test that no longer runs, checks nothing or is gone; a file that could not be looked
through."""


@frozen(slots=True)
class Silencing:
    """One thing that an edit adds; `findings` are those of the text before that went with it.

    `line` is 0-based, in the text after; of a deleted test it is in the text before.
    """

    path: str
    line: int
    how: SilencedHow
    what: str
    findings: tuple[Finding, ...] = ()

    @property
    def is_unread(self) -> bool:
        """Whether the file could not be looked through: nobody knows if anything is silenced."""
        return self.how == "unread"
