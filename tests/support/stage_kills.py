"""Kills the owner of stages at random points and looks for what is left; must be nothing.

As a program: `python -m tests.support.stage_kills [KILLS] [SEED]`.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.random_kill import said_until_killed
from understudy.stage.model import StagePlan
from understudy.stage.overlay.kind import OverlayKind

MAX_STEPS = 16
MAX_LATER_S = 0.02
PATIENCE_S = 60.0


@dataclass
class StageKills:
    """What was left after each kill, before and after the next start; `steps`: where they hit."""

    kills: int = 0
    processes: int = 0
    mounts: int = 0
    locks: int = 0
    folders: int = 0
    swept: int = 0
    slowest_end_s: float = 0.0
    steps: dict[str, int] = field(default_factory=dict)

    @property
    def left(self) -> int:
        return self.processes + self.mounts + self.locks + self.folders


def run_stage_kills(folder: Path, n_kills: int, seed: int) -> StageKills:
    """Kill the owner `n_kills` times, each at another step and a little later."""
    chance = random.Random(seed)
    project, scratch = folder / "project", folder / "scratch"
    (project / "folder").mkdir(parents=True)
    (project / "file").write_text("x\n")
    counts = StageKills()
    before, others = _names(project), _processes(f"{folder}/")
    for number in range(n_kills):
        mark = f"{folder}/mark-{number}"
        step = _kill(project, scratch, mark, chance)
        counts.kills += 1
        counts.steps[step] = counts.steps.get(step, 0) + 1
        began = time.monotonic()
        counts.processes += _wait_until_none(lambda mark=mark: len(_processes(mark) - others))
        counts.slowest_end_s = max(counts.slowest_end_s, time.monotonic() - began)
        counts.mounts += _mounts(folder)
        counts.locks += _held_locks(scratch)
        counts.swept += len(list(scratch.glob("stage-*")))
        asyncio.run(_next_start(project, scratch))
        counts.folders = len(set(_names(scratch)) - {"helper.log", "p.log", "p.log.1"})
        assert _names(project) == before, "the project was written to"
    return counts


def _kill(project: Path, scratch: Path, mark: str, chance: random.Random) -> str:
    """Start the owner, kill it at a random point, and return its last step."""
    n_lines = chance.randint(1, MAX_STEPS)
    steps = said_until_killed(
        "tests.support.stage_kill_target", project, scratch, mark,
        n_lines=n_lines, max_later_s=MAX_LATER_S, chance=chance,
    )  # fmt: skip
    return steps[-1]


async def _next_start(project: Path, scratch: Path) -> None:
    """Open and close a stage, as the next process of ours would."""
    tasks: list[asyncio.Task[None]] = []

    def spawn(work, name):
        tasks.append(asyncio.create_task(work, name=name))
        return tasks[-1]

    kind = OverlayKind(scratch, scratch / "helper.log", spawn)
    stage = await kind.open(StagePlan(project))
    await stage.close()
    await kind.close()
    await asyncio.gather(*tasks)


def _wait_until_none(count: Callable[[], int]) -> int:
    end = time.monotonic() + PATIENCE_S
    while (left := count()) and time.monotonic() < end:
        pass
    return left


def _processes(mark: str) -> set[str]:
    """Commands of that stage, and helpers that have lost who started them: also of other tests."""
    found: set[str] = set()
    for entry in Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if mark.encode() in line or (b"stage.inside.zygote" in line and _is_orphan(entry)):
                found.add(entry.name)
        except OSError:
            continue
    return found


def _is_orphan(process: Path) -> bool:
    """Whether a helper has lost the process that started it (or its own first process)."""
    fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[1]) == 1


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _mounts(folder: Path) -> int:
    text = Path("/proc/self/mountinfo").read_bytes()
    return sum(os.fsencode(folder) in line for line in text.splitlines())


def _held_locks(scratch: Path) -> int:
    held = 0
    for path in scratch.glob("stage-*/owner.lock"):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held += 1
    return held


def main() -> None:
    """Print the counts."""
    n_kills, seed = (int(arg) for arg in [*sys.argv[1:], *["100", "1"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        print(run_stage_kills(Path(folder).resolve(), n_kills, seed))
        print(f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
