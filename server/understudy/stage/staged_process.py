"""A program on a stage: pipes of ours, started and ended by the stage's first process."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from understudy.process.stderr_log import StderrLog
from understudy.stage.channel import Channel
from understudy.stage.model import Limit
from understudy.values.errors import UnderstudyError

_READ_LIMIT = 1024 * 1024
_CHUNK = 64 * 1024
_REAP_S = 5.0
_LAST_WORDS_S = 0.5


class EndedByLimit(NamedTuple):
    """The limit that ended a command; what was used then, and what is allowed."""

    limit: Limit
    used: int | None = None
    allowed: int | None = None


class Staged:
    """How a started command ends; shared by programs with pipes and by runs."""

    def __init__(self, channel: Channel, inner_pid: int, pid: int) -> None:
        self.pid = pid
        self.exit_status: int | None = None
        self.reached: EndedByLimit | None = None
        self._channel = channel
        self._inner_pid = inner_pid
        self._exited = asyncio.Event()

    def end(self, status: int, reached: EndedByLimit | None) -> None:
        """Note the end; the stage's first process has told it, or is gone itself."""
        if self.exit_status is None:
            self.exit_status = status
            self.reached = reached
            self._exited.set()

    async def wait(self, seconds: float) -> int | None:
        """The exit status, or None if it still runs after that time."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._exited.wait(), max(seconds, 0))
        return self.exit_status

    async def wait_exited(self) -> None:
        """Return when the process is gone, whoever else still holds its pipes."""
        await self._exited.wait()

    async def end_tree(self, grace: float, *, reap: float = _REAP_S) -> bool:
        """Terminate the group, after `grace` seconds kill it and all that it started.

        `reap` is how long to wait for its end, in seconds. Returns whether anybody was killed.
        """
        found = False
        with suppress(UnderstudyError):  # the stage is gone, and the command with it
            if self.exit_status is None and grace > 0:
                await self._signal(signal.SIGTERM, whole=False)
                await self.wait(grace)
            found = await self._signal(signal.SIGKILL, whole=True)
        await self.wait(reap)
        return found

    async def send(self, number: int) -> None:
        """Signal its process group; nothing happens once it is gone."""
        if self.exit_status is None:
            with suppress(UnderstudyError):
                await self._signal(signal.Signals(number), whole=False)

    async def _signal(self, number: signal.Signals, *, whole: bool) -> bool:
        reply, _ = await self._channel.request(
            {"do": "signal", "pid": self._inner_pid, "signal": int(number), "whole": whole}
        )
        return bool(reply.get("found"))


class StagedProgram(Staged):
    """A long-lived program with pipes; the surface of `process.running.Running`."""

    def __init__(
        self,
        staged: tuple[Channel, int, int],
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        readers: tuple[asyncio.ReadTransport, asyncio.ReadTransport],
        log: StderrLog,
    ) -> None:
        super().__init__(*staged)
        self.stdin = stdin
        self.stdout = stdout
        self.log = log
        self._readers = readers
        self.drainer: asyncio.Task[None] | None = None

    async def stop(self, grace: float) -> None:
        """Terminate it, kill what is left after `grace` seconds, and reap it."""
        await self.end_tree(grace)
        if self.drainer is not None:
            # What the child wrote last is the best explanation of its end.
            await asyncio.wait([self.drainer], timeout=_LAST_WORDS_S)
            self.drainer.cancel()
        self.stdin.close()
        for reader in self._readers:
            reader.close()
        self.log.close()

    async def drain(self, stderr: asyncio.StreamReader) -> None:
        """Copy stderr into the log from the first byte: a full pipe would block the program."""
        while data := await stderr.read(_CHUNK):
            self.log.write(data)


async def reading(descriptor: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """A stream over the read end of a pipe, which it owns from now on."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_READ_LIMIT, loop=loop)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader, loop=loop), os.fdopen(descriptor, "rb", 0)
    )
    return reader, transport


async def writing(descriptor: int) -> asyncio.StreamWriter:
    """A stream over the write end of a pipe, which it owns from now on."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop),
        os.fdopen(descriptor, "wb", 0),
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


def host_pid(handle: int) -> int:
    """The process id, as this process's namespace numbers it, behind a pidfd."""
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    return -1
