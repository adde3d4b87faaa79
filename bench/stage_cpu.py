"""CPU time of three workloads on a stage, beside the very same outside: tsc, cargo, pytest.

Runs take turns, inside and outside, from the same warm state; the temporary files of both lie in
memory, as those of a stage do.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.report import Figure, Setup, spread
from bench.stages import overlay
from tests.support.projects import project
from tests.support.servers import node, npm_packages
from understudy.stage.model import Command, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind

MAX_RATIO = 1.05
N_RUNS = 5
DEADLINE_S = 300
_MEMORY_DISK = Path("/dev/shm")  # noqa: S108 - what a stage's own /tmp is
_MEASURED = """
import json, os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "seconds": used.ru_utime + used.ru_stime}))
"""
"""Runs a command and prints its CPU time with all its children: the same inside and outside."""


@dataclass(frozen=True)
class Workload:
    """A command in a folder; `edit` gives the files that run number N is about.

    `tools` are folders outside that it needs and that no variable names.
    """

    name: str
    folder: Path
    argv: tuple[str, ...]
    edit: Callable[[int], Mapping[str, str]]
    tools: tuple[Path, ...] = ()


async def run(setup: Setup) -> list[Figure]:
    """One figure a workload."""
    figures: list[Figure] = []
    async with overlay(setup.folder / "scratch") as kind:
        for make in (_tsc, _cargo, _pytest):
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
        command = Command((sys.executable, "-c", _MEASURED, *workload.argv))
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
            [sys.executable, "-c", _MEASURED, *workload.argv],
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


def _tsc(folder: Path) -> Workload:
    """TypeScript 5 over 250 generated modules."""
    root = folder / "tsc"
    for seed in range(10):
        files = project("typescript", seed).files
        # It has mistakes on purpose; a run must end well here.
        sound = {path: text for path, text in files.items() if not path.endswith("legacy.ts")}
        _write(root, sound, f"part{seed}/")
    settings = json.loads(project("typescript").files["tsconfig.json"])
    settings.pop("files", None)
    _write(root, {"tsconfig.json": json.dumps({**settings, "include": ["part*/**/*.ts"]})})
    first = next(path for path in sorted(project("typescript").files) if path.endswith(".ts"))
    text = project("typescript", 0).files[first]
    package = npm_packages("typescript-language-server") / "typescript"
    return Workload(
        "tsc", root, (str(node()), str(package / "bin" / "tsc"), "--noEmit"),
        lambda n: {f"part0/{first}": f"{text}\nexport const added{n} = {n};\n"},
        (package, node().parent),
    )  # fmt: skip


def _cargo(folder: Path) -> Workload:
    """`cargo check` of a crate of 60 modules after a change of one of them, incrementally."""
    cargo = shutil.which("cargo")
    assert cargo is not None, "cargo is not installed: it comes with rustup"
    root = folder / "cargo"
    modules = {
        f"src/m{n}.rs": "".join(
            f"pub fn f{k}(x: &[u64]) -> Vec<u64> {{\n"
            f"    x.iter().map(|y| y.wrapping_mul({k}) ^ {n}).filter(|y| y % 3 != 1).collect()\n"
            "}\n"
            for k in range(40)
        )
        for n in range(60)
    }
    manifest = '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n'
    library = "".join(f"pub mod m{n};\n" for n in range(60))
    _write(root, {**modules, "Cargo.toml": manifest, "src/lib.rs": library})
    text = modules["src/m7.rs"]
    return Workload(
        "cargo check, incremental", root, (cargo, "check", "--quiet", "--offline"),
        lambda n: {"src/m7.rs": f"{text}pub fn added{n}() -> u64 {{\n    {n}\n}}\n"},
    )  # fmt: skip


def _pytest(folder: Path) -> Workload:
    """A suite of 600 tests that write and read temporary files."""
    root = folder / "pytest"
    tests = (
        "import pytest\n\n@pytest.mark.parametrize('n', range(60))\ndef test_files(n, tmp_path):\n"
    )
    tests += "    for k in range(20):\n        (tmp_path / f'{k}.txt').write_text('x' * 1000 * n)\n"
    tests += "    assert sum(len(p.read_text()) for p in tmp_path.iterdir()) == 20000 * n\n"
    _write(root, {f"test_{n}.py": tests for n in range(10)})
    _write(root, {"pytest.ini": "[pytest]\n"})
    return Workload(
        "pytest", root, (sys.executable, "-m", "pytest", "-q"),
        lambda n: {"test_0.py": f"{tests}\n\ndef test_{n}():\n    pass\n"},
    )  # fmt: skip


def _write(root: Path, files: Mapping[str, str], below: str = "") -> None:
    for path, text in files.items():
        target = root / below / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
