"""One object's way to its folder's host, from one process and one event loop."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from understudy.faces.calls.events import BRANCHES_CHANGED, LISTENING, SERVERS_CHANGED
from understudy.faces.hosting.link import HostLink
from understudy.faces.python.events import BranchesChanged, Event, Progress, ServersChanged
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root
from understudy.workspace.progress import Audience
from understudy.workspace.tasks import Tasks

Json = dict[str, Any]
_VERBS: Mapping[str, str] = {"report": "check", "execute": "run"}
"""What callers call the calls that have names of their own."""
_EVENTS: Mapping[str, Event] = {
    BRANCHES_CHANGED: BranchesChanged(), SERVERS_CHANGED: ServersChanged()
}  # fmt: skip
logging.getLogger("understudy").addHandler(logging.NullHandler())


class Heard(asyncio.Queue[Event | None]):
    """What happens, for one who listens; None is the end."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = asyncio.Event()
        self.failure: UnderstudyError | None = None

    def take(self, line: str) -> None:
        """Hear a line of the host's."""
        if line == LISTENING:
            self.begun.set()
        else:
            self.put_nowait(_EVENTS[line])

    def raise_failure(self) -> None:
        """Raise what has ended the listening, if it was an error."""
        if self.failure is not None:
            raise self.failure


class Asking:
    """Comes to the host with the first question, and leaves it, or ends it, with `close`.

    Raises BadInput for a folder that cannot be one, and whatever the host raises.
    """

    def __init__(self, folder: str | os.PathLike[str], *, trust: bool) -> None:
        self.root = Root.open(Path(folder))
        self._hearers: dict[Heard, asyncio.Task[None]] = {}
        self._link = HostLink(self.root, agent=False, stays=True, trusts=trust)
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks = Tasks()
        self._is_closed = False

    def refuse_unusable(self) -> None:
        """Raise BadInput `closed`, `forked` where nothing can be asked here any more."""
        where = str(self.root.path)
        if os.getpid() != self._pid:
            text = f"it was opened by process {self._pid}; open a Workspace in this one"
            raise BadInput("forked", text, where)
        if self._is_closed:
            raise BadInput("closed", "this Workspace has been closed; open another one", where)

    async def ask(self, name: str, params: Json, *, about: str | None = None) -> Json:
        """Ask the host; `about` is the branch whose progress hearers are told of."""
        self._refuse_other_loop()

        def progress(message: str, done: int, total: int) -> None:
            self.tell(
                Progress(about, _VERBS.get(name, name.rpartition("/")[2]), message, done, total)
            )

        return await self._link.call(name, params, Audience(progress))

    def hear(self) -> Heard:
        """What happens from now on, until `unhear`; raises BadInput as `ask`."""
        self._refuse_other_loop()
        heard = Heard()
        self._hearers[heard] = self._tasks.spawn(self._listen(heard), "listen to the host")
        return heard

    def unhear(self, heard: Heard) -> None:
        """Listen no more."""
        listening = self._hearers.pop(heard, None)
        if listening is not None:
            listening.cancel()

    async def _listen(self, heard: Heard) -> None:
        try:
            await self._link.call("listen", {}, Audience(told=heard.take))
        except UnderstudyError as error:  # who listens is told
            heard.failure = error
        finally:
            heard.begun.set()
            heard.put_nowait(None)

    async def open(self) -> None:
        """Come to the host now; raises as `HostLink.open`."""
        self._refuse_other_loop()
        await self._link.open()

    def tell(self, event: Event) -> None:
        """Hand an event to everybody who listens to this object."""
        for heard in tuple(self._hearers):
            heard.put_nowait(event)

    async def close(self) -> None:
        """Leave the host, or end it with its servers; a second call does nothing."""
        if self._is_closed or os.getpid() != self._pid:
            return
        self._is_closed = True
        for heard in tuple(self._hearers):
            heard.put_nowait(None)
        try:
            await self._link.close()
        finally:
            await self._tasks.close()

    def _refuse_other_loop(self) -> None:
        self.refuse_unusable()
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
            self._tasks.spawn(self._close_with_loop(), "close with the loop")
        elif self._loop is not loop:
            text = "an AsyncWorkspace belongs to the event loop that used it first; open another"
            raise BadInput("other-loop", text, str(self.root.path))

    async def _close_with_loop(self) -> None:
        """`asyncio.run` cancels what is left at its end: nothing of ours outlives it."""
        try:
            await asyncio.Event().wait()
        finally:
            if not self._is_closed:
                self._is_closed = True
                await self._link.close()
