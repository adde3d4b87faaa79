"""A program behind a fence, with streams of its starter's: started, signalled, ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.process.launch import start_process
from understudy.stage.model import CommandEnd
from understudy.stage.staged_process import EndedByLimit
from understudy.values.errors import OutsideFailure

_END_S = 5.0
"""Within so long a fence that is told to end kills all that its command has started."""
_REAP_S = 5.0
Ended = Callable[[int | None], CommandEnd]
"""How a command has ended, by the exit status of its fence (None: it does not end)."""


class FencedProgram:
    """See `live.LiveProgram`; the fence ends all that the command has started, with it."""

    pid: int
    """See `live.LiveProgram.pid`; known once its fence has said it."""

    def __init__(self, fence: Process, gone: asyncio.Event, ended: Ended) -> None:
        self.fence = fence.pid
        self._fence, self._gone = fence, gone
        self._how = ended
        self._end: CommandEnd | None = None
        self._is_killed = False

    @property
    def exit_status(self) -> int | None:
        """See `live.LiveProgram.exit_status`."""
        ended = self._ended
        if ended is None:
            return None
        return -signal.SIGKILL if self._is_killed else ended.status

    @property
    def reached(self) -> EndedByLimit | None:
        """See `live.LiveProgram.reached`."""
        ended = self._ended
        if ended is None or ended.limit is None:
            return None
        return EndedByLimit(ended.limit, ended.used, ended.allowed)

    @property
    def _ended(self) -> CommandEnd | None:
        if self._end is None and self._fence.returncode is not None:
            self._end = self._how(self._fence.returncode)
        return self._end

    async def wait_exited(self) -> None:
        """See `live.LiveProgram.wait_exited`."""
        await self._gone.wait()

    async def send(self, number: int) -> None:
        """See `live.LiveProgram.send`."""
        if self._fence.returncode is None:
            with suppress(ProcessLookupError):
                self._fence.send_signal(signal.SIGRTMIN + number - 1)

    async def end_tree(self, grace: float) -> bool:
        """See `live.LiveProgram.end_tree`."""
        if self._fence.returncode is not None:
            await self._within(_REAP_S)
            return False
        if grace > 0:
            await self.send(signal.SIGTERM)
            if await self._within(grace):
                return False
        self._is_killed = True
        for number, seconds in ((signal.SIGTERM, _END_S), (signal.SIGKILL, _REAP_S)):
            with suppress(ProcessLookupError):
                self._fence.send_signal(number)
            if await self._within(seconds):
                break
        return True

    async def _within(self, seconds: float) -> bool:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._gone.wait(), seconds)
        return self._gone.is_set()


async def start_fenced(
    argv: Sequence[str],
    streams: tuple[int, int, int],
    started: tuple[int, int],
    *,
    cwd: Path,
    env: Mapping[str, str | None],
    ended: Ended,
    running: list[FencedProgram],
) -> FencedProgram:
    """Start a fence, and wait until its command runs; it is one of `running` as soon as it does.

    `started` is a pipe whose writing end the fence has been told of; both ends and the streams are
    closed here. Raises OutsideFailure `cannot-start`, and as `ended` where there is no command.
    """
    reading, writing = started
    try:
        try:
            fence, _, exited = await start_process(
                argv,
                cwd=cwd,
                env=env,
                stdin=streams[0],
                stdout=streams[1],
                stderr=streams[2],
                pass_fds=(writing,),
            )
        finally:
            for descriptor in {*streams, writing}:
                os.close(descriptor)
        program = FencedProgram(fence, exited, ended)
        running.append(program)
        try:
            said = await _said(reading)
        except BaseException:  # nobody waits any more: it shall end, with what it has started
            with suppress(ProcessLookupError):
                fence.terminate()
            raise
    finally:
        os.close(reading)
    if not said.startswith(b"+"):
        running.remove(program)
        await exited.wait()
        ended(fence.returncode)
        text = f"its fence has ended with {fence.returncode}"
        raise OutsideFailure("cannot-start", text, argv[-1])
    program.pid = int(said[1:])
    return program


def read_report(report: Path | None) -> dict[str, Any]:
    """What a fence says of its command's end; nothing where it was ended itself."""
    if report is None:
        return {}
    try:
        return json.loads(report.read_bytes())
    except (OSError, ValueError):
        return {}


async def _said(descriptor: int) -> bytes:
    """What comes from a pipe until its end; it is a few bytes."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    os.set_blocking(descriptor, False)
    said = b""
    loop.add_reader(descriptor, ready.set)
    try:
        while True:
            await ready.wait()
            ready.clear()
            with suppress(BlockingIOError):
                while data := os.read(descriptor, 64):
                    said += data
                return said
    finally:
        loop.remove_reader(descriptor)
