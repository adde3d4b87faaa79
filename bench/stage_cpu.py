"""CPU time of three workloads on a stage, beside the very same outside: tsc, cargo, pytest.

Runs take turns, inside and outside, from the same warm state; the temporary files of both lie in
memory, as those of a stage do.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.cpu_workloads import DEADLINE_S, MEASURED, Workload, cargo, pytest, tsc
from bench.report import Figure, Setup, spread
from bench.stages import overlay
from understudy.stage.model import Command, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind

MAX_RATIO = 1.05
N_RUNS = 5
_MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - what a stage's own /tmp is


async def run(setup: Setup) -> list[Figure]:
    """One figure a workload."""
    figures: list[Figure] = []
    async with overlay(setup.folder / "scratch") as kind:
        for make in (tsc, cargo, pytest):
            workload = await asyncio.to_thread(make, setup.folder.resolve())
            figures.append(await _compare(kind, workload))
    return figures


async def _compare(kind: OverlayKind, workload: Workload) -> Figure:
    inside: list[float] = []
    outside: list[float] = []
    original = {path: (workload.folder / path).read_text() for path in workload.edit(0)}
    await asyncio.to_thread(_outside, workload, {})
    for number in range(N_RUNS):
        edits = workload.edit(number)
        inside.append(await _inside(kind, workload, edits))
        outside.append(await asyncio.to_thread(_outside, workload, edits))
        await asyncio.to_thread(_outside, workload, original)  # warm as before, not counted
    ours, reference = statistics.median(inside), statistics.median(outside)
    ratio = statistics.median(a / b for a, b in zip(inside, outside, strict=True))
    return Figure(
        "stage_cpu", workload.name, f"{ours:.2f} s", f"{reference:.2f} s outside", ratio,
        f"<= {MAX_RATIO}",
        ratio <= MAX_RATIO,
        {"inside_s": spread(inside), "outside_s": spread(outside)},
    )  # fmt: skip


async def _inside(kind: OverlayKind, workload: Workload, edits: Mapping[str, str]) -> float:
    """Seconds of CPU on a fresh stage with these edits."""
    limits = StageLimits(wall=DEADLINE_S)
    stage = await kind.open(StagePlan(workload.folder, limits=limits, visible=workload.tools))
    try:
        await stage.write({path: text.encode() for path, text in edits.items()})
        output, errors = bytearray(), bytearray()
        command = Command((sys.executable, "-c", MEASURED, *workload.argv))
        await stage.run(command, output.extend, errors.extend)
    finally:
        await stage.close()
    return _seconds(bytes(output), errors.decode("utf-8", "replace"))


def _outside(workload: Workload, edits: Mapping[str, str]) -> float:
    """Seconds of CPU in the folder itself, its temporary files in memory."""
    for path, text in edits.items():
        (workload.folder / path).write_text(text)
    with tempfile.TemporaryDirectory(dir=_MEMORY_DISK) as temporary:
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *workload.argv],
            cwd=workload.folder,
            env={**os.environ, "TMPDIR": temporary},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    return _seconds(done.stdout, done.stderr.decode("utf-8", "replace"))


def _seconds(output: bytes, errors: str) -> float:
    measured = json.loads(output.splitlines()[-1]) if output else {"code": None}
    assert measured["code"] == 0, errors
    return measured["seconds"]
