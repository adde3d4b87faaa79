"""What keeps a checker from saying what it would say otherwise; the table `hides` of a profile."""

from __future__ import annotations

import re
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Literal

from understudy.values.fields import Word, doc
from understudy.values.findings import Finding, Severity, counts
from understudy.values.frozen import frozen

Reach = Literal["range", "block", "below", "file", "folder", "users"]


@frozen
class HidingRule:
    """A new finding, or a line that an edit adds, behind which a checker does not look."""

    within: Reach = field(
        metadata=doc(
            "how far it hides: its own `range`; with `added`, the rest of its `block` of equal "
            "indentation, or all `below` it; its `file`; the `folder` of it; its file and the "
            "`users` of that, near and far"
        )
    )
    codes: tuple[Word, ...] = field(
        default=(),
        metadata=doc("globs of its code, `none` for one without a code; empty for every code"),
    )
    unless: tuple[Word, ...] = field(
        default=(), metadata=doc("globs of codes that hide nothing", "globs")
    )
    sources: tuple[Word, ...] = field(
        default=(), metadata=doc("globs of its source; empty for every source")
    )
    severity: Severity = field(default="error", metadata=doc("the mildest that hides"))
    added: re.Pattern[str] | None = field(
        default=None, metadata=doc("in place of a finding: what a line is that the edit adds")
    )
    hidden_codes: tuple[Word, ...] = field(
        default=(), metadata=doc("globs of the codes that it hides; empty for all")
    )
    hidden_sources: tuple[Word, ...] = field(
        default=(), metadata=doc("globs of the sources that it hides; empty for all")
    )

    unedited: bool = field(
        default=False, metadata=doc("it hides nothing that stood on lines that the edit wrote anew")
    )

    def is_by(self, finding: Finding) -> bool:
        """Whether a new finding hides others by this rule."""
        return (
            self.added is None
            and counts(finding.severity, self.severity)
            and _fits(self.codes, finding.code)
            and not (self.unless and _fits(self.unless, finding.code))
            and _fits(self.sources, finding.source)
        )

    def hides(self, finding: Finding, *, is_edited: bool) -> bool:
        """Whether a finding that is no longer said can be one that it hides."""
        return (
            not (is_edited and self.unedited)
            and _fits(self.hidden_codes, finding.code)
            and _fits(self.hidden_sources, finding.source)
        )


def _fits(globs: tuple[Word, ...], word: str | None) -> bool:
    return not globs or any(fnmatchcase(word or "none", glob) for glob in globs)
