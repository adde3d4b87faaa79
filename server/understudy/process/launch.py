"""The one door for long-lived child processes: own group, drained stderr, bounded end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.process.keeper import KEEPER
from understudy.process.stderr_log import StderrLog
from understudy.process.tree import descendants, kill_each
from understudy.values.errors import OutsideFailure
from understudy.values.started_by import STARTED_BY

Spawn = Callable[[Coroutine[Any, Any, None], str], "asyncio.Task[None]"]
"""Starts a background task that its owner cancels at the end; the text names it."""

_READ_LIMIT = 1024 * 1024
_CHUNK = 64 * 1024
_REAP_S = 5.0


class Child:
    """A running program with pipes; `stop` ends it and all it started."""

    def __init__(
        self,
        process: Process,
        transport: asyncio.SubprocessTransport,
        exited: asyncio.Event,
        log: StderrLog,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.pid = process.pid
        self.stdin: asyncio.StreamWriter = process.stdin
        self.stdout: asyncio.StreamReader = process.stdout
        self.log = log
        self._process = process
        self._transport = transport
        self._exited = exited
        self._drainer: asyncio.Task[None] | None = None

    @property
    def exit_status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._process.returncode

    async def wait(self, seconds: float) -> int | None:
        """The exit status, or None if it still runs after that time."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._exited.wait(), max(seconds, 0))
        return self._process.returncode

    async def wait_exited(self) -> None:
        """Return when the process is gone, whoever else still holds its pipes."""
        await self._exited.wait()

    async def stop(self, grace: float) -> None:
        """Terminate the group, kill what is left after `grace` seconds, and reap it.

        Members that moved to a group of their own are found through the process tree.
        """
        members = descendants(self.pid) if self.exit_status is None else []
        if self.exit_status is None:
            signal_group(self._process, terminate=True)
            await self.wait(grace)
        # Also when the leader is gone: the group lives on while any member does.
        signal_group(self._process, terminate=False)
        kill_each(members)
        KEEPER.release(self.pid)
        await self.wait(_REAP_S)
        await self._close_pipes()

    def drain_stderr(self, spawn: Spawn) -> None:
        """Copy stderr into the log from the first byte: a full pipe would block the child."""
        self._drainer = spawn(self._drain(), f"stderr of process {self.pid}")

    async def _drain(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(_CHUNK):
            self.log.write(data)

    async def _close_pipes(self) -> None:
        if self._drainer is not None:
            # What the child wrote last is the best explanation of its end.
            await asyncio.wait([self._drainer], timeout=0.5)
            self._drainer.cancel()
        self._transport.close()
        self.log.close()


async def launch(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str | None],
    log: Path,
    spawn: Spawn,
) -> Child:
    """Start a program in its own session, with `env` put over our environment.

    Raises OutsideFailure `not-installed` if there is no such program, `cannot-start` if the system
    refuses.
    """
    stderr_log = StderrLog(log)
    try:
        started = await start_process(command, cwd=cwd, env=env, stdin=subprocess.PIPE)
    except OutsideFailure:
        stderr_log.close()
        raise
    child = Child(*started, stderr_log)
    KEEPER.keep(child.pid)
    child.drain_stderr(spawn)
    return child


async def start_process(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str | None],
    stdin: int,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    pass_fds: tuple[int, ...] = (),
) -> tuple[Process, asyncio.SubprocessTransport, asyncio.Event]:
    """Start a program in a group of its own, with pipes; the event is set at its exit.

    `env` is put over our environment; None takes a variable away.
    Raises OutsideFailure `not-installed` or `cannot-start`.
    """
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: _ExitNoted(limit=_READ_LIMIT, loop=loop),
            *command,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            cwd=str(cwd),
            env=_environment(env),
            **_group_options(),
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise OutsideFailure("not-installed", f"cannot be started: {error}", command[0]) from error
    except OSError as error:
        raise OutsideFailure("cannot-start", f"cannot be started: {error}", command[0]) from error
    return Process(transport, protocol, loop), transport, protocol.exited


async def start_silent(
    command: Sequence[str], *, cwd: Path
) -> tuple[Process, asyncio.SubprocessTransport, asyncio.Event]:
    """As `start_process`, for a program that is talked to by pipes; its stderr goes nowhere."""
    return await start_process(
        command, cwd=cwd, env={}, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def signal_group(process: Process, *, terminate: bool) -> None:
    """Terminate or kill a process and its group; nobody left is fine."""
    try:
        if os.name != "nt":
            os.killpg(process.pid, signal.SIGTERM if terminate else signal.SIGKILL)
        elif process.returncode is None:
            process.terminate() if terminate else process.kill()
    except (ProcessLookupError, PermissionError):
        return  # macOS says EPERM for a group of zombies


class _ExitNoted(SubprocessStreamProtocol):
    """Notes the exit at once: `Process.wait` may wait for pipes that a grandchild keeps open."""

    def __init__(self, limit: int, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=limit, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


def _environment(changes: Mapping[str, str | None]) -> dict[str, str]:
    """Ours with the changes, and the mark of what a program has started."""
    merged = {**os.environ, STARTED_BY: "host", **changes}
    return {name: value for name, value in merged.items() if value is not None}


def _group_options() -> dict[str, Any]:
    if os.name == "nt":
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}
