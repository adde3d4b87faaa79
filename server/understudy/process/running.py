"""The surface of a running program that is the same wherever it runs: here, or on a stage."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from understudy.process.launch import Spawn
from understudy.process.stderr_log import StderrLog


class Running(Protocol):
    """A running program with pipes; `launch.Child` is one, a stage's program another."""

    @property
    def pid(self) -> int:
        """The process id as this machine's other processes see it."""
        ...

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """What the program reads."""
        ...

    @property
    def stdout(self) -> asyncio.StreamReader:
        """What the program writes."""
        ...

    @property
    def log(self) -> StderrLog:
        """Where its stderr goes."""
        ...

    @property
    def exit_status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        ...

    async def wait(self, seconds: float) -> int | None:
        """The exit status, or None if it still runs after that time."""
        ...

    async def wait_exited(self) -> None:
        """Return when the process is gone, whoever else still holds its pipes."""
        ...

    async def stop(self, grace: float) -> None:
        """Terminate it, kill what is left after `grace` seconds, and reap it."""
        ...


class Launcher(Protocol):
    """Starts a program in pipes, as `launch.launch` does."""

    async def __call__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path,
        spawn: Spawn,
    ) -> Running:
        """Start it; raises OutsideFailure `not-installed` or `cannot-start`."""
        ...
