"""A live stage kept true while the user goes on: what the user saves comes in, and collides never.

The kernel lets a stage show a file as it was when somebody on it first looked. So what moved in the
user's folder is read back through the stage, and what still differs is put there. A file that a
command has written, too, is merged at a pause, and the merge is put there if nobody has it open.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from understudy.shadow.merge import merge_texts
from understudy.stage.live import LiveStage, Replacement
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.texts import Text
from understudy.workspace.rehearsals.bases import LOST
from understudy.workspace.rehearsals.ledger import digest_of
from understudy.workspace.rehearsals.place import Change
from understudy.workspace.rehearsals.sweep import NO_FILE, Sweeper, enters
from understudy.workspace.rehearsals.user_files import UserFiles

PAUSE_S = 30.0
"""Nothing was written for so long: then merged texts come onto the stage."""


@dataclass
class Truth:
    """Brings the user's saves onto a stage; `collisions` are the paths that do not merge."""

    stage: LiveStage
    sweeper: Sweeper
    files: UserFiles
    pause_s: float = PAUSE_S
    collisions: set[str] = field(default_factory=set[str])
    n_looks: int = 0
    _waiting: set[str] = field(default_factory=set[str])
    _compared: dict[str, tuple[str | None, str | None]] = field(default_factory=lambda: {})
    _turn_is_over: bool = False

    def end_turn(self) -> None:
        """The agent says that it rests: a pause begins now."""
        self._turn_is_over = True

    async def keep(self) -> None:
        """Look at the user's folder once, and bring in what moved; raises as the stage does."""
        self.n_looks += 1
        self._waiting |= await asyncio.to_thread(self.files.moved)
        if not self._waiting:
            return
        await self.stage.refresh()
        async with self.sweeper.turn:
            found = await self.stage.sightings(enters)
            is_pause = self._turn_is_over or self._rests
            self._turn_is_over = False
            for path in sorted(self._waiting):
                if self.sweeper.is_news(path, found.items.get(path)):
                    continue  # a command writes it just now; the next look has it
                try:
                    is_done = await self._bring(path, is_pause=is_pause)
                except (BadInput, Refused):
                    is_done = True  # a link is in the way, or the name is none: it stays as it is
                except OutsideFailure as error:
                    if error.code == "stage-lost":
                        raise
                    is_done = False
                if is_done:
                    self._waiting.discard(path)

    @property
    def _rests(self) -> bool:
        return time.monotonic() - self.sweeper.last_change >= self.pause_s

    async def _bring(self, path: str, *, is_pause: bool) -> bool:
        """Whether the stage shows what it should at a path, or never will."""
        if self.files.is_link(path) or path in self.sweeper.left_out:
            return True  # nor is it merged: what a command has there is all that there is of it
        now = await asyncio.to_thread(self.files.now, path)
        if now is LOST:
            return False
        known = self.sweeper.ledger.known.get(path)
        if known is not None and known.after != known.base:
            if digest_of(now) == known.base:
                self.collisions.discard(path)
                return True
            if is_pause:
                return await self._merge(path, now)
            sides = (digest_of(now), known.after)
            if self._compared.get(path) != sides:  # told now, merged at a pause
                self._compared[path] = sides
                await self._merged(path, now)
            return False
        shown = await self.stage.read(path)
        if shown == now:
            await asyncio.to_thread(self.files.showed, path, now)
            return True
        put = await self.stage.replace(self._replacement(path, now, shown))
        if not put.done:
            if put.mark is not None and known is None:  # it is copied by now, and still the user's
                await self.sweeper.settled(Change(path, shown, shown), put.mark)
            return False
        await self.sweeper.settled(Change(path, now, now), put.mark or NO_FILE)
        await asyncio.to_thread(self.files.showed, path, now)
        return True

    async def find_collisions(self) -> None:
        """Compare every file that was written with what the user has there now."""
        async with self.sweeper.turn:
            for path, known in list(self.sweeper.ledger.known.items()):
                now = await asyncio.to_thread(self.files.now, path)
                if known.after == known.base:
                    self.collisions.discard(path)
                elif now is not LOST and not (known.is_base_known and digest_of(now) == known.base):
                    with suppress(BadInput, Refused, OutsideFailure):  # nobody can tell: as it was
                        await self._merged(path, now)

    async def _merged(
        self, path: str, now: bytes | None
    ) -> tuple[bytes | None, bytes | None, Text | None] | None:
        """What the edit is of, what the stage has, and both sides' changes; None: a collision.

        Or the file has moved on the stage; the next look has it then.
        """
        ledger = self.sweeper.ledger
        known = ledger.known[path]
        ours = await self.stage.read(path)
        if digest_of(ours) != known.after:
            return None
        if not known.is_base_known:
            self.collisions.add(path)
            return None
        base = await asyncio.to_thread(ledger.base, path)
        sides = [None if side is None else Text.decode(side, path) for side in (base, ours, now)]
        merged = merge_texts(*sides)
        if merged.conflicts:
            self.collisions.add(path)
            return None
        self.collisions.discard(path)
        return base, ours, merged.text

    async def _merge(self, path: str, now: bytes | None) -> bool:
        """Put both sides' changes onto the stage; a collision waits for the user."""
        merged = await self._merged(path, now)
        if merged is None:
            return False
        base, ours, text = merged
        known = self.sweeper.ledger.known[path]
        after = None if text is None else text.encode()
        mark = known.mark
        if after != ours:
            put = await self.stage.replace(self._replacement(path, after, ours, is_merge=True))
            if not put.done:
                return False
            self.sweeper.rebased[path] = time.time_ns(), base
            mark = put.mark or NO_FILE
        await self.sweeper.settled(Change(path, now, after), mark)
        return True

    def _replacement(
        self, path: str, data: bytes | None, instead_of: bytes | None, *, is_merge: bool = False
    ) -> Replacement:
        mode, mtime_ns = self.files.form(path)
        return Replacement(path, data, instead_of, mode, mtime_ns, readers_count=is_merge)
