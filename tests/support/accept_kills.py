"""Kills accepts, their undoing and adoptions at random points; looks at the folder after a start.

As a program: `python -m tests.support.accept_kills [KILLS] [SEED]`.
"""

from __future__ import annotations

import asyncio
import os
import random
import select
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.support.accept_kill_target import N_FILES, new_text, old_text
from tests.support.random_kill import REPOSITORY
from understudy.app.accept.recovery import recover_accepts
from understudy.disk.journal.journal import Journal
from understudy.values.paths import Root

LONGEST_OLD = max(len(old_text(index)) for index in range(N_FILES))
VERBS = ("accept", "undo", "adopt")


@dataclass
class AcceptKillCounts:
    """`under_way` kills hit the verb in its middle; `half_applied` and `strays` must be 0.

    `finished` and `taken_back` are what the next start made of the accepts that were under way.
    """

    kills: int = 0
    under_way: int = 0
    finished: int = 0
    taken_back: int = 0
    half_applied: int = 0
    strays: int = 0


def run_accept_kills(folder: Path, n_kills: int, seed: int) -> AcceptKillCounts:
    """Kill one verb after the other, each at a random moment of it, over one folder and journal."""
    chance = random.Random(seed)
    project, state = folder / "project", folder / "state"
    project.mkdir()
    state.mkdir()
    counts = AcceptKillCounts()
    for number in range(n_kills):
        verb = VERBS[number % len(VERBS)]
        _fill(project)
        _kill(verb, project, state, chance)
        _look(counts, verb, project, state)
    return counts


def _fill(project: Path) -> None:
    """The folder as it is before the verb."""
    for path in project.rglob("*"):
        if path.is_file():
            path.unlink()
    for index in range(N_FILES):
        target = project / f"{index % 7}" / f"f{index}.txt"
        target.parent.mkdir(exist_ok=True)
        target.write_text(old_text(index))


def _kill(verb: str, project: Path, state: Path, chance: random.Random) -> None:
    """Kill the verb at a random point: so many files are prepared, or in their place; or at once.

    Of an undo, the point may lie on its way back; an adoption has none to be seen, but its end.
    """
    point, later_s = chance.randint(0, 2 * N_FILES), chance.uniform(0, 0.004)
    command = [sys.executable, "-m", "tests.support.accept_kill_target", verb, project, state]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == b"begin\n"
        while verb != "adopt" and _progress(project) < point and not _has_ended(process.stdout):
            pass
        until = time.perf_counter() + later_s * (10 if verb == "adopt" else 1)
        while time.perf_counter() < until:
            pass  # a sleep would end at the scheduler's points, not at random ones
        process.kill()


def _progress(project: Path) -> int:
    """How far an accept is: its prepared files, or all of them and those that are in place."""
    n_prepared = n_placed = 0
    for folder in project.iterdir():
        with suppress(FileNotFoundError), os.scandir(folder) as entries:
            for entry in entries:
                n_prepared += entry.name.endswith(".understudy")
                with suppress(FileNotFoundError):
                    n_placed += entry.name[0] == "f" and entry.stat().st_size > LONGEST_OLD
    return N_FILES + n_placed if n_placed else n_prepared


def _has_ended(stream: IO[bytes]) -> bool:
    return bool(select.select([stream], [], [], 0)[0])


def _look(counts: AcceptKillCounts, verb: str, project: Path, state: Path) -> None:
    """What the folder and the branch are after the next start."""
    told, n_edits = asyncio.run(_start(project, state))
    counts.kills += 1
    counts.under_way += len(told)
    counts.finished += sum("is finished" in line for line in told)
    counts.taken_back += sum("is taken back" in line for line in told)
    found = {path.relative_to(project).as_posix(): path for path in project.rglob("*")}
    counts.strays += sum(".understudy" in name for name in found)
    texts = {name: path.read_text() for name, path in found.items() if path.is_file()}
    old = {f"{index % 7}/f{index}.txt": old_text(index) for index in range(N_FILES)}
    if verb == "adopt":
        whole = texts == old and n_edits in (0, N_FILES + 1)
    else:  # the branch is there as long as the folder has not all of it
        whole = (texts, n_edits) in ((old, N_FILES + 1), (_new(), 0))
    counts.half_applied += not whole


def _new() -> dict[str, str]:
    """The folder once the branch is accepted: all changed, one made, one deleted."""
    new = {f"{index % 7}/f{index}.txt": new_text(index) for index in range(1, N_FILES)}
    return {**new, "made/deep/new.txt": "new\n"}


async def _start(project: Path, state: Path) -> tuple[list[str], int]:
    """A start: what it had to end, and how many files the newest branch has."""
    journal = await Journal.open(state / "journal.sqlite")
    try:
        told = await recover_accepts(Root.open(project), journal)
        held = await journal.load()
        return told, len(held.branches[-1].files) if held.branches else 0
    finally:
        await journal.close()


def main() -> None:
    """Print the counts."""
    n_kills, seed = (int(arg) for arg in [*sys.argv[1:], *["200", "1"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        counts = run_accept_kills(Path(folder), n_kills, seed)
        print(counts, f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
