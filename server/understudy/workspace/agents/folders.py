"""Which folder a file belongs to: its own repository's, or the one in it that was set up."""

from __future__ import annotations

from pathlib import Path

from understudy.disk.folder.above import folders_above
from understudy.workspace.agents.profile import Agent


def folder_of(place: Path, agent: Agent, beside: Path) -> Path | None:
    """The folder to check for a file or folder that an agent works on; None if it is in none.

    That is the nearest one above it with the agent's hooks in its configuration, but never beyond
    the repository that the place is in (a worktree and a submodule are their own), whose top it is
    otherwise. Outside every repository it is `beside`, if that holds the place.
    """
    try:
        real = place.resolve()
        above = [real, *real.parents] if real.is_dir() else [*real.parents]
    except (OSError, RuntimeError, ValueError):
        return None
    looked_in = {real, *folders_above(real)}
    hooks = [file.path for file in agent.files if not file.path.startswith("~/")]
    set_up: Path | None = None
    for folder in above:
        if set_up is None and any((folder / path).is_file() for path in hooks):
            set_up = folder
        if folder in looked_in and (folder / ".git").exists():
            return set_up or folder
    return set_up or (beside.resolve() if real.is_relative_to(beside.resolve()) else None)
