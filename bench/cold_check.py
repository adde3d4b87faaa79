"""A cold `understudy check`, beside the command lines of the servers that it asks, cold as well.

A check compares two texts, so the command lines run over both: the folder as it is, and with the
edit. The demo is as small as a project can be; django has nearly 3,000 files, and its edit is what
a release did to one of them (the whole release reaches more files than `max_files`, and so is
unknown at once). The data has the ratio to the edited text alone, too (`one_run_ratio`).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bench.report import Figure, Setup, spread
from bench.sources import sdist
from tests.support.corpora import corpus
from tests.support.release_edits import release_edits
from tests.support.servers import environment, program

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
MAX_RATIO = 1.0
DEADLINE_S = 300
_DJANGO_EDIT = "django/db/backends/oracle/operations.py whole"


@dataclass(frozen=True)
class _Case:
    """A folder without the edit and one with it; by what `judges` both are judged cold.

    `asked` are the options with which a check asks just these.
    """

    name: str
    plain: Path
    edited: Path
    patch: Path
    judges: Sequence[Sequence[str]]
    n_runs: int
    asked: Sequence[str] = ()


async def run(setup: Setup) -> list[Figure]:
    """Medians over runs in turn, after one of each that does not count."""
    cases = (_demo(setup.folder / "demo"), _django(setup.folder / "django"))
    return [await asyncio.to_thread(_measure, case) for case in cases]


def _demo(folder: Path) -> _Case:
    plain = Path(shutil.copytree(DATA / "demo", folder / "plain"))
    edited = Path(shutil.copytree(DATA / "demo", folder / "edited"))
    patch = DATA / "demo.patch"
    git = shutil.which("git")
    assert git is not None, "git is needed to apply the patch"
    subprocess.run([git, "apply", str(patch)], cwd=edited, check=True, timeout=DEADLINE_S)
    judges = [[str(program("basedpyright"))], [str(program("ruff")), "check", "--no-cache"]]
    return _Case("demo", plain, edited, patch, judges, n_runs=7)


def _django(folder: Path) -> _Case:
    before, after = (corpus("python", sdist(f"Django==5.2.{n}"), is_ascii=False) for n in (7, 8))
    (edit,) = (edit for edit in release_edits(before, after) if edit.label == _DJANGO_EDIT)
    texts = {p: text for p, text in {**before.files, **edit.files}.items() if text is not None}
    plain = before.write(folder / "plain")
    edited = replace(before, files=texts).write(folder / "edited")
    patch = folder / "edit.patch"
    patch.write_text(edit.as_patch())
    judges = [[str(program("ty")), "check"], [str(program("ruff")), "check", "--no-cache"]]
    asked = ("--server", "ty", "--server", "ruff")
    return _Case("django", plain, edited, patch, judges, n_runs=3, asked=asked)


def _measure(case: _Case) -> Figure:
    understudy = str(Path(sys.executable).parent / "understudy")
    patch, root = str(case.patch), str(case.plain)
    check = [understudy, "check", patch, "--root", root, "--no-host", *case.asked]
    ours: list[_Spent] = []
    theirs: list[_Spent] = []
    of_edited: list[float] = []
    for number in range(1 + case.n_runs):
        our_time = _timed([check], case.plain)
        before, after = (_timed(case.judges, folder) for folder in (case.plain, case.edited))
        if number > 0:
            ours.append(our_time)
            theirs.append(_Spent(*map(sum, zip(before, after, strict=True))))
            of_edited.append(after.wall)
    median, reference = (statistics.median(s.wall for s in runs) for runs in (ours, theirs))
    names = ", ".join(Path(judge[0]).name for judge in case.judges)
    processor = [statistics.median(s.processor for s in runs) for runs in (ours, theirs)]
    return Figure(
        "cold_check", case.name, f"{median:.2f} s", f"{reference:.2f} s {names}, before and after",
        median / reference,
        f"<= {MAX_RATIO}",
        median / reference <= MAX_RATIO,
        {
            "ours_s": spread([spent.wall for spent in ours]),
            "reference_s": spread([spent.wall for spent in theirs]),
            "processor_s": processor,
            "one_run_ratio": median / statistics.median(of_edited),
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
