"""One-shot commands: run, wait with a deadline, keep what they said."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from understudy.process.launch import signal_group, start_process
from understudy.values.frozen import frozen

OUTPUT_CAP = 1024 * 1024
_CHUNK = 64 * 1024
_PIPES_S, _REAP_S = 0.5, 5.0


@frozen(slots=True)
class Completed:
    """What a command said and how it ended; `status` is None when the deadline ended it.

    `dropped` counts the bytes beyond the cap that were read and thrown away. `whole` is false if
    the output was not read to its end, as something that outlived the command held a pipe open.
    """

    status: int | None
    stdout: bytes
    stderr: bytes
    dropped: int
    whole: bool = True


async def run(
    command: Sequence[str],
    *,
    cwd: Path,
    seconds: float,
    env: Mapping[str, str | None] | None = None,
    cap: int = OUTPUT_CAP,
    stdin: bytes | None = None,
) -> Completed:
    """Run a command to its end and return its output; its whole group is killed at the deadline.

    `stdin` is what it is given to read; None for nothing. Raises OutsideFailure `not-installed` or
    `cannot-start`.
    """
    process, transport, exited = await start_process(
        command,
        cwd=cwd,
        env=env or {},
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
    )
    out, err = _Capped(cap), _Capped(cap)
    assert process.stdout is not None
    assert process.stderr is not None
    fills = asyncio.gather(
        out.fill(process.stdout), err.fill(process.stderr), _feed(process.stdin, stdin)
    )
    status: int | None = None
    try:
        await asyncio.wait_for(exited.wait(), seconds)
        status = process.returncode
        # A grandchild may hold the pipes open for as long as it likes.
        await asyncio.wait([fills], timeout=_PIPES_S)
    except asyncio.TimeoutError:
        status = None
    finally:
        signal_group(process, terminate=False)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(exited.wait(), _REAP_S)
        whole = fills.done()
        fills.cancel()
        transport.close()
    return Completed(status, bytes(out.kept), bytes(err.kept), out.dropped + err.dropped, whole)


async def _feed(stream: asyncio.StreamWriter | None, data: bytes | None) -> None:
    """Write it all while the output is read: both pipes may be full otherwise."""
    if stream is None or data is None:
        return
    with suppress(ConnectionError):  # it may end without having read everything
        stream.write(data)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


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
