"""A check without a host: judges a patch and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understudy.app import settings as settings_module
from understudy.app.check import REPEATS, Checked, CheckOptions, check
from understudy.app.progress import Progress, silent
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side
from understudy.disk.layout import ephemeral_layout
from understudy.disk.trust import is_trusted
from understudy.shadow.folder import Moved
from understudy.values.paths import Root


async def check_edits(
    folder: Path,
    edits: Sequence[dict[str, Any]],
    options: CheckOptions,
    *,
    trust: bool = False,
    progress: Progress = silent,
) -> Checked:
    """What the edits introduce over the folder as it is on disk.

    Raises BadInput for a folder, settings or edits that cannot be used.
    """
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    with ephemeral_layout() as layout:
        session = Session(root, settings, layout, trusted)
        try:
            branch = await session.branches.create("check")
            await _edit(session, branch.id, edits)

            after = branch_side(session, branch.id)
            return await check(session, base_side, after, options, progress=progress)
        finally:
            await session.close()


async def _edit(session: Session, branch_id: str, edits: Sequence[dict[str, Any]]) -> None:
    """Apply the edits over the folder; a file that changes while it is read is read again."""
    for _ in range(REPEATS):
        try:
            await session.branches.edit(branch_id, edits, await session.fresh_base())
        except Moved:
            continue
        return
    await session.branches.edit(branch_id, edits, await session.fresh_base())
