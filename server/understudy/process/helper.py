"""Helper processes of our own that are spoken to over a socket: no pipes, no environment."""

from __future__ import annotations

import asyncio
import os
import socket
from asyncio.subprocess import Process
from collections.abc import Sequence
from pathlib import Path

from understudy.process.launch import Spawn, signal_group, start_process
from understudy.process.stderr_log import StderrLog

_CHUNK = 64 * 1024
_KEPT_VARIABLES = ("LD_LIBRARY_PATH",)  # some interpreters do not start without
_END_S = 2.0


class Helper:
    """A running helper; it ends when its channel closes, and `stop` makes sure of that."""

    def __init__(
        self,
        process: Process,
        transport: asyncio.SubprocessTransport,
        exited: asyncio.Event,
        log: StderrLog,
    ) -> None:
        self.pid = process.pid
        self.log = log
        self._process = process
        self._transport = transport
        self._exited = exited

    async def drain(self) -> None:
        """Copy what it complains about into the log until it ends."""
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(_CHUNK):
            self.log.write(data)

    async def stop(self) -> None:
        """Wait for the end, which the closed channel brings, then enforce it."""
        try:
            await asyncio.wait_for(self._exited.wait(), _END_S)
        except asyncio.TimeoutError:
            signal_group(self._process, terminate=False)
            await self._exited.wait()
        self._transport.close()
        self.log.close()


async def start_helper(
    command: Sequence[str], *, channel: socket.socket, log: Path, spawn: Spawn
) -> Helper:
    """Start a helper whose stdin is `channel`, which is closed here.

    Raises OutsideFailure `not-installed` or `cannot-start`.
    """
    stderr_log = StderrLog(log)
    env = {name: None for name in os.environ if name not in _KEPT_VARIABLES}
    try:
        started = await start_process(command, cwd=Path("/"), env=env, stdin=channel.fileno())
    except BaseException:  # whatever it is: undone, and raised again
        stderr_log.close()
        raise
    finally:
        channel.close()
    helper = Helper(*started, stderr_log)
    spawn(helper.drain(), f"stderr of helper {helper.pid}")
    return helper
