"""The owner of every background task: none is dropped, none fails in silence."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from understudy.values.errors import Refused, UnderstudyError

T = TypeVar("T")
CLOSE_TIMEOUT = 5.0
"""Seconds that `close` gives tasks to end by themselves after they were cancelled."""

_log = logging.getLogger(__name__)


class Tasks:
    """Starts tasks and keeps them until they end."""

    def __init__(self) -> None:
        self._background: set[asyncio.Task[Any]] = set()
        self._unbroken: set[asyncio.Task[Any]] = set()
        self._closed = False

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Start a task in the background; its failure is logged, and raised to who awaits it."""
        task = self._start(coroutine, name, self._background)
        task.add_done_callback(_log_failure)
        return task

    async def complete(self, coroutine: Coroutine[Any, Any, T], name: str) -> T:
        """Run to the end even if the caller is cancelled: for what must not stop half-way."""
        task = self._start(coroutine, name, self._unbroken)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_log_failure)  # nobody is left to raise it to
            raise

    async def finish(self, coroutine: Coroutine[Any, Any, T], name: str) -> tuple[T, bool]:
        """Run to the end, and wait for it even when the caller is cancelled; says whether it was.

        For a last piece of work that needs what the caller holds open.
        """
        task = self._start(coroutine, name, self._unbroken)
        was_cancelled = False
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                was_cancelled = True
        return task.result(), was_cancelled

    async def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """End all tasks: what must not stop half-way is waited for, the rest is cancelled."""
        self._closed = True
        for task in self._background:
            task.cancel()
        await _wait(self._background | self._unbroken, timeout)
        late = self._background | self._unbroken
        for task in late:
            _log.error("task %r did not end within %g s", task.get_name(), timeout)
            task.cancel()
        await _wait(late, 1.0)

    def statistics(self) -> dict[str, int]:
        """How many tasks run: in the background, and not to be broken off."""
        return {"background": len(self._background), "unbroken": len(self._unbroken)}

    def _start(
        self, coroutine: Coroutine[Any, Any, T], name: str, kept: set[asyncio.Task[Any]]
    ) -> asyncio.Task[T]:
        if self._closed:
            coroutine.close()
            raise Refused("closing", "the server is shutting down")
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task


async def _wait(tasks: set[asyncio.Task[Any]], timeout: float) -> None:
    if tasks:
        await asyncio.wait(set(tasks), timeout=timeout)


def _log_failure(task: asyncio.Task[Any]) -> None:
    if task.cancelled():
        return
    error = task.exception()
    if isinstance(error, UnderstudyError):  # its text says all that its reader can do about it
        _log.error("task %r failed: %s", task.get_name(), error)
    elif error is not None:
        _log.error("task %r failed", task.get_name(), exc_info=error)
