"""What an attached file adds to a prompt: its text once, then what the user changed, or its name.

A model that knows a text and its own edits knows the file; saying it again would cost its tokens.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

from understudy.context.events import Event, last_of
from understudy.values.frozen import frozen
from understudy.values.lines import split_lines

Form = Literal["full", "outline", "diff", "path", "same"]

_DIFF_BYTES = 4 * 1024 * 1024


@frozen
class Attachment:
    """The form of an attachment, and the text of a `diff`."""

    form: Form
    text: str = ""


def attachment(
    events: Sequence[Event], path: str, sha256: str, by: str, old: str | None, new: str,
    outline_lines: int,
) -> Attachment:  # fmt: skip
    """How a file is to be shown; `old` is the text that the model knows, if it could be read."""
    before = known(events, path)
    if by == "agent":
        return Attachment("path")
    if before is not None and before.sha256 == sha256:
        return Attachment("same")
    if before is not None and old is not None and len(old) + len(new) <= _DIFF_BYTES:
        text = diff_of(path, old, new)
        if len(text) < len(new):
            return Attachment("diff", text)
    return Attachment("outline" if new.count("\n") > outline_lines else "full")


def known(events: Sequence[Event], path: str) -> Event | None:
    """The attachment from which the model knows a file; what a summary replaced is not known."""
    summary = last_of(events, "summary")
    upto = 0 if summary is None else summary.upto
    found = [e for e in events if e.kind == "attach" and e.path == path and e.seq > upto]
    return found[-1] if found else None


def diff_of(path: str, old: str, new: str) -> str:
    """A unified diff; a missing newline at the end of a side is said as `diff` says it."""
    sides = (split_lines(old), split_lines(new))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(*sides, f"a/{path}", f"b/{path}")
    )
