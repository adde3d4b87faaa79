"""A ranking without any host: over the files on disk, and nothing but outputs stays behind."""

from __future__ import annotations

from pathlib import Path

from understudy.app.rank.rank import Ranking, RankQuestion, rank
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.progress import Progress, silent
from understudy.workspace.session import Session


async def rank_alone(
    folder: Path, question: RankQuestion, *, trust: bool = False, progress: Progress = silent
) -> Ranking:
    """Rank patches where no host runs.

    Raises as `rank` does, and BadInput for a folder or settings that cannot be used.
    """
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    session = Session(root, settings, workspace_layout(root).create(), trusted)
    try:
        return await rank(session, question, session.bases.own, progress)
    finally:
        await session.close()
