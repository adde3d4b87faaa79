"""From the command to an agent's first instruction, beside other ways to a second folder."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import time
from pathlib import Path

from bench.lsp_client import lsp_client
from bench.rehearsed import started
from bench.report import Figure, Setup, milliseconds, spread
from bench.stages import write_tree
from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.support.repositories import GitRepository

N_LARGE, N_SMALL, N_STARTS = 100_000, 1_000, 15
MAX_START_S, MAX_RATIO = 0.3, 1.3


async def run(setup: Setup) -> list[Figure]:
    """Two figures: the median over a large tree, and its ratio to a small one's."""
    times: dict[int, list[float]] = {}
    for size in (N_LARGE, N_SMALL):
        root = await asyncio.to_thread(write_tree, setup.folder / f"tree-{size}", size)
        await asyncio.to_thread(GitRepository(root).commit)
        times[size] = await _starts(root, setup.folder / f"state-{size}")
    large = setup.folder / f"tree-{N_LARGE}"
    worktree = await asyncio.to_thread(_worktree, large, setup.folder / "worktree")
    copied = await asyncio.to_thread(_copied, large, setup.folder / "copy")
    bare = await started(("sh", "-c", "echo up"), large, setup.folder / "bare")
    medians = {size: statistics.median(found) for size, found in times.items()}
    ratio = medians[N_LARGE] / medians[N_SMALL]
    return [
        Figure(
            "rehearse_start", f"{N_LARGE} files, with a host",
            milliseconds(medians[N_LARGE]),
            f"git worktree add: {worktree:.1f} s; cp -a: {copied:.1f} s",
            medians[N_LARGE] / worktree,
            f"<= {milliseconds(MAX_START_S)}",
            medians[N_LARGE] <= MAX_START_S,
            {
                "seconds": spread(times[N_LARGE]),
                "worktree_s": worktree, "copied_s": copied, "bare_s": bare,
            },
        ),
        Figure(
            "rehearse_start", f"the same on {N_SMALL} files",
            milliseconds(medians[N_SMALL]), milliseconds(medians[N_LARGE]),
            ratio,
            f"<= {MAX_RATIO}",
            ratio <= MAX_RATIO,
            {"seconds": spread(times[N_SMALL])},
        ),
    ]  # fmt: skip


async def _starts(root: Path, state: Path) -> list[float]:
    """Seconds of each start but the first, while an editor's server is the host."""
    async with lsp_client(root, state, environ=child_environment(state)):
        command = (*UNDERSTUDY, "rehearse", "--", "sh", "-c", "echo up; cat")
        return [await started(command, root, state) for _ in range(N_STARTS + 1)][1:]


def _worktree(root: Path, place: Path) -> float:
    began = time.perf_counter()
    GitRepository(root).git("worktree", "add", "-q", place)
    return time.perf_counter() - began


def _copied(root: Path, place: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["/bin/cp", "-a", str(root), str(place)], check=True, timeout=600)
    elapsed = time.perf_counter() - began
    shutil.rmtree(place)
    return elapsed
