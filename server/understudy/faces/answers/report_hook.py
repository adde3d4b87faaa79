"""A check as the hooks of agents tell it: little after an edit, the whole at the end of a turn."""

from __future__ import annotations

import re

from understudy.faces.answers.agent_text import lint_text
from understudy.faces.answers.sound_json import json_text
from understudy.findings.lines import finding_line
from understudy.values.findings import counts
from understudy.workspace.branches.checked import Checked

_EVENT = "PostToolUse"
_EDIT_LINES = 3
_END_BYTES = 1000
"""Some 250 tokens."""
_STAMP = re.compile(r" \[stamp \w+\]")


def edit_text(checked: Checked, path: str) -> str:
    """The errors that an edit introduced in the edited file itself, in three lines at most.

    More would have the agent mend what its next edit mends anyway.
    """
    introduced = [one for one in checked.report.introduced if one.path == path]
    counting = [one for one in introduced if counts(one.severity, checked.severity)]
    lines = [finding_line(finding) for finding in counting]
    if len(lines) > _EDIT_LINES:
        rest = len(lines) - _EDIT_LINES + 1
        lines = [*lines[: _EDIT_LINES - 1], f"{rest} more in this file"]
    return "\n".join(lines)


def end_text(checked: Checked, compared: str) -> str:
    """What a turn's edits introduce and leave unknown; nothing where all is clean."""
    if checked.report.verdict == "clean" and not checked.report.silenced:
        return ""
    reasons = {file.reason.code for file in checked.report.files if file.reason is not None}
    if reasons == {"no-server"} and not checked.report.introduced:
        return ""  # no server is for anything that was edited: nobody waits for a verdict
    lines = lint_text(checked, None, compared).rstrip("\n").split("\n")
    kept, used = 0, 0
    for line in lines:
        used += len(line.encode("utf-8", "replace")) + 1
        if used > _END_BYTES and kept:
            break
        kept += 1
    left = len(lines) - kept
    more = [f"[{left} more lines: understudy_lint has them]"] if left else []
    return "\n".join([*lines[:kept], *more])


def same_words(text: str) -> str:
    """A text without its stamp: what an agent would read twice."""
    return _STAMP.sub("", text)


def check_hook(checked: Checked, compared: str | None) -> str:
    """What a hook that ran after an edit prints; nothing where all is clean and nothing silenced.

    The text stands twice: one family of agents reads it at the top, the other below its event.
    """
    if checked.report.verdict == "clean" and not checked.report.silenced:
        return ""
    text = lint_text(checked, None, compared or "the folder as it is")
    body = {
        "additionalContext": text,
        "hookSpecificOutput": {"hookEventName": _EVENT, "additionalContext": text},
    }
    return json_text(body) + "\n"
