"""Opening a stage over a large tree and over a small one, beside a cold command and `cp -a`."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, spread
from bench.stages import overlay, write_tree
from understudy.stage.model import StagePlan
from understudy.stage.overlay.kind import OverlayKind

N_LARGE, N_SMALL = 105_000, 1_000
N_OPENED = 60
N_COLD = 5
MAX_OPEN_S = 0.010
MAX_RATIO = 1.3


async def run(setup: Setup) -> list[Figure]:
    """Two figures: the median on the large tree, and its ratio to the small one's."""
    large = await asyncio.to_thread(write_tree, setup.folder / "large", N_LARGE)
    small = await asyncio.to_thread(write_tree, setup.folder / "small", N_SMALL)
    times: dict[Path, list[float]] = {large: [], small: []}
    async with overlay(setup.folder / "scratch") as kind:
        for _ in range(N_OPENED):
            for root in (large, small):
                times[root].append(await _opened(kind, root))
    medians = {root: statistics.median(found) for root, found in times.items()}
    cold = await asyncio.to_thread(_cold, setup.folder, large)
    copied = await asyncio.to_thread(_copied, large, setup.folder / "copy")
    return [
        Figure(
            "stage_open", f"{N_LARGE} files, in a running server",
            milliseconds(medians[large]),
            f"cold `understudy run`: {milliseconds(cold)}; `cp -a`: {copied:.1f} s",
            medians[large] / copied,
            f"<= {MAX_OPEN_S * 1000:.0f} ms",
            medians[large] <= MAX_OPEN_S,
            {"seconds": spread(times[large]), "cold_s": cold, "copied_s": copied},
        ),
        Figure(
            "stage_open", f"the same on {N_SMALL} files",
            milliseconds(medians[small]), milliseconds(medians[large]),
            medians[large] / medians[small],
            f"<= {MAX_RATIO}",
            medians[large] / medians[small] <= MAX_RATIO,
            {"seconds": spread(times[small])},
        ),
    ]  # fmt: skip


async def _opened(kind: OverlayKind, root: Path) -> float:
    began = time.perf_counter()
    stage = await kind.open(StagePlan(root))
    elapsed = time.perf_counter() - began
    assert await stage.read(f"group-0/package-0/lib/module_{1}.js") is not None
    await stage.close()
    return elapsed


def _cold(folder: Path, root: Path) -> float:
    """The median of a whole command that runs nothing, from the start of Python on."""
    times: list[float] = []
    for _ in range(N_COLD):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "understudy", "run", "--root", str(root), "--", "true"],
            cwd=folder, check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _copied(root: Path, copy: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["/bin/cp", "-a", str(root), str(copy)], check=True, timeout=600)
    elapsed = time.perf_counter() - began
    shutil.rmtree(copy)
    return elapsed
