"""The bytes between a terminal and its scribe: a spool in shared memory that nobody waits for.

Nothing raw reaches the disk: secrets are taken out of text alone. A flood is held until the scribe
has caught up, and its memory is given back as it does. A reader that falls behind by more than the
spool holds misses bytes; they are counted, with the place they would have had.
"""

from __future__ import annotations

import mmap
from contextlib import suppress

CAPACITY = 128 * 1024 * 1024
_STEP = 1024 * 1024
"""What has been read is given back in pieces of so many bytes."""


class Ring:
    """One writer's bytes for one reader, in two processes that share it by a fork."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self._data = mmap.mmap(-1, capacity)
        self._written = mmap.mmap(-1, mmap.PAGESIZE)
        self._read = mmap.mmap(-1, mmap.PAGESIZE)
        self._freed = mmap.mmap(-1, mmap.PAGESIZE)
        """Up to where the writer may write over what was read."""

    @property
    def written(self) -> int:
        """Bytes ever written and held."""
        return int.from_bytes(self._written[:8], "little")

    @property
    def read(self) -> int:
        """Bytes ever read."""
        return int.from_bytes(self._read[:8], "little")

    @property
    def behind(self) -> int:
        """Bytes that wait for the reader."""
        return self.written - self.read

    @property
    def room(self) -> int:
        """Bytes that may be written now; what was read is given back in pieces."""
        return self.capacity - (self.written - int.from_bytes(self._freed[:8], "little"))

    def write(self, data: bytes, spared: int = 0) -> int:
        """Add bytes as far as there is room, but for `spared`; returns how many did not fit."""
        written = self.written
        fitting = data[: max(self.room - spared, 0)]
        at = written % self.capacity
        first = fitting[: self.capacity - at]
        self._data[at : at + len(first)] = first
        rest = fitting[len(first) :]
        self._data[: len(rest)] = rest
        self._written[:8] = (written + len(fitting)).to_bytes(8, "little")
        return len(data) - len(fitting)

    def take(self, limit: int) -> bytes:
        """The next bytes, at most so many."""
        read = self.read
        count = min(self.written - read, limit)
        at = read % self.capacity
        first = self._data[at : min(at + count, self.capacity)]
        data = first + self._data[: count - len(first)]
        self._read[:8] = (read + count).to_bytes(8, "little")
        self._free(read + count)
        return data

    def _free(self, read: int) -> None:
        """Let the writer have what was read, its memory given back first."""
        if self.capacity % _STEP:
            self._freed[:8] = read.to_bytes(8, "little")
            return
        freed = int.from_bytes(self._freed[:8], "little")
        while read - freed >= _STEP:
            with suppress(AttributeError, OSError):  # not on every system; it is only memory
                self._data.madvise(mmap.MADV_REMOVE, freed % self.capacity, _STEP)
            freed += _STEP
            self._freed[:8] = freed.to_bytes(8, "little")
