"""A run from the command line: of a patch without a host, or of a kept branch as its host."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understudy.app import settings as settings_module
from understudy.app.branch_edits import edit_fresh
from understudy.app.run import Live, Receipt, RunOptions, run
from understudy.app.session import Session
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.values.paths import Root


async def run_edits(
    folder: Path, edits: Sequence[dict[str, Any]], options: RunOptions, live: Live
) -> Receipt:
    """Run a command with these edits over the folder; only its output and products stay behind.

    Raises what `run` raises, and BadInput for a folder, settings or edits that cannot be used.
    """
    root = Root.open(folder)
    trusted = is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    session = Session(root, settings, workspace_layout(root).create(), trusted)
    try:
        if not edits:
            return await run(session, None, options, live)
        # Its id means nothing to others, but products are kept from one patch to the next.
        branch = (await session.branches.create("patch")).id
        await edit_fresh(session.branches, branch, edits, session.bases.own)
        return await run(session, branch, options, live, owner="patch")
    finally:
        await session.close()


async def run_branch(
    folder: Path,
    branch: str | None,
    edits: Sequence[dict[str, Any]],
    options: RunOptions,
    live: Live,
) -> Receipt:
    """Run a command with a kept branch, or with a new one that holds these edits and stays.

    Raises as `run_edits`, and Refused `host-running` while an editor has the folder open.
    """
    from understudy.app.host import HostOptions, open_host  # noqa: PLC0415 - loads SQLite

    host = await open_host(Root.open(folder), HostOptions())
    session = host.session
    try:
        made = None
        if branch is None:
            made = branch = (await session.branches.create("run")).id
        try:
            if edits:
                await edit_fresh(session.branches, branch, edits, session.bases.own)
            return await run(session, branch, options, live)
        except BaseException:  # whatever it is: undone, and raised again
            if made is not None:
                await session.branches.discard(made)
            raise
    finally:
        await host.close()
