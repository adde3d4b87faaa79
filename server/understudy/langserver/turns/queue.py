"""A fair queue for one thing: owners take turns, each owner's requests in their order."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable

from understudy.langserver.waiting import result_by


class FairQueue:
    """A lock whose waiters are served round robin by owner."""

    def __init__(self) -> None:
        self.held = False
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._deadlines: dict[asyncio.Future[None], float] = {}

    def __len__(self) -> int:
        return sum(len(line) for line in self._waiting.values())

    def deadlines(self) -> Iterable[float]:
        """Until when those who wait need their turn; loop time."""
        return self._deadlines.values()

    async def acquire(self, owner: str, deadline: float) -> None:
        """Wait for the turn; raises asyncio.TimeoutError at the deadline (loop time)."""
        if not self.held and not self._waiting:
            self.held = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(owner, deque()).append(turn)
        self._deadlines[turn] = deadline
        try:
            await result_by(turn, deadline)
        except BaseException:  # whatever it is: undone, and raised again
            # Cancelled or late: give up the place, or the turn itself if it came meanwhile.
            if turn.done() and not turn.cancelled():
                self.release()
            else:
                turn.cancel()
                self._forget(owner, turn)
            raise
        finally:
            del self._deadlines[turn]

    def release(self) -> None:
        """Pass the turn to the next owner."""
        while self._waiting:
            owner, line = self._waiting.popitem(last=False)
            turn = line.popleft()
            if line:
                self._waiting[owner] = line  # to the end: the others come first
            if not turn.done():
                turn.set_result(None)
                return
        self.held = False

    def _forget(self, owner: str, turn: asyncio.Future[None]) -> None:
        line = self._waiting.get(owner)
        if line is not None and turn in line:
            line.remove(turn)
            if not line:
                del self._waiting[owner]
