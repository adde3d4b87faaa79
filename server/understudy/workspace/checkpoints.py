"""Checkpoints: a base pinned at a moment, to compare with later.

They live in memory, with the host: the agents that compare with them are connected to it, and end
with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from understudy.shadow.base import Base
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.pinned_base import base_of_then, pin

PINNED_BYTES = 64 * 1024 * 1024
MAX_CHECKPOINTS = 16


@frozen
class Checkpoint:
    """A base that reads as it did then, for the files it could pin (all within the limit).

    Any other file raises Forgotten once it has changed: nobody knows its text of then.
    """

    id: str
    title: str
    created: float
    base: Base
    n_pinned: int
    n_unpinned: int


class Checkpoints:
    """The checkpoints of a host. `covers` tells which paths a scan would have listed."""

    def __init__(
        self,
        covers: Callable[[str], bool],
        *,
        pinned_bytes: int = PINNED_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._covers = covers
        self._pinned_bytes = pinned_bytes
        self._clock = clock
        self._kept: dict[str, Checkpoint] = {}
        self._last_number = 0
        self._shared: list[_Shared] = []
        self._sharing = asyncio.Lock()

    async def create(self, base: Base, title: str = "") -> Checkpoint:
        """Pin a base that was scanned just now; raises BadInput `too-many-checkpoints`."""
        if len(self._kept) >= MAX_CHECKPOINTS:
            raise BadInput(
                "too-many-checkpoints", f"there are {MAX_CHECKPOINTS}; drop one that is not used"
            )
        self._last_number += 1
        checkpoint = await self._pinned(f"c{self._last_number}", base, title)
        self._kept[checkpoint.id] = checkpoint
        return checkpoint

    async def shared(self, base: Base) -> Checkpoint:
        """Pin a base that was scanned just now, or give a pin of the same texts; it is not listed.

        Agents that come one after the other begin at the same text, and pin it once. Each gives it
        back with `release`.
        """
        async with self._sharing:
            for begun in self._shared:
                if begun.is_of(base):
                    begun.n_users += 1
                    return begun.checkpoint
            begun = _Shared(await self._pinned("", base, ""))
            self._shared.append(begun)
            return begun.checkpoint

    def release(self, checkpoint: Checkpoint) -> None:
        """Give a shared pin back; the last one who does drops it."""
        for begun in [one for one in self._shared if one.checkpoint is checkpoint]:
            begun.n_users -= 1
            if not begun.n_users:
                self._shared.remove(begun)

    async def _pinned(self, checkpoint_id: str, base: Base, title: str) -> Checkpoint:
        then = base_of_then(base, self._covers)
        n_pinned = await asyncio.to_thread(pin, then, self._pinned_bytes)
        return Checkpoint(
            checkpoint_id, title, self._clock(), then, n_pinned, len(then.folder.files) - n_pinned
        )

    def get(self, checkpoint_id: str) -> Checkpoint:
        """The checkpoint of that name; raises BadInput `unknown-checkpoint`."""
        try:
            return self._kept[checkpoint_id]
        except KeyError:
            raise BadInput(
                "unknown-checkpoint", "there is no such checkpoint", checkpoint_id
            ) from None

    def all(self) -> list[Checkpoint]:
        """All checkpoints, oldest first."""
        return [*self._kept.values()]

    def drop(self, checkpoint_id: str) -> None:
        """Forget a checkpoint; raises BadInput `unknown-checkpoint`."""
        del self._kept[self.get(checkpoint_id).id]


@dataclass
class _Shared:
    """A checkpoint that several agents began with."""

    checkpoint: Checkpoint
    n_users: int = 1

    def is_of(self, base: Base) -> bool:
        """Whether the base has the same texts."""
        mine = self.checkpoint.base
        return not mine.folder.moved_since(base.folder.files) and _digests(mine) == _digests(base)


def _digests(base: Base) -> dict[str, str]:
    return {path: buffer.text.digest for path, buffer in base.buffers.items()}
