"""A cold `understudy check` of the demo, beside the command lines of the servers that it asks."""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.report import Figure, Setup, spread
from tests.support.servers import environment

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
N_RUNS = 7
MAX_RATIO = 1.3
DEADLINE_S = 120


async def run(setup: Setup) -> list[Figure]:
    """Medians over runs in turn, after one of each that does not count."""
    return [await asyncio.to_thread(_measure, setup.folder)]


def _measure(folder: Path) -> Figure:
    plain = Path(shutil.copytree(DATA / "demo", folder / "plain"))
    edited = Path(shutil.copytree(DATA / "demo", folder / "edited"))
    patch = str(DATA / "demo.patch")
    git = shutil.which("git")
    assert git is not None, "git is needed to apply the patch"
    subprocess.run([git, "apply", patch], cwd=edited, check=True, timeout=DEADLINE_S)
    programs = Path(sys.executable).parent
    check = [str(programs / "understudy"), "check", patch, "--root", str(plain), "--no-host"]
    basedpyright = [str(programs / "basedpyright")]
    ruff = [str(programs / "ruff"), "check", "--no-cache"]
    ours: list[_Spent] = []
    theirs: list[_Spent] = []
    for number in range(1 + N_RUNS):
        our_time = _timed([check], plain)
        reference_time = _timed([basedpyright, ruff], edited)
        if number > 0:
            ours.append(our_time)
            theirs.append(reference_time)
    median = statistics.median(spent.wall for spent in ours)
    reference = statistics.median(spent.wall for spent in theirs)
    processor = [[spent.processor for spent in runs] for runs in (ours, theirs)]
    return Figure(
        "cold_check", "demo", f"{median:.2f} s", f"{reference:.2f} s basedpyright, then ruff",
        median / reference,
        f"<= {MAX_RATIO}",
        median / reference <= MAX_RATIO,
        {
            "ours_s": spread([spent.wall for spent in ours]),
            "reference_s": spread([spent.wall for spent in theirs]),
            "processor_s": [statistics.median(runs) for runs in processor],
        },
    )  # fmt: skip


class _Spent(NamedTuple):
    """Seconds on the clock, and of processor time with all children."""

    wall: float
    processor: float


def _timed(commands: Sequence[Sequence[str]], folder: Path) -> _Spent:
    """What the commands take, one after the other; each must end as a checker does."""
    began, used = time.perf_counter(), _processor_s()
    for command in commands:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert done.returncode in (0, 1), (command, done.stdout, done.stderr)
    return _Spent(time.perf_counter() - began, _processor_s() - used)


def _environment() -> dict[str, str]:
    """What both sides get; the run that does not count leaves Python's bytecode for the others.

    Some machines switch that off, and then an editable checkout is compiled anew in every run,
    which what pip has installed never is.
    """
    return {k: v for k, v in environment().items() if k != "PYTHONDONTWRITEBYTECODE"}


def _processor_s() -> float:
    used = os.times()
    return used.children_user + used.children_system
