"""A live stage kept true while the user goes on: what the user saves comes in, and collides never.

The kernel lets a stage show a file as it was when somebody on it first looked. So what moved in the
user's folder is read back through the stage, and what still differs is put there. A file that a
command has written, too, is merged at a pause, and the merge is put there if nobody has it open.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from understudy.shadow.merge import merge_texts
from understudy.stage.live import FileMark, LiveStage, Replacement
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.texts import Text
from understudy.workspace.rehearsals.bases import LOST
from understudy.workspace.rehearsals.ledger import digest_of
from understudy.workspace.rehearsals.place import Change
from understudy.workspace.rehearsals.sweep import NO_FILE, Sweeper, enters
from understudy.workspace.rehearsals.user_files import UserFiles

PAUSE_S = 30.0
"""Nothing was written for so long: then merged texts come onto the stage."""
_AT_ONCE, _BYTES_AT_ONCE = 32, 32 * 1024 * 1024
"""So much is brought in, and written down, before what commands write is looked at again."""


@frozen
class _Put:
    """What is to be on the stage, and what has to lie there before.

    With `is_merge` an edit is merged into it, which was one of `base_before`.
    """

    change: Change
    instead_of: bytes | None
    form: tuple[int, int | None]
    """Mode and time, of the same state of the user's file as the text."""
    is_merge: bool = False
    base_before: bytes | None = None


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
    _in_use: set[str] = field(default_factory=set[str])
    """Where nothing could be put the last time."""

    def end_turn(self) -> None:
        """The agent says that it rests: a pause begins now."""
        self._turn_is_over = True

    async def keep(self) -> int:
        """Look at the user's folder once, and bring in what moved; how many files were put there.

        Raises as the stage does.
        """
        self.n_looks += 1
        self._waiting |= await asyncio.to_thread(self.files.moved)
        if not self._waiting:
            return 0
        await self.stage.refresh()
        is_pause = self._turn_is_over or self._rests
        self._turn_is_over = False
        n_put, waiting = 0, deque(sorted(self._waiting))
        while waiting:
            async with self.sweeper.turn:
                n_put += await self._bring_some(waiting, is_pause=is_pause)
        return n_put

    async def _bring_some(self, waiting: deque[str], *, is_pause: bool) -> int:
        """Bring the first of these in; how many were put there. The caller has the turn.

        What is to be put is written down before: a kill in the middle makes no save an edit.
        """
        looked: list[str] = []
        puts: list[_Put] = []
        while waiting and len(looked) < _AT_ONCE and sum(map(_size, puts)) < _BYTES_AT_ONCE:
            path = waiting.popleft()
            looked.append(path)
            found = await self._unless_hindered(path, self._wanted(path, is_pause=is_pause))
            if isinstance(found, _Put):
                puts.append(found)
        await self.sweeper.intend((one.change, one.instead_of) for one in puts)
        done: list[tuple[Change, FileMark]] = []
        try:
            for put in puts:
                await self._unless_hindered(put.change.path, self._put(put, done))
        finally:
            await self.sweeper.settled(done, looked)
        return len(done)

    async def _unless_hindered(
        self, path: str, step: Coroutine[Any, Any, bool | _Put]
    ) -> bool | _Put:
        """What a step says; where it says that it is done, the path waits no more."""
        try:
            found = await step
        except (BadInput, Refused):
            found = True  # a link is in the way, or the name is none: it stays as it is
        except OutsideFailure as error:
            if error.code == "stage-lost":
                raise
            found = False
        if found is True:
            self._waiting.discard(path)
        return found

    @property
    def _rests(self) -> bool:
        return time.monotonic() - self.sweeper.last_change >= self.pause_s

    async def _wanted(self, path: str, *, is_pause: bool) -> _Put | bool:
        """What is to be put there; else whether the stage shows what it should, or never will."""
        if await self._is_written(path):
            return False  # just now; the next look has it
        if self.files.is_link(path) or path in self.sweeper.left_out:
            return True  # nor is it merged: what a command has there is all that there is of it
        now = await asyncio.to_thread(self.files.now, path)
        if now is LOST:
            return False
        form = self.files.form(path)
        known = self.sweeper.ledger.known.get(path)
        if known is not None and known.after != known.base:
            if digest_of(now) == known.base:
                self.collisions.discard(path)
                return True
            if is_pause:
                return await self._merge(path, now, form)
            sides = (digest_of(now), known.after)
            if self._compared.get(path) != sides:  # told now, merged at a pause
                self._compared[path] = sides
                await self._merged(path, now)
            return False
        shown = await self.stage.read(path)
        if shown == now:
            await asyncio.to_thread(self.files.showed, path, now)
            return True
        if await self._is_written(path):
            return False  # it was read with what a command has written
        if path in self._in_use and await self.stage.is_used(path, readers=False):
            return False  # still: nothing is intended in vain, time and again
        return _Put(Change(path, now, now), shown, form)

    async def _is_written(self, path: str) -> bool:
        return self.sweeper.is_news(path, await self.stage.seen(path, enters))

    async def _put(self, put: _Put, done: list[tuple[Change, FileMark]]) -> bool:
        """Put it there; whether it is, and then it is among those that are `done`."""
        path, after = put.change.path, put.change.after
        known = self.sweeper.ledger.known.get(path)
        if put.is_merge and after == put.instead_of:
            assert known is not None
            self.sweeper.rebased[path] = time.time_ns(), put.base_before
            done.append((put.change, known.mark))
            return True
        wanted = Replacement(path, after, put.instead_of, *put.form, readers_count=put.is_merge)
        replaced = await self.stage.replace(wanted)
        (self._in_use.discard if replaced.done else self._in_use.add)(path)
        if not replaced.done:
            if replaced.mark is not None and known is None:  # it is copied by now, and the user's
                done.append((Change(path, put.instead_of, put.instead_of), replaced.mark))
            return False
        if put.is_merge:
            self.sweeper.rebased[path] = time.time_ns(), put.base_before
        done.append((put.change, replaced.mark or NO_FILE))
        if not put.is_merge:
            await asyncio.to_thread(self.files.showed, path, after)
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

    async def _merge(
        self, path: str, now: bytes | None, form: tuple[int, int | None]
    ) -> _Put | bool:
        """What both sides' changes make, to be put on the stage; a collision waits for the user."""
        merged = await self._merged(path, now)
        if merged is None:
            return False
        base, ours, text = merged
        after = None if text is None else text.encode()
        if after != ours and path in self._in_use and await self.stage.is_used(path, readers=True):
            return False
        return _Put(Change(path, now, after), ours, form, is_merge=True, base_before=base)


def _size(put: _Put) -> int:
    return len(put.change.after or b"") + len(put.instead_of or b"")
