"""Builds and test runs of twenty real projects on a stage, beside the very same outside.

Everything they depend on was installed outside before; on the stage there is no network, and of the
home, the environment and the machine what is listed. Runs take turns, each in its own copy.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.project_corpora import PROJECTS, RealProject
from bench.report import Figure, Setup
from bench.stages import overlay
from tests.support.servers import environment
from understudy.stage.model import Command, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind

MAX_RATIO = 1.05
N_PROJECTS, N_LANGUAGES = 20, 6
_FAMILIES = {"TypeScript": "JavaScript", "C++": "C"}
N_RUNS = 3
DEADLINE_S = 600
_MEASURED = """
import json, resource, subprocess, sys
codes = [subprocess.call(one, stdout=2) for one in json.loads(sys.argv[1])]
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"codes": codes, "seconds": used.ru_utime + used.ru_stime}))
"""
"""Runs the commands and prints their CPU time with all their children: the same in both places."""


@dataclass(frozen=True)
class _Taken:
    """CPU seconds of each run inside and outside; what went wrong on the stage, if anything."""

    project: RealProject
    inside: tuple[float, ...]
    outside: tuple[float, ...]
    wrong: str


async def run(setup: Setup) -> list[Figure]:
    """How many pass, and the ratio of all their times."""
    taken: list[_Taken] = []
    async with overlay(setup.folder / "scratch") as kind:
        for project in PROJECTS:
            one = await _compare(kind, project, setup.folder)
            setup.say(f"stage_projects: {project.language} {project.name}: {one.wrong or 'passed'}")
            taken.append(one)
    passed = [one for one in taken if not one.wrong]
    languages = {_FAMILIES.get(one.project.language, one.project.language) for one in passed}
    failed = [f"{one.project.name}: {one.wrong}" for one in taken if one.wrong]
    inside = sum(statistics.median(one.inside) for one in passed)
    outside = sum(statistics.median(one.outside) for one in passed)
    ratios = {
        one.project.name: statistics.median(one.inside) / statistics.median(one.outside)
        for one in passed
    }
    return [
        Figure(
            "stage_projects", f"builds and tests that pass, of {len(taken)} in 6 languages",
            str(len(passed)), bar="all",
            ok=not failed and len(passed) >= N_PROJECTS and len(languages) == N_LANGUAGES,
            data={"failed": failed},
        ),
        Figure(
            "stage_projects", "CPU time of them all", f"{inside:.1f} s", f"{outside:.1f} s outside",
            inside / outside if outside else None, f"<= {MAX_RATIO}",
            bool(outside) and inside / outside <= MAX_RATIO, {"ratios": ratios},
        ),
    ]  # fmt: skip


async def _compare(kind: OverlayKind, project: RealProject, folder: Path) -> _Taken:
    try:
        ready = await asyncio.to_thread(project.ready)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        return _Taken(project, (), (), f"not prepared: {error}")
    inside: list[float] = []
    outside: list[float] = []
    for _ in range(N_RUNS):
        # At the place that it was prepared for: installed packages know it.
        copy = folder / "before"
        shutil.copytree(ready, copy, symlinks=True)
        try:
            outside.append(await asyncio.to_thread(_natively, project, ready))
        finally:
            shutil.rmtree(ready)
            copy.rename(ready)
        seconds, wrong = await _on_a_stage(kind, project, ready)
        if wrong:
            return _Taken(project, (), (), wrong)
        inside.append(seconds)
    return _Taken(project, tuple(inside), tuple(outside), "")


def _command(project: RealProject) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", _MEASURED, json.dumps(project.commands))


def _natively(project: RealProject, root: Path) -> float:
    done = subprocess.run(
        _command(project), cwd=root, env=_variables(), capture_output=True, text=True,
        timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert not any(told["codes"]), f"{project.name} outside: {done.stderr[-2000:]}"
    return told["seconds"]


async def _on_a_stage(kind: OverlayKind, project: RealProject, root: Path) -> tuple[float, str]:
    """CPU seconds, and why it has failed."""
    limits = StageLimits(wall=DEADLINE_S, disk=None)
    stage = await kind.open(StagePlan(root, limits=limits, environ=_variables()))
    try:
        said, errors = bytearray(), bytearray()
        command = Command(_command(project), environ=_variables())
        ended = await stage.run(command, said.extend, errors.extend)
    finally:
        await stage.close()
    last = errors.decode("utf-8", "replace")[-1500:]
    if ended.status != 0:
        return 0.0, f"ended with {ended.status} ({ended.limit}): {last}"
    told = json.loads(said)
    return told["seconds"], f"exit codes {told['codes']}: {last}" if any(told["codes"]) else ""


def _variables() -> dict[str, str]:
    """As of a user who has the tools on PATH; HOME is the real one, with its caches."""
    return {**os.environ, "PATH": environment()["PATH"]}
