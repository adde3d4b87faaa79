"""Kills a stream of edits, rebases and discards at random points and counts what is lost: nothing.

As a program: `python -m tests.support.kills [KILLS] [SEED]`.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.kill_target import FILLER, MOVING, TITLE, moving_text
from tests.support.random_kill import said_until_killed
from understudy.disk.journal.journal import Journal
from understudy.shadow.branch import Branch

MAX_ACKNOWLEDGED = 25
MAX_LATER_SECONDS = 0.004
"""A kill comes up to this long after an acknowledgement: an edit takes about as long."""


@dataclass
class KillCounts:
    """`acknowledged` edits, rebases and discards in all runs; `lost` of these; `half_applied`."""

    kills: int = 0
    acknowledged: int = 0
    rebased: int = 0
    discarded: int = 0
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
        said = _run_once(project, state, chance, before)
        acknowledged = max([before, *(int(n) for verb, n in said if verb == "acknowledged")])
        kept = asyncio.run(_kept(state))
        asides = asyncio.run(_asides(state, {name for verb, name in said if verb == "rebased"}))
        counts.kills += 1
        counts.acknowledged += acknowledged - before
        if kept is None or kept.revision < acknowledged:
            counts.lost += acknowledged - (0 if kept is None else kept.revision)
        elif not _is_whole(kept):
            counts.half_applied += 1
        else:
            counts.unacknowledged_kept += kept.revision - acknowledged
        for verb, name in said:
            if verb in ("rebased", "discarded"):
                counts.rebased += verb == "rebased"
                counts.discarded += verb == "discarded"
                counts.lost += name not in asides or verb not in asides[name].acknowledged
        counts.half_applied += sum(not aside.is_whole for aside in asides.values())
        before = 0 if kept is None else kept.revision
    return counts


def _run_once(
    project: Path, state: Path, chance: random.Random, before: int
) -> list[tuple[str, str]]:
    """Start the stream, kill it, and return what it acknowledged: a verb, and of what."""
    n_lines = 1 + chance.randint(0, MAX_ACKNOWLEDGED)
    said = said_until_killed(
        "tests.support.kill_target", project, state,
        n_lines=n_lines, max_later_s=MAX_LATER_SECONDS, chance=chance,
    )  # fmt: skip
    assert said[0] == f"open {before}", said
    return [(verb, name) for verb, _, name in (line.partition(" ") for line in said[1:])]


async def _kept(state: Path) -> Branch | None:
    journal = await Journal.open(state / "journal.sqlite")
    try:
        held = await journal.load()
        found = [branch for branch in held.branches if branch.title == TITLE]
        if not found:
            return None
        batches = await journal.batches(found[0].id)
        assert len(batches) == found[0].revision
        return found[0]
    finally:
        await journal.close()


@dataclass(frozen=True)
class _Aside:
    """A branch that is rebased and discarded: what of it has been done, and as a whole."""

    acknowledged: frozenset[str]
    is_whole: bool


async def _asides(state: Path, rebased: set[str]) -> dict[str, _Aside]:
    """The branches aside that are open, and those of these names, wherever they are."""
    journal = await Journal.open(state / "journal.sqlite")
    try:
        held = await journal.load()
        found = {each.id: _look(each) for each in held.branches if each.title != TITLE}
        for each in held.archived:
            assert each.id not in found
            if each.id in rebased:
                aside = _look(await journal.revive(each.id, 0))
                await journal.archive(each.id, each.archived, "discarded")
                found[each.id] = replace(aside, acknowledged=aside.acknowledged | {"discarded"})
        return found
    finally:
        await journal.close()


def _look(branch: Branch) -> _Aside:
    """Not edited yet, or both files edited, and both over what the user saved before or after."""
    number = int(branch.title)
    texts = {
        path: (
            file.base and file.base.unpack().content,
            file.after and file.after.unpack().content,
        )
        for path, file in branch.files.items()
    }

    def over(first: int) -> dict[str, tuple[str, str]]:
        return {path: (moving_text(first, 0), moving_text(first, number)) for path in MOVING}

    is_rebased = texts == over(number)
    is_whole = is_rebased or texts in ({}, over(number - 1))
    return _Aside(frozenset({"rebased"} if is_rebased else ()), is_whole)


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
