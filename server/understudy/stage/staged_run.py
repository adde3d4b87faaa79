"""A command that runs to its end: output handed on, limits kept, nothing of it left over."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Sequence

from understudy.stage.model import CommandEnd, Sink, StageLimits
from understudy.stage.staged_process import EndedByLimit, Staged

_TERM_GRACE_S = 2.0
_PIPES_S = 0.5
_REST_S = 2.0
_CHUNK = 64 * 1024


class Pump:
    """Hands one stream's output on until its last writer is gone, at the pace of who takes it.

    After `hurry` nobody is waited for: the command has ended, and what it has left is little.
    """

    def __init__(self, reader: asyncio.StreamReader, sink: Sink) -> None:
        self._reader = reader
        self._sink = sink
        self._hurrying = asyncio.Event()

    async def run(self) -> None:
        """Pump to the end; raises what the sink does."""
        while data := await self._reader.read(_CHUNK):
            taking = self._sink(data)
            if taking is not None and not self._hurrying.is_set():
                await self._until_taken(taking)

    def hurry(self) -> None:
        """Wait for no listener any more."""
        self._hurrying.set()

    async def _until_taken(self, taking: Awaitable[None]) -> None:
        waits = (asyncio.ensure_future(taking), asyncio.ensure_future(self._hurrying.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if waits[0].done():
                waits[0].result()
        finally:
            for wait in waits:
                wait.cancel()


async def follow(
    staged: Staged,
    limits: StageLimits,
    pumps: Sequence[Pump],
    cancelled: asyncio.Event | None,
) -> CommandEnd:
    """Wait for the end, the time limit or `cancelled`; then end what is left of the command.

    Also when this call is cancelled, nothing of the command goes on.
    """
    output = asyncio.gather(*(pump.run() for pump in pumps))
    exited = asyncio.ensure_future(staged.wait_exited())
    stopped = asyncio.ensure_future(_forever() if cancelled is None else _until(cancelled))
    reached: EndedByLimit | None = None
    loop = asyncio.get_running_loop()
    until = None if limits.wall is None else loop.time() + limits.wall
    first = asyncio.FIRST_COMPLETED
    try:
        waits = (exited, stopped, output)
        done, _ = await asyncio.wait(waits, timeout=limits.wall, return_when=first)
        if done == {output} and output.exception() is None:  # it closed its streams, and runs on
            left = None if until is None else max(until - loop.time(), 0)
            done, _ = await asyncio.wait((exited, stopped), timeout=left, return_when=first)
        if staged.exit_status is None:
            reached = None if done else EndedByLimit("time")
            await staged.end_tree(_TERM_GRACE_S)
        for pump in pumps:
            pump.hurry()
        # A process that the command left behind may hold the pipes for as long as it likes.
        await asyncio.wait((output,), timeout=_PIPES_S)
        is_held = not output.done()
        left_one = await staged.end_tree(0)
        await asyncio.wait((output,), timeout=_REST_S)
        is_cut = not output.done() or (is_held and left_one)
        if output.done():
            output.result()
    finally:
        await staged.end_tree(0)
        for waiting in (output, exited, stopped):
            waiting.cancel()
        await asyncio.gather(output, exited, stopped, return_exceptions=True)
    status = -signal.SIGKILL if staged.exit_status is None else staged.exit_status
    if status == -signal.SIGXCPU:
        reached = reached or EndedByLimit("time")
    limit, used, allowed = reached or staged.reached or (None, None, None)
    return CommandEnd(status, limit, output_cut=is_cut, used=used, allowed=allowed)


async def _until(event: asyncio.Event) -> None:
    await event.wait()


async def _forever() -> None:
    await asyncio.Event().wait()
