"""Checkpoints: a base pinned at a moment, to compare with later.

They live in memory, with the host: the agents that compare with them are connected to it, and end
with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView, Moved, Reader
from understudy.values.errors import BadInput

PINNED_BYTES = 64 * 1024 * 1024
MAX_CHECKPOINTS = 16


@dataclass(frozen=True)
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


class Forgotten(Moved):
    """The text that a file had at a checkpoint is not known (reason `base-unknown`)."""


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

    async def create(self, base: Base, title: str = "") -> Checkpoint:
        """Pin a base that was scanned just now; raises BadInput `too-many-checkpoints`."""
        if len(self._kept) >= MAX_CHECKPOINTS:
            raise BadInput(
                "too-many-checkpoints", f"there are {MAX_CHECKPOINTS}; drop one that is not used"
            )
        self._last_number += 1
        # A view of its own: the thread below must not write into one that the event loop reads.
        folder = base.folder
        reader = _ReaderOfThen(folder.reader, folder, self._covers)
        pins = dict(folder.pinned())
        view = FolderView(reader, folder.files, folder.environment, pins)
        n_pinned = await asyncio.to_thread(_pin_all, view, self._pinned_bytes)
        checkpoint = Checkpoint(
            f"c{self._last_number}", title, self._clock(), replace(base, folder=view),
            n_pinned, len(folder.files) - n_pinned,
        )  # fmt: skip
        self._kept[checkpoint.id] = checkpoint
        return checkpoint

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


class _ReaderOfThen:
    """Reads what has not changed since; a file that was not there then is not there."""

    def __init__(self, reader: Reader, folder: FolderView, covers: Callable[[str], bool]) -> None:
        self._reader = reader
        self._files = folder.files
        self._covers = covers

    def read(self, path: str) -> bytes | None:
        return self._reader.read(path) if path in self._files else None

    def fingerprint(self, path: str) -> Fingerprint | None:
        expected = self._files.get(path)
        if expected is not None:
            if self._reader.fingerprint(path) != expected:
                raise Forgotten(path)
            return expected
        if self._covers(path):
            return None
        raise Forgotten(path)


def _pin_all(view: FolderView, limit: int) -> int:
    """Read files up to `limit` bytes in all; returns how many are pinned or need no pin."""
    n_pinned = total = 0
    for path in sorted(view.files):
        total += view.files[path].size
        if total > limit and path not in view.pinned():
            continue
        try:
            view.packed(path)
        except Moved:
            continue  # changed since the scan: its text of then is lost already
        except BadInput:
            pass  # no text (binary, too large), then as now
        n_pinned += 1
    return n_pinned
