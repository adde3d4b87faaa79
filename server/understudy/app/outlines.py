"""The verbs `outline` and `map`: what files declare, as the user or a branch has them."""

from __future__ import annotations

from understudy.shadow.snapshot import Snapshot
from understudy.workspace.live_base import LiveBase
from understudy.workspace.outlines.conclude import MapAnswer, MapWish

# Loaded with the server: loading them at the first request would make the user's typing wait.
from understudy.workspace.outlines.mapper import map_snapshot
from understudy.workspace.outlines.outliner import OutlineAnswer
from understudy.workspace.outlines.work import OutlineWish
from understudy.workspace.progress import Progress, silent
from understudy.workspace.session import Session


async def outline(
    session: Session,
    live_base: LiveBase,
    branch: str | None,
    path: str,
    wish: OutlineWish,
    if_digest: str | None = None,
) -> OutlineAnswer:
    """The outline or the text of a file; raises as `Outliner.outline`, and `unknown-branch`."""
    relative = session.root.relative(path)
    snapshot = await _snapshot(session, live_base, branch)
    return await session.outliner.outline(snapshot, relative, wish, if_digest)


async def map_folder(
    session: Session,
    live_base: LiveBase,
    branch: str | None,
    wish: MapWish,
    progress: Progress = silent,
) -> MapAnswer:
    """The map of the folder `wish.prefix`, unsaved buffers and the branch's edits included.

    Raises as `map_snapshot`, and BadInput `unknown-branch`.
    """
    snapshot = await _snapshot(session, live_base, branch)
    return await map_snapshot(session.mapper, session.root, snapshot, wish, progress)


async def _snapshot(session: Session, live_base: LiveBase, branch: str | None) -> Snapshot:
    base = await live_base.fresh()
    return Snapshot(base) if branch is None else await session.branches.snapshot(branch, base)
