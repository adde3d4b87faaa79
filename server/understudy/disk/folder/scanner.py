"""Scans shared by all who ask: each gets one that started after its call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from understudy.disk.folder.scan import Scan
from understudy.values.errors import OutsideFailure

SCAN_TIMEOUT = 30.0
"""Seconds after which a folder (a network share that hangs) is given up."""

_INLINE_BELOW = 0.002


class FolderScanner:
    """Runs a scan at a time, on the event loop while it is short, else in a thread."""

    def __init__(self, scan: Callable[[], Scan]) -> None:
        self._scan = scan
        self._last: Scan | None = None
        self._last_seconds = _INLINE_BELOW
        self._running: asyncio.Future[Scan] | None = None
        self._next: asyncio.Future[Scan] | None = None

    async def fresh(self, timeout: float = SCAN_TIMEOUT) -> Scan:
        """Return a scan that started after this call; raises OutsideFailure `folder-slow`.

        A scan that runs already may have passed a file before it changed, so that callers who come
        meanwhile share the one after it.
        """
        if self._running is None and self._last_seconds < _INLINE_BELOW:
            return self._timed_scan()
        if self._running is None:
            waited = self._start()
        else:
            if self._next is None:
                self._next = asyncio.get_running_loop().create_future()
            waited = self._next
        # `wait_for` would lose a cancellation that comes together with the end, before Python 3.12.
        await asyncio.wait([waited], timeout=timeout)
        if not waited.done():
            raise OutsideFailure("folder-slow", f"listing the folder took more than {timeout:g} s")
        return waited.result()

    def _start(self) -> asyncio.Future[Scan]:
        running = asyncio.get_running_loop().run_in_executor(None, self._timed_scan)
        running.add_done_callback(self._ended)
        self._running = running
        return running

    def _ended(self, ended: asyncio.Future[Scan]) -> None:
        if not ended.cancelled():
            ended.exception()  # its waiters have it; without one it would be reported as lost
        self._running = None
        waiting, self._next = self._next, None
        if waiting is not None:
            self._start().add_done_callback(lambda done: _hand_on(done, waiting))

    def _timed_scan(self) -> Scan:
        started = time.perf_counter()
        try:
            found = self._scan()
            # The very same value as long as nothing has changed: compared here, off the event
            # loop, and not by each of those who share a scan of ten thousand files.
            if self._last is None or found != self._last:
                self._last = found
            return self._last
        finally:
            self._last_seconds = time.perf_counter() - started


def _hand_on(done: asyncio.Future[Scan], waiting: asyncio.Future[Scan]) -> None:
    if done.cancelled():
        waiting.cancel()
    elif (error := done.exception()) is not None:
        waiting.set_exception(error)
        waiting.exception()  # marked as seen: all waiters may have been cancelled
    else:
        waiting.set_result(done.result())
