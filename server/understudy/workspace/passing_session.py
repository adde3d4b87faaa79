"""A session for one question on the command line: nothing of it is kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from understudy.disk.layout import ephemeral_layout
from understudy.disk.trust import is_trusted
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.session import Session


@asynccontextmanager
async def passing_session(folder: Path, *, trust: bool) -> AsyncGenerator[Session, None]:
    """A session whose state is gone at the end; `trust` is for it alone.

    Raises BadInput for a folder or settings that cannot be used.
    """
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    with ephemeral_layout() as layout:
        session = Session(root, settings, layout, trusted)
        try:
            yield session
        finally:
            await session.close()
