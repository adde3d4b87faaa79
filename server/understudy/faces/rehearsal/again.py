"""Starting an agent again with what it is to be told: by its own option to go on where it was."""

from __future__ import annotations

import os
from collections.abc import Sequence

from understudy.workspace.agents.catalogue import shipped_agents
from understudy.workspace.agents.profile import Resume


def again(argv: Sequence[str], text: str) -> tuple[str, ...] | None:
    """The command that goes on; None where it is not known how, or a person sits before it."""
    name = os.path.basename(argv[0])  # noqa: PTH119 - a word of a command line
    for agent in shipped_agents():
        if agent.binary == name and agent.resume is not None:
            return _resumed(argv, text, agent.resume)
    return None


def way_without_terminal(argv: Sequence[str]) -> str | None:
    """The word behind which an agent takes its prompt, where it was given none: it wants a person.

    None where it was given one, and for a program that we do not know.
    """
    name = os.path.basename(argv[0])  # noqa: PTH119 - a word of a command line
    for agent in shipped_agents():
        if agent.binary == name and agent.resume is not None:
            after = agent.resume.after
            return None if set(after) & set(argv[1:]) else after[0]
    return None


def _resumed(argv: Sequence[str], text: str, how: Resume) -> tuple[str, ...] | None:
    at = next((n for n, word in enumerate(argv) if n and word in how.after), None)
    if at is None or at + 1 >= len(argv):
        return None
    # The prompt stands behind that word, or at the end where options come first.
    is_next = not argv[at + 1].startswith("-")
    prompt = at + 1 if is_next else len(argv) - 1
    head, rest = argv[:at], argv[at + 1 : prompt]
    words = tuple(text if word == "{text}" else word for word in how.words)
    if is_next:
        return (*head, *words, *argv[prompt + 1 :])
    return (*head, *words[:-1], *rest, words[-1])
