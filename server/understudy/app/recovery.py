"""What the first start after a kill does: what was begun in that folder is ended."""

from __future__ import annotations

from understudy.app.accept.recovery import recover_accepts
from understudy.disk.journal.journal import Journal
from understudy.disk.layout import Layout
from understudy.disk.lock import HostLock
from understudy.stage.scratch import has_left
from understudy.values.errors import Refused
from understudy.values.paths import Root
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings


async def recover(session: Session, journal: Journal) -> list[str]:
    """End accepts and runs that a kill has broken off, and load the branches.

    The caller holds the host lock. Returns what the user should be told.
    """
    told = await recover_accepts(session.root, journal)
    await session.branches.load()
    if has_left(session.layout.stages):
        from understudy.app.run.recovery import recover_runs  # noqa: PLC0415 - it needs all of `run`

        told += await recover_runs(session)
    return told


async def recover_folder(root: Root, layout: Layout) -> None:
    """For who works without a host, where the last one was killed: end what it had begun.

    Where a host runs by now, it has done that. Raises as opening a journal does.
    """
    try:
        lock = HostLock.acquire(layout.lock)
    except Refused:
        return
    with lock:
        journal = await Journal.open(layout.journal)
        try:
            session = Session(root, Settings(), layout, trusted=False, journal=journal)
            try:
                await recover(session, journal)
            finally:
                await session.close()
        finally:
            await journal.close()
