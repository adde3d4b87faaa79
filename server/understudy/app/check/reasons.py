"""What the reasons of `unknown` say: places in the folder's own words, and what to do.

Programs name files by absolute paths or URLs, which mean something on this machine alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from understudy.checkers.first_error import shortened
from understudy.dependents.readers import imports_of
from understudy.findings.judgement import Judged
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.fields import Word
from understudy.values.frozen import frozen
from understudy.values.verdicts import Answer, Reason

CONSTRAINT = "{constraint}"
"""In a remedy: what has to hold for the file to count, as it says itself (Go)."""
_MOST_CHARACTERS = 1200
_HEAD_CHARACTERS = 64 * 1024
"""Constraints stand above everything else but comments."""


@frozen
class ReasonTeller:
    """Puts the reasons of one server into words; `root` is the folder that is judged.

    A remedy that is about the constraint of a file is told of files that have one alone.
    """

    root: Path
    remedies: Mapping[str, Word]
    sides: Sequence[Snapshot]

    def told(self, judged: Judged) -> Judged:
        """The same answers, their reasons put into words."""
        before, after = (self._told(answer) for answer in (judged.before, judged.after))
        doubt = judged.doubt and self._plain(judged.doubt)
        return replace(judged, before=before, after=after, doubt=doubt)

    def _told(self, answer: Answer | None) -> Answer | None:
        if answer is None or answer.reason is None:
            return answer
        remedy = self._remedy(answer.reason, answer.path)
        reason = self._plain(answer.reason, answer.path)
        if remedy is not None:
            reason = Reason(reason.code, f"{reason.text}; {remedy}")
        return replace(answer, reason=reason)

    def _remedy(self, reason: Reason, path: str) -> str | None:
        for text, remedy in self.remedies.items():
            if text not in reason.text:
                continue
            if CONSTRAINT not in remedy:
                return remedy
            for snapshot in self.sides:
                if constraint := constraint_in(snapshot, path):
                    return remedy.replace(CONSTRAINT, constraint)
        return None

    def _plain(self, reason: Reason, path: str | None = None) -> Reason:
        folded = " | ".join(line.strip() for line in reason.text.splitlines() if line.strip())
        text = self._below.sub(_inside, folded)
        if path is not None:  # so that files of one reason have one text
            text = re.sub(rf"\bfile {re.escape(path)}(?![\w./-])", "this file", text)
        return Reason(reason.code, shortened(text, _MOST_CHARACTERS))

    @cached_property
    def _below(self) -> re.Pattern[str]:
        """The root and what lies below it, as a path or a URL, where no longer path has it."""
        path, url = str(self.root), self.root.as_uri()
        places = f"(?:(?P<url>{re.escape(url)})|{re.escape(path)})"
        return re.compile(rf"(?<![\w./~-]){places}(?P<rest>/[^\s\"'`:;,)\]>|]*)?(?![\w.-])")


def constraint_in(snapshot: Snapshot, path: str) -> str:
    """What a file says has to hold for it to count at all; "" for nothing, or for no text."""
    try:
        text = snapshot.read(path)
    except BadInput:
        return ""
    head = "" if text is None else text.content[:_HEAD_CHARACTERS]
    imports = imports_of(path, head.encode("utf-8", "replace"))
    return "" if imports is None else imports.condition


def _inside(found: re.Match[str]) -> str:
    rest = (found["rest"] or "").strip("/") or "."
    return rest if found["url"] is None else unquote(rest)
