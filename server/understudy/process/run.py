"""One-shot commands: run, wait with a deadline, keep what they said."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from asyncio.subprocess import Process
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from understudy.process.launch import group_options
from understudy.values.errors import OutsideFailure

OUTPUT_CAP = 1024 * 1024
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Completed:
    """What a command said and how it ended; `status` is None when the deadline ended it.

    `dropped` counts the bytes beyond the cap that were read and thrown away.
    """

    status: int | None
    stdout: bytes
    stderr: bytes
    dropped: int


async def run(
    command: Sequence[str],
    *,
    cwd: Path,
    seconds: float,
    env: Mapping[str, str] | None = None,
    cap: int = OUTPUT_CAP,
) -> Completed:
    """Run a command without input and return its output; its whole group is killed at the deadline.

    Raises OutsideFailure `not-installed` or `cannot-start`.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=str(cwd),
            env={**os.environ, **(env or {})},
            **group_options(),
        )
    except FileNotFoundError as error:
        raise OutsideFailure("not-installed", f"cannot be started: {error}", command[0]) from error
    except OSError as error:
        raise OutsideFailure("cannot-start", f"cannot be started: {error}", command[0]) from error
    out, err = _Capped(cap), _Capped(cap)
    assert process.stdout is not None
    assert process.stderr is not None
    whole = asyncio.gather(out.fill(process.stdout), err.fill(process.stderr), process.wait())
    status: int | None = None
    try:
        status = (await asyncio.wait_for(whole, seconds))[2]
    except asyncio.TimeoutError:
        status = None
    finally:
        _kill_group(process)
        await process.wait()
    return Completed(status, bytes(out.kept), bytes(err.kept), out.dropped + err.dropped)


class _Capped:
    def __init__(self, cap: int) -> None:
        self.kept = bytearray()
        self.dropped = 0
        self._cap = cap

    async def fill(self, stream: asyncio.StreamReader) -> None:
        while data := await stream.read(_CHUNK):
            room = max(self._cap - len(self.kept), 0)
            self.kept += data[:room]
            self.dropped += len(data) - len(data[:room])


def _kill_group(process: Process) -> None:
    try:
        if os.name != "nt":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()
    except (ProcessLookupError, PermissionError):
        return  # nobody left
