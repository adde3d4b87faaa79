"""A run from the command line of a patch or of the folder itself, where no host runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understudy.app import settings as settings_module
from understudy.app.branch_edits import edit_fresh
from understudy.app.progress import Audience
from understudy.app.run import Receipt, RunOptions, run
from understudy.app.session import Session
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.values.paths import Root


async def run_edits(
    folder: Path, edits: Sequence[dict[str, Any]], options: RunOptions, audience: Audience
) -> Receipt:
    """Run a command with these edits over the folder; only its output and products stay behind.

    Raises what `run` raises, and BadInput for a folder, settings or edits that cannot be used.
    """
    live, placed = audience.live, audience.placed
    root = Root.open(folder)
    trusted = is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    session = Session(root, settings, workspace_layout(root).create(), trusted)
    try:
        if not edits:
            return await run(session, None, options, live, placed=placed)
        # Its id means nothing to others, but products are kept from one patch to the next.
        branch = (await session.branches.create("patch")).id
        await edit_fresh(session.branches, branch, edits, session.bases.own)
        return await run(session, branch, options, live, placed=placed, owner="patch")
    finally:
        await session.close()
