"""Sixty stages open at once: their memory together, and how long closing them all takes."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from bench.report import Figure, Setup
from bench.stages import overlay, write_tree
from understudy.stage.model import StagePlan
from understudy.stage.overlay.kind import OverlayKind

N_STAGES = 60
N_FILES = 1_000
MAX_BYTES = 400 * 1024 * 1024
MAX_CLOSE_S = 0.5
LIMIT_S = 20.0


async def run(setup: Setup) -> list[Figure]:
    """Two figures; memory is proportional (PSS): shared pages count once in all."""
    root = write_tree(setup.folder / "project", N_FILES)
    async with overlay(setup.folder / "scratch") as kind:
        n_idle = len(_helpers(kind))  # the warm helper and its spare
        began = time.perf_counter()
        stages = [await kind.open(StagePlan(root)) for _ in range(N_STAGES)]
        opened = time.perf_counter() - began
        helpers = _helpers(kind)
        total = sum(_proportional_bytes(pid) for pid in helpers)
        began = time.perf_counter()
        for stage in stages:
            await stage.close()
        while len(_helpers(kind)) > n_idle:
            assert time.perf_counter() - began < LIMIT_S, "processes of closed stages are left"
        closed = time.perf_counter() - began
    return [
        Figure(
            "stage_many", f"{N_STAGES} open stages",
            f"{total / 2**20:.0f} MB PSS", f"{len(helpers)} processes, opened in {opened:.1f} s",
            bar=f"<= {MAX_BYTES / 2**20:.0f} MB",
            ok=total <= MAX_BYTES,
            data={"pss": total, "processes": len(helpers), "opened_s": opened},
        ),
        Figure(
            "stage_many", "closing them, until the last process is gone",
            f"{closed:.2f} s",
            bar=f"<= {MAX_CLOSE_S} s",
            ok=closed <= MAX_CLOSE_S,
            data={"closed_s": closed},
        ),
    ]  # fmt: skip


def _helpers(kind: OverlayKind) -> list[int]:
    """The warm helper and all processes of its stages."""
    assert kind.helper_pid is not None
    helper = psutil.Process(kind.helper_pid)
    return [helper.pid, *(process.pid for process in helper.children(recursive=True))]


def _proportional_bytes(pid: int) -> int:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    line = next(line for line in text.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) * 1024
