"""The verb `watch`: what the user's text introduces since a checkpoint, judged as it moves.

It waits until the edits pause, judges in the background, one check at a time, and starts nothing
while nothing has changed. Files that are not open are seen too: the client tells of them, and the
folder is looked at now and then.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from understudy.app.check.check import check
from understudy.app.check.sides import base_side, checkpoint_side
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.values.errors import UnderstudyError
from understudy.values.frozen import frozen
from understudy.workspace.branches.checked import Checked
from understudy.workspace.checkpoints import Checkpoint
from understudy.workspace.last_checks import FOLDER
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

PAUSE_SECONDS = 1.0
"""Edits must have paused so long before they are judged."""
LONGEST_SECONDS = 10.0
"""Edits that never pause are judged after so long all the same."""
LOOK_SECONDS = 10.0
"""How often the folder is looked at where nobody tells of changes on disk."""
TOLD_LOOK_SECONDS = 120.0
"""The same where the client tells: it may miss some."""
LOOK_SHARE = 50
"""Looking takes at most this fraction of the time, in big folders too."""

_CANCEL_AGAIN_SECONDS = 0.2

log = logging.getLogger(__name__)


@frozen
class Watched:
    """What is known by now; `checked` is about the text of then, `error` says why there is none.

    `is_checking`: the text has moved since, and is being judged.
    """

    is_checking: bool = False
    checked: Checked | None = None
    error: UnderstudyError | None = None


class Watch:
    """One connection's watch since a checkpoint; `tell` is called with every news."""

    def __init__(
        self,
        session: Session,
        live_base: LiveBase,
        checkpoint: Checkpoint,
        tell: Callable[[Watched], None],
    ) -> None:
        self.checkpoint = checkpoint
        self.now = Watched()
        self.is_told_of_files = False
        """The client tells of changes on disk, so the folder need not be looked at often."""
        self._session = session
        self._live_base = live_base
        self._tell = tell
        self._moved = asyncio.Event()
        self._look_took = 0.0
        self._judged: Base | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; what differs from the checkpoint by now is judged first."""
        self._live_base.watchers.add(self._on_document)
        self._task = self._session.tasks.spawn(self._run(), "watch")

    async def stop(self) -> None:
        """End it, with the check that is under way; a second call does nothing."""
        self._live_base.watchers.discard(self._on_document)
        task, self._task = self._task, None
        while task is not None and not task.done():
            # A `wait_for` that has its result swallows a cancellation (until Python 3.12).
            task.cancel()
            await asyncio.wait([task], timeout=_CANCEL_AGAIN_SECONDS)

    def poke(self) -> None:
        """Something may have changed on disk."""
        self._moved.set()

    def _on_document(self, _path: str) -> None:
        self._moved.set()

    async def _run(self) -> None:
        while True:
            try:
                if await self._has_moved():
                    self._news(Watched(True, self.now.checked, self.now.error))
                    self._news(await self._judge())
            except UnderstudyError as error:
                log.warning("what changed since the checkpoint was not judged: %s", error)
                self._news(Watched(False, None, error))
            await self._pause()

    async def _has_moved(self) -> bool:
        """Whether the base is another than the one that was judged last, or who was believed."""
        self._moved.clear()
        began = time.monotonic()
        base = await self._live_base.fresh()
        self._look_took = time.monotonic() - began
        checked = self.now.checked
        is_believed = checked is None or self._session.refuted <= checked.refuted
        judged = self._judged
        if is_believed and judged is not None and base.generation == judged.generation:
            return False
        self._judged = base
        return True

    async def _pause(self) -> None:
        """Wait until something moves, or it is time to look; then until the edits pause."""
        patience = TOLD_LOOK_SECONDS if self.is_told_of_files else LOOK_SECONDS
        if not await self._moves_within(max(patience, LOOK_SHARE * self._look_took)):
            return
        deadline = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < deadline:
            self._moved.clear()
            if not await self._moves_within(PAUSE_SECONDS):
                return

    async def _moves_within(self, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self._moved.wait(), seconds)
        except asyncio.TimeoutError:
            return False
        return True

    async def _judge(self) -> Watched:
        try:
            checked = await check(
                self._session, checkpoint_side(self.checkpoint), base_side, CheckOptions(),
                owner="watch", live_base=self._live_base,
            )  # fmt: skip
        except Moved:  # once more, after the pause
            self._judged = None
            self._moved.set()
            return Watched(True, self.now.checked, None)
        self._session.last_checks.keep(FOLDER, checked)
        return Watched(False, checked, None)

    def _news(self, watched: Watched) -> None:
        self.now = watched
        self._tell(watched)
