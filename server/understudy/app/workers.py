"""Long computations (merges, diffs, line maps of big files) in processes beside the event loop.

Threads would not do: a thread that computes takes the interpreter lock for 5 ms at a time, and the
user's typing waits for it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor
from typing import TYPE_CHECKING, TypeVar

from understudy.values.errors import OutsideFailure

if TYPE_CHECKING:  # the typing module of Python 3.10 lacks these
    from typing_extensions import TypeVarTuple, Unpack

    Arguments = TypeVarTuple("Arguments")
T = TypeVar("T")

INLINE_BELOW = 250_000
"""Characters; less than this is computed on the event loop, in at most about 5 ms."""

N_WORKERS = 2
IDLE_SECONDS = 60.0
WORK_TIMEOUT = 60.0


class Workers:
    """A pool of processes that starts with the first long computation and ends when idle."""

    def __init__(
        self, inline_below: int = INLINE_BELOW, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self.inline_below = inline_below
        self._idle_seconds = idle_seconds
        self._pool: Executor | None = None
        self._turn = asyncio.Lock()
        self._starting = asyncio.Lock()
        self._n_running = 0
        self._idle: asyncio.TimerHandle | None = None

    async def run(
        self,
        function: Callable[[Unpack[Arguments]], T],
        *args: Unpack[Arguments],
        size: int,
    ) -> T:
        """Call a module-level function with arguments of `size` characters in all.

        Raises what the function raises; OutsideFailure `work-too-long` or `worker-died`.
        """
        if size < self.inline_below:
            # One a turn of the loop: sixty agents at once must not keep the user's typing waiting.
            async with self._turn:
                result = function(*args)
                await asyncio.sleep(0)
                return result
        self._n_running += 1
        try:
            return await self._run_elsewhere(function, args)
        finally:
            self._n_running -= 1
            self._rest()

    async def close(self) -> None:
        """End the processes; what they compute is given up."""
        if self._idle is not None:
            self._idle.cancel()
        if self._pool is not None:
            self._drop(self._pool)

    def statistics(self) -> dict[str, int]:
        """How many computations run in worker processes, and how many of these there are."""
        return {"running": self._n_running, "processes": len(multiprocessing.active_children())}

    async def _run_elsewhere(
        self, function: Callable[[Unpack[Arguments]], T], args: tuple[Unpack[Arguments]]
    ) -> T:
        if self._idle is not None:
            self._idle.cancel()
        async with self._starting:
            if self._pool is None:
                self._pool = await asyncio.to_thread(_start_pool)
            pool = self._pool
        try:
            # Handing over may start a process, which takes 100 ms: not on the event loop.
            future = asyncio.wrap_future(await asyncio.to_thread(pool.submit, function, *args))
            return await asyncio.wait_for(future, WORK_TIMEOUT)
        except asyncio.TimeoutError as error:
            self._drop(pool)
            raise OutsideFailure(
                "work-too-long", f"a diff or merge took more than {WORK_TIMEOUT:g} s"
            ) from error
        except BrokenExecutor as error:
            self._drop(pool)
            raise OutsideFailure(
                "worker-died", "a worker process ended in the midst of a diff or merge"
            ) from error

    def _rest(self) -> None:
        if self._n_running == 0 and self._pool is not None:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._idle_seconds, self._drop, self._pool)

    def _drop(self, pool: Executor) -> None:
        """End a pool's processes at once; it may have been dropped before."""
        if pool is not self._pool:
            return
        self._pool = None
        # This module is the only one that uses multiprocessing, so all children are the pool's.
        children = multiprocessing.active_children()
        pool.shutdown(wait=False, cancel_futures=True)
        for child in children:
            child.terminate()


def _start_pool() -> Executor:
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - most runs need none

    # Forking a process with threads and an event loop copies locks that nobody will open.
    method = "spawn" if os.name == "nt" else "forkserver"
    return ProcessPoolExecutor(
        N_WORKERS, multiprocessing.get_context(method), initializer=_follow_parent
    )


def _follow_parent() -> None:
    """End this worker when its parent is gone, however it went; it would wait for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=wait, name="follow parent", daemon=True).start()
