"""The host's part: what rehearsals have written becomes edits of their branches, and is judged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from understudy.shadow.branch import BranchFile
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.texts import PackedText, Text
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.rehearsals.place import Change, RehearsalPlace, places
from understudy.workspace.session import Session

LOOK_S, IDLE_LOOK_S = 0.05, 1.0
"""How often is looked for what was written: with a rehearsal at work, and without."""
_GAP_S = 0.25
"""A branch is judged once nothing was written to it for so long."""
_FINISH_S = 10.0
"""How long a process that ends sees to what rehearsals have left: a command is over at once."""

log = logging.getLogger(__name__)
Judge = Callable[[str], Awaitable[None]]


async def settle(session: Session, place: RehearsalPlace) -> str | None:
    """Journal what waits in a rehearsal's folder; the branch, if anything was.

    Raises what the journal does: then it waits on.
    """
    branch = None
    for batch in await asyncio.to_thread(lambda: list(place.batches())):
        branch = await _put(session.branches, place.folder.name, batch.changes) or branch
        await asyncio.to_thread(batch.file.unlink, missing_ok=True)
    return branch


async def _put(book: BranchBook, branch: str, changes: tuple[Change, ...]) -> str | None:
    """The branch that has them: after an accept or a discard another one, None for no news."""
    files: dict[str, BranchFile] = {}
    for change in changes:
        try:
            path = book.root.relative(change.path)
            base = _packed(change.base, path) if change.base_known else None
            files[path] = BranchFile(base, _packed(change.after, path))
        except BadInput as error:
            log.warning("a rehearsal in %s wrote what no branch holds: %s", branch, error)
    title = f"what a rehearsal went on with after {branch}"
    known = book.gone_on_in.get(branch, branch)  # a title is the user's to change
    for to in (
        branch,
        known,
        *(one.id for one in book.all() if one.title == title),
    ):  # forks: later
        try:
            put = (await book.put(to, files)).id
        except BadInput as error:  # accepted or discarded meanwhile
            if error.code != "unknown-branch":
                raise
        else:
            book.gone_on_in[branch] = put
            return put
    if all(file.base == file.after for file in files.values()):
        return None  # the user has just these texts
    book.gone_on_in[branch] = made = (await book.create(title)).id
    return (await book.put(made, files)).id


def _packed(data: bytes | None, path: str) -> PackedText | None:
    return None if data is None else PackedText.pack(Text.decode(data, path))


@dataclass
class Settlements:
    """Follows every rehearsal of a host's folder; `judge` gives a branch its verdict.

    `end_left` journals what one has left whose process is gone; `on_change` hears when one begins,
    ends, or says something new of itself.
    """

    session: Session
    judge: Judge
    end_left: Callable[[Session, RehearsalPlace], Awaitable[str | None]]
    on_change: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._poked = asyncio.Event()
        self._looked = asyncio.Event()
        """No look goes on, and there has been one."""
        self._unjudged: dict[str, float] = {}
        self._judging: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; it goes on until the session closes."""
        self.session.tasks.spawn(self._follow(), "follow rehearsals")

    def poke(self) -> None:
        """A rehearsal begins."""
        self._poked.set()

    async def finish(self) -> None:
        """Wait until a whole look is over, within a limit: what it ends is begun anew otherwise."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._looked.wait(), _FINISH_S)

    async def _follow(self) -> None:
        told: set[tuple[str, int]] = set()
        while True:
            self._looked.clear()
            live: set[tuple[str, int]] = set()
            for place in await asyncio.to_thread(places, self.session.layout):
                with suppress(OSError):
                    if await self._settle(place):
                        live.add(place.news)
            self._looked.set()
            is_live = bool(live)
            if live != told:
                told = live
                self.on_change()
            self._poked.clear()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._poked.wait(), LOOK_S if is_live else IDLE_LOOK_S)

    async def _settle(self, place: RehearsalPlace) -> bool:
        is_live = place.is_live
        try:
            branch = await (settle if is_live else self.end_left)(self.session, place)
        except UnderstudyError as error:
            log.warning("what a rehearsal has written waits: %s", error)
            return is_live
        if branch is not None:
            self._unjudged[branch] = asyncio.get_running_loop().time() + _GAP_S
            if self._judging is None or self._judging.done():
                work = self._judge_what_rests()
                self._judging = self.session.tasks.spawn(work, "judge rehearsals")
        return is_live

    async def _judge_what_rests(self) -> None:
        """One branch after the other, each once nothing was written to it for a while."""
        loop = asyncio.get_running_loop()
        while self._unjudged:
            branch = min(self._unjudged, key=self._unjudged.__getitem__)
            if (rests_in := self._unjudged[branch] - loop.time()) > 0:
                await asyncio.sleep(rests_in)  # it may be written to again meanwhile
            else:
                del self._unjudged[branch]
                await self._judge(branch)

    async def _judge(self, branch: str) -> None:
        try:
            await self.judge(branch)
        except (UnderstudyError, Moved) as error:
            log.warning("%s was not judged: %s", branch, error)
