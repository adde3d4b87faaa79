"""The second start of a rehearsal on the copy kind, beside `rsync -a` of the same change."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import time
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, spread
from bench.stages import write_tree
from understudy.stage.copy.kind import CopyKind
from understudy.stage.model import StagePlan

N_FILES, N_CHANGED, N_STARTS = 100_000, 10, 5
MAX_RATIO = 1.3


async def run(setup: Setup) -> list[Figure]:
    """One figure: the median of starts, each after the same number of changes on both sides."""
    root = await asyncio.to_thread(write_tree, setup.folder / "large", N_FILES)
    kind = CopyKind(setup.folder / "scratch")
    chance = random.Random(1)  # noqa: S311 - the same changes in every run
    first = await _started(kind, root, chance)
    again = [await _started(kind, root, chance) for _ in range(N_STARTS)]
    ours = sorted(again)[N_STARTS // 2]
    theirs = await asyncio.to_thread(_synced, root, setup.folder / "synced", chance)
    ratio = None if theirs is None else ours / theirs
    return [
        Figure(
            "rehearse_copy", f"{N_FILES} files, {N_CHANGED} changed on each side",
            milliseconds(ours),
            "rsync is not installed" if theirs is None else f"rsync -a: {milliseconds(theirs)}",
            ratio,
            f"<= {MAX_RATIO}",
            None if ratio is None else ratio <= MAX_RATIO,
            {"seconds": spread(again), "first_s": first, "rsync_s": theirs},
        ),
    ]  # fmt: skip


async def _started(kind: CopyKind, root: Path, chance: random.Random) -> float:
    """Open a stage that can be looked through; then the user and the agent change files."""
    began = time.perf_counter()
    stage = await kind.open(StagePlan(root, live=True))
    elapsed = time.perf_counter() - began
    await asyncio.to_thread(_change, (root, stage.root), chance)
    await stage.close()
    return elapsed


def _synced(root: Path, copy: Path, chance: random.Random) -> float | None:
    """The median of the same by rsync, in seconds; None where there is none."""
    rsync = shutil.which("rsync")
    if rsync is None:
        return None
    times: list[float] = []
    for _ in range(N_STARTS + 1):
        began = time.perf_counter()
        subprocess.run([rsync, "-a", "--delete", f"{root}/", copy], check=True)
        times.append(time.perf_counter() - began)
        _change((root, copy), chance)
    return sorted(times[1:])[N_STARTS // 2]


def _change(places: tuple[Path, ...], chance: random.Random) -> None:
    for place in places:
        files = sorted(place.glob("group-1*/*/lib/*.js"))
        for file in chance.sample(files, N_CHANGED):
            file.write_text(f"changed {chance.random()}\n")
