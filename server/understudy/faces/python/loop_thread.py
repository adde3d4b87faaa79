"""The thread in which a `Workspace` has its event loop: its callers may have one of their own."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future, wait
from typing import Any, TypeVar

from understudy.values.errors import BadInput

T = TypeVar("T")
_CANCEL_SECONDS = 15.0
_BLINK_SECONDS = 0.2 if sys.platform == "win32" else None
"""There, nothing wakes a thread that waits for a lock; elsewhere an interrupt does."""


class LoopEnded(Exception):
    """The loop has ended before what it ran did."""


class LoopThread:
    """Runs what can be awaited for callers in other threads, any number at a time.

    `refuse` raises where nothing can be asked any more; `last` is run before the loop ends, also
    when the interpreter does or when nobody refers to this any more.
    """

    def __init__(
        self, refuse: Callable[[], None], last: Callable[[], Coroutine[Any, Any, None]]
    ) -> None:
        self._refuse = refuse
        self._last = last
        self._pid = os.getpid()
        self._running: set[Future[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=_serve, args=(self._loop,), name="understudy", daemon=True
        )
        self._thread.start()
        self._dropped = weakref.finalize(self, _leave, self._loop, last, self._pid)
        self._dropped.atexit = False
        _open.add(self)

    def run(self, work: Awaitable[T]) -> T:
        """Its result, or what it raises; an interrupt cancels it, and waits until it has ended."""
        try:
            self._refuse()
        except BaseException:  # whatever it is: given up, and raised again
            if isinstance(work, Coroutine):
                work.close()
            raise
        try:
            return self._run(work)
        except LoopEnded as ended:
            raise BadInput("closed", "the Workspace was closed meanwhile") from ended

    def run_until_end(self, work: Awaitable[T]) -> T | None:
        """As `run`, but None where the loop ends meanwhile, or has ended."""
        try:
            return self._run(work) if self in _open else None
        except LoopEnded:
            return None

    @contextlib.contextmanager
    def ending(self, generator: AsyncGenerator[Any, None]) -> Generator[None, None, None]:
        """End an asynchronous generator with the body."""
        try:
            yield
        finally:
            if self in _open:
                self._run(generator.aclose())

    def end(self) -> None:
        """Run what is due at the end, then end the loop and its thread; again: does nothing."""
        if self not in _open:
            return
        _open.discard(self)
        self._dropped.detach()
        if os.getpid() != self._pid:
            return
        for future in tuple(self._running):
            future.cancel()
        try:
            self._run(self._last())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _run(self, work: Awaitable[T]) -> T:
        begun, ended = threading.Event(), threading.Event()

        async def awaiting() -> T:
            begun.set()
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(awaiting(), self._loop)
        self._running.add(future)
        try:
            _wait(future)
        except BaseException:  # an interrupt, as a rule: given up, and raised again
            future.cancel()
            if begun.is_set():
                ended.wait(_CANCEL_SECONDS)
            raise
        finally:
            self._running.discard(future)
        try:
            return future.result()
        except CancelledError as cancelled:
            raise LoopEnded from cancelled


def _wait(future: Future[Any]) -> None:
    while not future.done():
        wait((future,), _BLINK_SECONDS)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        with contextlib.suppress(RuntimeError):  # the interpreter ends: no thread is started
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def _leave(
    loop: asyncio.AbstractEventLoop, last: Callable[[], Coroutine[Any, Any, None]], pid: int
) -> None:
    """End a loop whose owner is gone, without waiting: this may be the loop's own thread."""
    if os.getpid() == pid:
        closing = asyncio.run_coroutine_threadsafe(last(), loop)
        closing.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))


_open: weakref.WeakSet[LoopThread] = weakref.WeakSet()
"""Those that have not ended."""


def _end_all() -> None:
    for one in tuple(_open):
        with contextlib.suppress(Exception):  # the interpreter ends: nobody is left to be told
            one.end()


# Before the executors end, without which nothing can be closed; `atexit` comes after them.
getattr(threading, "_register_atexit", atexit.register)(_end_all)
