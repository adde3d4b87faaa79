"""A rehearsal that brings the user's saves in, and is killed in the middle of that.

As a program: `python -m tests.support.rehearsal_kill_target FOLDER STATE KIND POINT LINE`. It says
`ready` once LINE's first part was done on the stage, waits for a line on its input, and goes on. At
POINT, `CLASS.METHOD:before|after:TIMES[:PATH]` (only what is about PATH counts), the shell on the
stage does the rest of LINE, and then the process is killed. LINE's parts are separated by `;;`.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.support.live_stages import Stage, living
from understudy.stage.overlay.replace import Swap
from understudy.workspace.rehearsals.ledger import Ledger
from understudy.workspace.rehearsals.place import RehearsalPlace

CLASSES = {one.__name__: one for one in (Swap, Ledger, RehearsalPlace)}


def kill_at(point: str, stage: Stage, line: str) -> None:
    """Be killed at a point, once it was come to that often."""
    where, when, times, *about = point.split(":")
    name, _, method = where.partition(".")
    real = getattr(CLASSES[name], method)
    left = int(times)

    @functools.wraps(real)
    def killed(*given: Any, **named: Any) -> Any:
        nonlocal left
        if not all(path in repr(given) for path in about):
            return real(*given, **named)
        left -= 1
        found = None if when == "before" and left == 0 else real(*given, **named)
        if left == 0:
            if line:
                stage.do_at_once(line)
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(CLASSES[name], method, killed)


async def main(folder: Path, state: Path, kind: Any, point: str, line: str) -> None:
    async with living(folder, state, kind=kind, waits=True) as stage:
        first, _, last = line.partition(";;")
        await stage.do(first)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        kill_at(point, stage, last)
        stage.rehearsal.truth.sweeper.turn.release()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
