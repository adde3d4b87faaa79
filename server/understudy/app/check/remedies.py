"""What a reason of a server means in words of the language, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from understudy.findings.judgement import Judged
from understudy.values.fields import Word
from understudy.values.verdicts import Answer, Reason


def with_remedies(judged: Judged, remedies: Mapping[str, Word]) -> Judged:
    """The same answers, with the remedy behind each reason that a profile knows one for."""
    if not remedies:
        return judged
    before, after = (_told(answer, remedies) for answer in (judged.before, judged.after))
    return replace(judged, before=before, after=after)


def _told(answer: Answer | None, remedies: Mapping[str, Word]) -> Answer | None:
    if answer is None or answer.reason is None:
        return answer
    reason = answer.reason
    for text, remedy in remedies.items():
        if text in reason.text:
            return replace(answer, reason=Reason(reason.code, f"{reason.text}; {remedy}"))
    return answer
