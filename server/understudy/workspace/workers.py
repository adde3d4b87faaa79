"""Long computations (merges, diffs, outlines) in processes beside the event loop.

Threads would not do: a thread that computes takes the interpreter lock for 5 ms at a time, native
parsers take it for seconds, and the user's typing waits for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from understudy.process.launch import signal_group, start_silent
from understudy.process.tree import cpu_seconds, resident_bytes_alone, signal_name
from understudy.values.errors import OutsideFailure, Refused
from understudy.workspace.worker_process import FRAME, Raised

if TYPE_CHECKING:  # the typing module of Python 3.10 lacks these
    from typing_extensions import TypeVarTuple, Unpack

    Arguments = TypeVarTuple("Arguments")
T = TypeVar("T")

INLINE_BELOW = 250_000
"""Characters; less than this is computed on the event loop, in at most about 5 ms."""

N_WORKERS = max(2, min(4, os.cpu_count() or 1))
IDLE_SECONDS = 60.0
WORK_TIMEOUT = 60.0
MEMORY_BYTES = 1536 * 1024 * 1024
"""A worker with more than this in memory is ended; it may address twice as much."""

_PATIENCE = 3
"""A limit of so many seconds ends a computation that has used them up on a processor, or waited so
many times as long: on a machine that is busy with other things, time alone says nothing."""

_WATCH_SECONDS = 0.25
_LEAST_WAIT = 0.05
_REAP_SECONDS = 5.0
_PROGRAM = (
    "import sys; path, memory = sys.argv[2:], int(sys.argv[1]); sys.path[:] = path; "
    "from understudy.workspace.worker_process import main; main(path, memory)"
)


class Workers:
    """Processes that start with the first long computation and end when idle.

    One that dies, hangs or eats memory is ended alone: what the others compute goes on.
    """

    def __init__(
        self,
        inline_below: int = INLINE_BELOW,
        idle_seconds: float = IDLE_SECONDS,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        self.inline_below = inline_below
        self.number = N_WORKERS
        self._idle_seconds = idle_seconds
        self._memory_bytes = memory_bytes
        self._turn = asyncio.Lock()
        self._room = asyncio.Semaphore(self.number)
        self._free: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._n_running = 0
        self._n_closed = 0
        self._idle: asyncio.TimerHandle | None = None

    async def run(
        self,
        function: Callable[[Unpack[Arguments]], T],
        *args: Unpack[Arguments],
        size: int,
    ) -> T:
        """Call a module-level function with arguments of `size` characters in all.

        Raises what the function raises, and what `run_elsewhere` does.
        """
        if size < self.inline_below:
            # One a turn of the loop: sixty agents at once must not keep the user's typing waiting.
            async with self._turn:
                result = function(*args)
                await asyncio.sleep(0)
                return result
        return await self.run_elsewhere(function, *args, seconds=WORK_TIMEOUT)

    async def run_elsewhere(
        self,
        function: Callable[[Unpack[Arguments]], T],
        *args: Unpack[Arguments],
        seconds: float,
    ) -> T:
        """Call a module-level function in a worker process, whatever the size.

        Raises what the function raises; OutsideFailure `work-too-long` after `seconds` of
        processor time or three times as many by the clock, `work-too-big` beyond the memory limit,
        `worker-died`; Refused `closing`.
        """
        n_closed = self._n_closed
        self._n_running += 1
        if self._idle is not None:
            self._idle.cancel()
        try:
            async with self._room:
                worker = self._free.pop() if self._free else await self._start()
                try:
                    result = await worker.compute((function, args, seconds), self._memory_bytes)
                except BaseException:  # whatever it is: the worker is in the midst of something
                    self._all.discard(worker)
                    await worker.end()
                    if self._n_closed > n_closed:  # it was ended by us, and for no fault of its own
                        raise Refused("closing", "the server is shutting down") from None
                    raise
                self._free.append(worker)
        finally:
            self._n_running -= 1
            self._rest()
        if isinstance(result, Raised):
            raise result.error
        return result

    async def close(self) -> None:
        """End the processes; what they compute is given up."""
        if self._idle is not None:
            self._idle.cancel()
        self._n_closed += 1
        workers, self._all, self._free = self._all, set(), []
        await asyncio.gather(*(worker.end() for worker in workers))

    def statistics(self) -> dict[str, int]:
        """How many computations run in worker processes, and how many of these there are."""
        return {"running": self._n_running, "processes": len(self._all)}

    async def _start(self) -> _Worker:
        memory = str(2 * self._memory_bytes)
        path = (part or str(Path.cwd()) for part in sys.path)
        process, transport, exited = await start_silent(
            [sys.executable, "-I", "-c", _PROGRAM, memory, *path], cwd=Path(sys.executable).parent
        )
        worker = _Worker(process, transport, exited)
        await asyncio.to_thread(cpu_seconds, process.pid)  # loads what it needs, meanwhile
        self._all.add(worker)
        return worker

    def _rest(self) -> None:
        if self._n_running == 0 and self._free:
            loop = asyncio.get_running_loop()
            self._idle = loop.call_later(self._idle_seconds, self._end_free)

    def _end_free(self) -> None:
        for worker in self._free:
            self._all.discard(worker)
            worker.kill()
        self._free = []


class _Worker:
    """One process; it computes one call at a time."""

    def __init__(
        self, process: Process, transport: asyncio.SubprocessTransport, exited: asyncio.Event
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._transport = transport
        self._exited = exited
        self._stdin, self._stdout = process.stdin, process.stdout

    async def compute(
        self, call: tuple[Callable[..., T], tuple[Any, ...], float], memory_bytes: int
    ) -> T | Raised:
        """What the function returns or raises; raises itself as `Workers.run_elsewhere`."""
        message = pickle.dumps(call, pickle.HIGHEST_PROTOCOL)
        seconds = call[2]
        asking = asyncio.ensure_future(self._ask(message))
        watching = asyncio.ensure_future(self._watch(memory_bytes))
        try:
            await self._wait([asking, watching], seconds)
            if asking.done():
                answer = pickle.loads(await asking)  # noqa: S301 - our own process, a private pipe
                if isinstance(answer, Raised) and isinstance(answer.error, MemoryError):
                    raise _too_big(memory_bytes)
                return answer
            if watching.done():
                raise _too_big(memory_bytes)
            raise OutsideFailure("work-too-long", f"a computation took more than {seconds:g} s")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise OutsideFailure("worker-died", await self._death()) from error
        finally:
            asking.cancel()
            watching.cancel()
            await asyncio.gather(asking, watching, return_exceptions=True)

    async def _wait(self, futures: Sequence[asyncio.Future[Any]], seconds: float) -> None:
        """Wait for one of the futures, or until the computation has had its time."""
        loop = asyncio.get_running_loop()
        last = loop.time() + _PATIENCE * seconds
        used_before = cpu_seconds(self._process.pid)
        left = seconds
        while left > 0 and not any(future.done() for future in futures):
            await asyncio.wait(futures, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            used = cpu_seconds(self._process.pid) - used_before
            left = min(max(seconds - used, _LEAST_WAIT), last - loop.time())
            if used >= seconds:
                return

    async def end(self) -> None:
        """Kill and reap the process."""
        self.kill()
        try:
            await asyncio.wait_for(self._exited.wait(), _REAP_SECONDS)
        except asyncio.TimeoutError:
            return  # it hangs in the kernel; nothing more can be done
        self._transport.close()

    def kill(self) -> None:
        """Kill the process without waiting for its end, which closes its pipes, too."""
        signal_group(self._process, terminate=False)

    async def _ask(self, message: bytes) -> bytes:
        self._stdin.write(FRAME.pack(len(message)) + message)
        await self._stdin.drain()
        (length,) = FRAME.unpack(await self._stdout.readexactly(FRAME.size))
        return await self._stdout.readexactly(length)

    async def _watch(self, memory_bytes: int) -> None:
        """Return when the process has more than this in memory."""
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if resident_bytes_alone(self._process.pid) > memory_bytes:
                return

    async def _death(self) -> str:
        """How the process ended, in words."""
        await self.end()
        status = self._process.returncode
        if status is None or status >= 0:
            return f"a worker process ended by itself (status {status})"
        return f"a worker process was ended by {signal_name(-status)}"


def _too_big(memory_bytes: int) -> OutsideFailure:
    text = f"a computation took more than {memory_bytes // 2**20} MB of memory"
    return OutsideFailure("work-too-big", text)
