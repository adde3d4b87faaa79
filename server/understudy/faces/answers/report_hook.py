"""A check as the hooks of agents take it: JSON that puts the verdict before the model."""

from __future__ import annotations

from understudy.faces.answers.agent_text import lint_text
from understudy.faces.answers.sound_json import json_text
from understudy.workspace.branches.checked import Checked

_EVENT = "PostToolUse"


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
