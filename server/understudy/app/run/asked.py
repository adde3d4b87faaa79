"""The verb `run` as it is asked: over which branch, and what of it stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import NOBODY, Audience
from understudy.workspace.session import Session

OWNER = "patch"
"""Whose the products are of runs with edits that no branch keeps: one patch finds another's."""


async def receipt_of(
    session: Session,
    options: RunOptions,
    live_base: LiveBase,
    *,
    branch: str | None = None,
    edits: Sequence[Any] | None = None,
    audience: Audience = NOBODY,
    owner: str | None = None,
) -> RunReceipt:
    """Run a command with a kept branch, with edits, or with the user's text as it is.

    `owner` is whose shared stages are meant (None: the branch's, or the base's).
    `edits` stay only where the run adopts: then they are a new branch, also where there are none.
    Raises as `run` and `edit_fresh` do.
    """
    if branch is None and edits is not None and options.adopt:
        return await _run_new(session, options, live_base, edits, audience)
    if branch is None and edits:
        book = session.unlisted
        async with passing_branch(book, edits, live_base, "run") as passing:
            return await run(
                session, passing, options, audience, owner=OWNER, live_base=live_base, book=book
            )
    return await run(session, branch, options, audience, owner=owner, live_base=live_base)


async def run_alone(
    folder: Path, edits: Sequence[Any], options: RunOptions, audience: Audience
) -> RunReceipt:
    """Run a command where no host runs; only its output and products stay behind.

    Raises as `receipt_of` does, and BadInput for a folder or settings that cannot be used.
    """
    root = Root.open(folder)
    trusted = is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    session = Session(root, settings, workspace_layout(root).create(), trusted)
    try:
        base = session.bases.own
        return await receipt_of(session, options, base, edits=edits, audience=audience)
    finally:
        await session.close()


async def _run_new(
    session: Session,
    options: RunOptions,
    live_base: LiveBase,
    edits: Sequence[Any],
    audience: Audience,
) -> RunReceipt:
    """Run with a new branch, which stays if there is anything in it."""
    branches, stamp = session.branches, None
    made = (await branches.create("run")).id
    try:
        if edits:
            await edit_fresh(branches, made, edits, live_base)
        stamp = (await branches.get(made)).stamp
        return await run(session, made, options, audience, live_base=live_base)
    except BaseException:  # whatever it is: undone, and raised again
        if stamp in (None, (await branches.get(made)).stamp):
            await branches.discard(made)
        raise
