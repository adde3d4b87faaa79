"""Whether a program may accept: the one rule for all that is no command of a person's hand."""

from __future__ import annotations

import os
from collections.abc import Mapping

from understudy.values.errors import Refused
from understudy.values.started_by import STARTED_BY
from understudy.workspace.settings import user_allows_unattended

_OF_HOOKS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""What agents set for the hooks that they start."""


def started_by_agent(environ: Mapping[str, str] = os.environ) -> str | None:
    """Why this is no process of the user's, in words: a stage, a host of ours, an MCP server or an
    agent's hook has started it; None where nothing says so."""
    started_by = environ.get(STARTED_BY)
    if started_by == "stage":
        return "this process runs on a stage, beside the user's files"
    if started_by is not None:
        return "this process was started by an agent's tools, by way of Understudy"
    hook = next((name for name in _OF_HOOKS if name in environ), None)
    return None if hook is None else f"this process was started by an agent ({hook} is set)"


def refuse_unattended(environ: Mapping[str, str] = os.environ) -> None:
    """Let a program accept that a person has started and sits in front of.

    Raises Refused `accept-not-allowed` on a stage, in a process that a host of ours, an MCP server
    or an agent's hook has started, and without a terminal unless the user's own settings have
    `accept_unattended`; BadInput `bad-setting` where those cannot be read.
    """
    why = started_by_agent(environ)
    if why is not None:
        raise _refused(why)
    if not _has_terminal() and not user_allows_unattended():
        text = (
            "no person sits in front of this process (it has no terminal); who wants that allows "
            "it with `accept_unattended = true` in the config.toml of their own settings"
        )
        raise _refused(text)


def _refused(why: str) -> Refused:
    how = "accept with `understudy branches accept`, or in the editor"
    return Refused("accept-not-allowed", f"{why}; {how}")


def _has_terminal() -> bool:
    """Whether somebody can type, and read what is said: an agent's command has neither, or one."""
    return _is_terminal(0) and (_is_terminal(1) or _is_terminal(2))


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False
