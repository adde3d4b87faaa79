"""A rehearsal that is killed where it has put and noted a merge, and its agent writes once more.

`FOLDER STATE KIND`: the agent goes on from the text that it had before the merge.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import cast

from tests.support.live_stages import Stage, living
from understudy.stage.model import KindName
from understudy.workspace.rehearsals.ledger import digest_of

TEXT = "".join(f"line {number}\n" for number in range(12))
SAVED = TEXT.replace("line 0\n", "line 0, the user's\n")
FIRST = TEXT.replace("line 11\n", "line 11, the agent's\n")
SECOND = FIRST.replace("line 8\n", "line 8, the agent's\n")


async def main(folder: Path, state: Path, kind: KindName) -> None:
    """Be killed."""
    async with living(folder, state, kind=kind, pause_s=0.5) as stage:
        await _write(stage, FIRST)
        await stage.has("a.txt", FIRST)
        stage.save("a.txt", SAVED)
        await stage.shows("a.txt", FIRST.replace("line 0\n", "line 0, the user's\n"))
        sweeper, base = stage.rehearsal.truth.sweeper, digest_of(SAVED.encode())
        await stage.until(lambda: sweeper.ledger.known["a.txt"].base == base)
        await sweeper.turn.acquire()  # nobody looks any more
        await _write(stage, SECOND)
        os.kill(os.getpid(), signal.SIGKILL)


async def _write(stage: Stage, text: str) -> None:
    escaped = text.replace("\n", "\\n").replace("'", "'\\''")
    await stage.do(f"printf '{escaped}' > new; mv new a.txt")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), cast("KindName", sys.argv[3])))
