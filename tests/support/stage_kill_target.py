"""Opens stages, runs commands on them and closes them, until it is killed.

As a program: `python -m tests.support.stage_kill_target PROJECT SCRATCH MARK`; prints a line a
step. The mark is in the command line of everything that it starts on a stage.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from understudy.stage.model import Command, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind

SCRIPT = """
setsid sh -c 'sleep 1000; : "$1"' sh "$1" &
(trap '' TERM; sleep 1000; : "$1") &
echo x > written; sleep 0.0$2
"""


async def main(project: Path, scratch: Path, mark: str) -> None:
    tasks: set[asyncio.Task[None]] = set()

    def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        tasks.add(task := asyncio.create_task(work, name=name))
        return task

    kind = OverlayKind(scratch, scratch / "helper.log", spawn)
    say("start")
    for number in itertools.count():
        plan = StagePlan(project, limits=StageLimits(wall=10), on_disk=number % 2 == 0)
        say("opening")
        stage = await kind.open(plan)
        say("writing")
        await stage.write({"edited": b"x", "folder/new": b"y"})
        say("starting")
        program = await stage.start(
            Command(("sh", "-c", 'cat; : "$1"', "sh", mark)), log=scratch / "p.log", spawn=spawn
        )
        say("running")
        command = Command(("sh", "-c", SCRIPT, "sh", mark, str(number % 9)))
        await stage.run(command, lambda _: None)
        say("listing")
        await stage.changes()
        say("closing")
        if number % 3:
            await program.stop(0)
        await stage.close()


def say(step: str) -> None:
    sys.stdout.write(step + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
