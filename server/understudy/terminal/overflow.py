"""The end of what a full spool has no room for: a flood's last words, and the commands after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

Event = dict[str, int]
"""What the recorder tells the scribe: sizes, times, gaps, the end; by name."""


class Overflow:
    """Holds the last bytes, with the events between them; what they push out is counted."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._clear()

    def __bool__(self) -> bool:
        return bool(self._items)

    @property
    def n_bytes(self) -> int:
        """How many bytes it holds."""
        return self._n_bytes

    def add(self, data: bytes, *, has_mark: bool) -> None:
        """Take bytes that come after all the others; whether a mark of the shell begins there."""
        self._items.append((data, has_mark))
        self._n_bytes += len(data)
        while self._n_bytes > self._limit:
            self._push_out(self._items.popleft())

    def tell(self, event: Event) -> None:
        """Take what happened behind the bytes so far."""
        self._items.append(event)

    def take(self) -> Iterator[bytes | Event]:
        """All of it in its order, what was missed first; it is empty from the first step on."""
        events: list[Event] = []
        if self._missed:
            events.append({"missed": self._missed, "marks": self._missed_marks})
        if self._size is not None:
            events.append(self._size)
        items = list(self._items)
        self._clear()
        yield from events
        for item in items:
            yield item[0] if isinstance(item, tuple) else item

    def _clear(self) -> None:
        self._items: deque[tuple[bytes, bool] | Event] = deque()
        self._n_bytes = 0
        self._missed = 0
        self._missed_marks = 0
        self._size: Event | None = None
        """The terminal's last size that was pushed out."""

    def _push_out(self, item: tuple[bytes, bool] | Event) -> None:
        if isinstance(item, tuple):
            self._n_bytes -= len(item[0])
            self._missed += len(item[0])
            self._missed_marks += item[1]
        elif "columns" in item:
            self._size = item
