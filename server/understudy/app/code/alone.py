"""A question without any host: it leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

from understudy.app.code.answer import CodeAnswer, CodeWish
from understudy.app.code.ask import ask
from understudy.workspace.passing_session import passing_session
from understudy.workspace.progress import Progress, silent


async def ask_alone(
    folder: Path, wish: CodeWish, *, trust: bool = False, progress: Progress = silent
) -> CodeAnswer:
    """The answer over the files on disk; raises BadInput for a folder or settings, and as `ask`."""
    async with passing_session(folder, trust=trust) as session:
        with session.watching_servers(progress):
            return await ask(session, session.bases.own, wish)
