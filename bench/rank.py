"""`understudy rank` without tests: candidates of one real project, beside as many cold checks.

Candidates are what releases of the project differ in, a hunk or a file each, so that some overlap.
A cold check is measured for some of them and taken for all. The peak of memory is that of the
ranking with everything that it starts. `--edits` 200 is 64 candidates, and less is less.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from bench.radius_corpora import CORPORA
from bench.report import Figure, Setup, spread
from tests.support.servers import environment

PROJECTS = ("starlette", "rxjs", "commander", "github.com/gorilla/mux", "leveldb")
N_CANDIDATES, N_COLD = 64, 5
MAX_RATIO = 0.1
DEADLINE_S = 3600
_LOOK_S = 0.2


async def run(setup: Setup) -> list[Figure]:
    """One figure a project."""
    wanted = [one for one in CORPORA if one.name in PROJECTS]
    n_candidates = max(4, min(N_CANDIDATES, setup.n_edits * N_CANDIDATES // 200))
    figures: list[Figure] = []
    for releases in wanted:
        before, after = (releases.project(version) for version in releases.versions[:2])
        del after
        folder = setup.folder / releases.name
        root = before.write(folder / "project")
        patches: list[Path] = []
        for project, edit in releases.edits():
            if project is not before and project.files != before.files:
                continue
            if len(edit.files) > 5 or len(patches) >= n_candidates:
                continue
            patches.append(folder / f"{len(patches):02}.diff")
            patches[-1].write_text(edit.as_patch())
        setup.say(f"{releases.name}: {len(patches)} candidates")
        figures.append(await asyncio.to_thread(_measured, releases.name, root, patches))
    return figures


def _measured(name: str, root: Path, patches: Sequence[Path]) -> Figure:
    state = root.parent / "state"
    ranked_s, peak, out = _timed(["rank", *map(str, patches), "--format", "json"], root, state)
    rows = json.loads(out)["candidates"]
    verdicts = {row["id"]: row["verdict"] for row in rows if row["verdict"] != "refused"}
    leaders = [row["id"] for row in rows if row["same_as"] is None and row["id"] in verdicts]
    step = max(1, len(leaders) // N_COLD)
    cold: list[float] = []
    for number, patch in enumerate(sorted(leaders)[::step][:N_COLD]):
        command = ["check", patch, "--no-host", "--timeout", "300", "--format", "json"]
        seconds, _, said = _timed(command, root, state.with_name(f"cold-{number}"))
        cold.append(seconds)
        assert json.loads(said)["verdict"] == verdicts[patch], (patch, said[:2000])
    reference = statistics.mean(cold) * len(patches)
    return Figure(
        "rank", name, f"{ranked_s:.1f} s", f"{reference:.1f} s, {len(patches)} cold checks",
        ranked_s / reference,
        f"<= {MAX_RATIO}",
        ranked_s / reference <= MAX_RATIO,
        {
            "cold_s": spread(cold),
            "peak_bytes": peak,
            "checked": len(leaders),
            "unknown": sum(verdict == "unknown" for verdict in verdicts.values()),
        },
    )  # fmt: skip


def _timed(arguments: Sequence[str], root: Path, state: Path) -> tuple[float, int, str]:
    """Seconds, the peak of memory in bytes, and what was printed."""
    env = {**environment(), "UNDERSTUDY_STATE_DIR": str(state), "CI": "1"}
    said = state.with_suffix(".out")
    began, peak = time.perf_counter(), 0
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "understudy", *arguments, "--root", str(root)],
            env=env, cwd=root, stdout=out, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_S)
            assert time.perf_counter() - began < DEADLINE_S
    assert process.returncode in (0, 1, 3), (arguments[:2], process.returncode)
    return time.perf_counter() - began, peak, said.read_text()


def _resident(pid: int) -> int:
    total = 0
    with suppress(psutil.Error):
        parent = psutil.Process(pid)
        for one in (parent, *parent.children(recursive=True)):
            with suppress(psutil.Error):
                total += one.memory_info().rss
    return total
