"""Lint of a shadow edit by `cargo check` on a stage, beside cargo's own incremental check.

Both have a warm `target/`; both edit the same file in the same ways, in turn. The user's `target/`
must be the same afterwards, to the byte and to the modification time.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import time
from pathlib import Path

from bench.report import Figure, Setup, spread
from tests.support.servers import environment
from tests.support.workspace import state_of
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.disk.layout import Layout
from understudy.values.paths import Root
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

N_MODULES, N_FUNCTIONS, N_EDITS = 60, 60, 10
MAX_RATIO = 1.3
DEADLINE_S = 300
EDITED = "src/m7.rs"
COMMAND = ("cargo", "check", "--workspace", "--all-targets", "--offline", "--message-format=json")


async def run(setup: Setup) -> list[Figure]:
    """Medians over edits, each judged here and there in turn, after one that does not count."""
    native = write_crate(setup.folder / "native")
    ours = write_crate(setup.folder / "ours")
    for folder in (native, ours):
        await asyncio.to_thread(_cargo, folder)
    untouched = await asyncio.to_thread(state_of, ours)
    times: list[tuple[float, float]] = []
    layout = Layout(setup.folder / "state").create()
    session = Session(Root.open(ours), Settings(), layout, trusted=True)
    try:
        for number in range(1 + N_EDITS):
            text = module_text(7, number)
            theirs = await asyncio.to_thread(_natively, native, text)
            took = await _on_a_stage(session, text)
            if number > 0:
                times.append((took, theirs))
            setup.say(f"stage_cargo: {took:.2f} s, native {theirs:.2f} s")
    finally:
        await session.close()
    same = await asyncio.to_thread(state_of, ours) == untouched
    mine, reference = ([pair[side] for pair in times] for side in (0, 1))
    median, other = statistics.median(mine), statistics.median(reference)
    data = {"ours_s": spread(mine), "native_s": spread(reference)}
    lines = N_MODULES * N_FUNCTIONS * 8
    return [
        Figure(
            "stage_cargo", f"edit, {lines} lines", f"{median:.2f} s",
            f"{other:.2f} s cargo check, incremental", median / other, f"<= {MAX_RATIO}",
            median / other <= MAX_RATIO, data,
        ),
        Figure(
            "stage_cargo", "the user's target/", "identical" if same else "CHANGED",
            bar="identical", ok=same,
        ),
    ]  # fmt: skip


async def _on_a_stage(session: Session, text: str) -> float:
    """Seconds from the edit to its verdict, before-findings known."""
    branch = await session.branches.create("bench")
    edit = [{"kind": "write", "path": EDITED, "text": text}]
    began = time.perf_counter()
    await session.branches.edit(branch.id, edit, await session.fresh_base())
    options = CheckOptions(servers=("cargo-check",), timeout_s=DEADLINE_S)
    checked = await check(session, base_side, branch_side(session.branches, branch.id), options)
    took = time.perf_counter() - began
    assert checked.report.verdict == "findings", checked.report
    assert {finding.path for finding in checked.report.introduced} == {EDITED}
    await session.branches.discard(branch.id)
    return took


def _natively(folder: Path, text: str) -> float:
    (folder / EDITED).write_text(text)
    began = time.perf_counter()
    found = _cargo(folder)
    took = time.perf_counter() - began
    assert b"mismatched types" in found
    return took


def _cargo(folder: Path) -> bytes:
    done = subprocess.run(
        COMMAND, cwd=folder, env=environment(), capture_output=True, timeout=DEADLINE_S, check=False
    )
    assert done.returncode in (0, 101), done.stderr
    return done.stdout


def write_crate(folder: Path) -> Path:
    """A crate of so many modules that check each other."""
    (folder / "src").mkdir(parents=True)
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    names = "".join(f"pub mod m{number};\n" for number in range(N_MODULES))
    (folder / "src/lib.rs").write_text(f"#![allow(clippy::all)]\n{names}")
    for number in range(N_MODULES):
        (folder / f"src/m{number}.rs").write_text(module_text(number, None))
    return folder


def module_text(number: int, variant: int | None) -> str:
    """A module; a variant has a type error, in another function each."""
    after = (number + 1) % N_MODULES
    parts = [f"use crate::m{after};\n"]
    for index in range(N_FUNCTIONS):
        wrong = f'    let _wrong{variant}: i64 = "text";\n' if index == variant else ""
        call = f"m{after}::f{index}(rest)" if number else "rest"
        parts.append(
            f"pub fn f{index}(values: Vec<i64>) -> Vec<i64> {{\n{wrong}"
            f"    let rest: Vec<i64> = values.iter().map(|v| v * {index}).collect();\n"
            "    if rest.is_empty() {\n        return rest;\n    }\n"
            f"    {call}\n}}\n"
        )
    return "".join(parts)
