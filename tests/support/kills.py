"""Kills a stream of edits at random points and counts what is lost; must be nothing.

As a program: `python -m tests.support.kills [KILLS] [SEED]`.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.kill_target import FILLER
from tests.support.random_kill import said_until_killed
from understudy.disk.journal.journal import Journal
from understudy.shadow.branch import Branch

MAX_ACKNOWLEDGED = 25
MAX_LATER_SECONDS = 0.004
"""A kill comes up to this long after an acknowledgement: an edit takes about as long."""


@dataclass
class KillCounts:
    """`acknowledged` edits in all runs; `lost` of these, and branches found `half_applied`."""

    kills: int = 0
    acknowledged: int = 0
    unacknowledged_kept: int = 0
    lost: int = 0
    half_applied: int = 0


def run_kills(folder: Path, n_kills: int, seed: int) -> KillCounts:
    """Kill the stream `n_kills` times over one journal; after each, look at what it kept."""
    chance = random.Random(seed)
    project, state = folder / "project", folder / "state"
    project.mkdir()
    state.mkdir()
    for name in ("short.txt", "renamed-0.txt"):
        (project / name).write_text("state 0\n")
    counts = KillCounts()
    before = 0
    for _ in range(n_kills):
        acknowledged = _run_once(project, state, chance, before)
        kept = asyncio.run(_kept(state))
        counts.kills += 1
        counts.acknowledged += acknowledged - before
        if kept is None or kept.revision < acknowledged:
            counts.lost += acknowledged - (0 if kept is None else kept.revision)
        elif not _is_whole(kept):
            counts.half_applied += 1
        else:
            counts.unacknowledged_kept += kept.revision - acknowledged
        before = 0 if kept is None else kept.revision
    return counts


def _run_once(project: Path, state: Path, chance: random.Random, before: int) -> int:
    """Start the stream, kill it, and return the last edit it acknowledged."""
    n_lines = 1 + chance.randint(0, MAX_ACKNOWLEDGED)
    said = said_until_killed(
        "tests.support.kill_target", project, state,
        n_lines=n_lines, max_later_s=MAX_LATER_SECONDS, chance=chance,
    )  # fmt: skip
    assert said[0] == f"open {before}", said
    return int(said[-1].split()[1])


async def _kept(state: Path) -> Branch | None:
    journal = await Journal.open(state / "journal.sqlite")
    try:
        held = await journal.load()
        if not held.branches:
            return None
        batches = await journal.batches(held.branches[0].id)
        assert len(batches) == held.branches[0].revision
        return held.branches[0]
    finally:
        await journal.close()


def _is_whole(branch: Branch) -> bool:
    """Whether all files of the branch stand at its revision."""
    number = branch.revision
    if number == 0:
        return not branch.files
    new = f"state {number}\n"
    expected = {
        "long.txt": (FILLER + new, None),
        "short.txt": (new, None),
        f"renamed-{number}.txt": (new, "renamed-0.txt"),
        "renamed-0.txt": (None, None),
    }
    found = {
        path: (None if file.after is None else file.after.unpack().content, file.origin)
        for path, file in branch.files.items()
    }
    return found == expected


def main() -> None:
    """Print the counts, one a line."""
    n_kills, seed = (int(arg) for arg in [*sys.argv[1:], *["200", "1"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        counts = run_kills(Path(folder), n_kills, seed)
        print(counts, f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
