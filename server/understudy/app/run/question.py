"""What a run is about: the base that its stage begins with, and the branch over it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Event

from understudy.app.run.base_guard import EVERYTHING, FolderState, folder_state
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import Conflict
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.stamps import Stamp
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS
from understudy.workspace.pinned_base import base_of_then, pin
from understudy.workspace.session import Session

PINNED_BYTES = 64 * 1024 * 1024
"""Files of the folder whose text is kept as it was at the start of a run, in all."""
PINNED_FIRST_BYTES = 4 * 1024 * 1024
PINNED_FIRST_FILES = 1000
"""A folder up to this size is pinned before the command starts, in a few ms; others meanwhile."""


@frozen
class RunQuestion:
    """The base at the start of a run, which goes on reading as it did, and a branch over it.

    `began_ns` is when it was looked at, in ns since 1970.
    """

    began_ns: int
    state: FolderState
    base: Base
    snapshot: Snapshot
    root: Root
    live_base: LiveBase
    book: BranchBook
    branch: str | None
    branch_stamp: Stamp | None

    async def now(self) -> Snapshot:
        """The same branch over what the user has now. Raises Moved, BadInput `unknown-branch`."""
        state = await folder_state(self.root)
        base = (await self.live_base.fresh()).with_scan(state.files, state.environment)
        if self.branch is None:
            return Snapshot(base)
        return await self.book.snapshot(self.branch, base)


async def question_of(
    session: Session, live_base: LiveBase, book: BranchBook, branch: str | None
) -> RunQuestion:
    """The snapshot over the folder as it is; a file that moves while it is read is read again.

    Raises Moved; BadInput `unknown-branch`; Conflict where the branch does not fit the base.
    """
    for attempt in range(REPEATS + 1):
        began_ns = time.time_ns()
        state = await folder_state(session.root)
        # A check looks at the files that servers read; a command may read any.
        base = (await live_base.fresh()).with_scan(state.files, state.environment)
        base = base_of_then(base, EVERYTHING.covers)
        try:
            snapshot, stamp = Snapshot(base), None
            if branch is not None:
                stamp = (await book.get(branch)).stamp
                snapshot = await book.snapshot(branch, base)
            _ = snapshot.unlike_disk
        except Moved:
            if attempt == REPEATS:
                raise
            continue
        if snapshot.conflicts:
            text = "the branch's edits collide with what the user changed; rebase it first"
            raise Conflict("conflict", text, ", ".join(sorted(snapshot.conflicts)))
        return RunQuestion(
            began_ns, state, base, snapshot, session.root, live_base, book, branch, stamp
        )
    raise AssertionError


@asynccontextmanager
async def pinning(session: Session, question: RunQuestion) -> AsyncGenerator[None, None]:
    """Keep the texts of the start while the body runs, which may see them change."""
    stop = Event()
    reading = asyncio.to_thread(pin, question.base, PINNED_BYTES, stop)
    task = session.tasks.spawn(reading, "pin what a run begins with")
    try:
        if _is_small(question.state):
            await asyncio.shield(task)
        yield
    finally:
        stop.set()
        await asyncio.wait([task])


def _is_small(state: FolderState) -> bool:
    if len(state.files) > PINNED_FIRST_FILES:
        return False
    return sum(mark.size for mark in state.files.values()) <= PINNED_FIRST_BYTES
