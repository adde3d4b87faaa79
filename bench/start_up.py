"""How soon `understudy --version`, a cold check and `understudy lsp` are there, before and after.

Before is another checkout, whose Python UNDERSTUDY_BENCH_BEFORE names; both take turns. Without it
there is nothing to compare with, and no bar.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, spread
from bench.warm_host import DEADLINE_S, child_environment, end_hosts
from tests.e2e.folders import DEMO_PATCH, copy_demo
from understudy.values.paths import uri_of

VARIABLE = "UNDERSTUDY_BENCH_BEFORE"
N_RUNS = 15
MAX_RATIO = 1.05


async def run(setup: Setup) -> list[Figure]:
    """One figure a command."""
    return [
        await asyncio.to_thread(_measure, name, command, setup.folder)
        for name, command in (("--version", _version), ("check", _check), ("lsp", _lsp))
    ]


def _measure(name: str, command: Callable[[str, Path], None], folder: Path) -> Figure:
    before = os.environ.get(VARIABLE)
    taken: dict[str, list[float]] = {sys.executable: []} | ({before: []} if before else {})
    for number in range(1 + N_RUNS):
        for python in sorted(taken, reverse=number % 2 == 0):
            place = folder / name / str(number)
            copy_demo(place / "demo")
            began = time.perf_counter()
            command(python, place)
            if number > 0:
                taken[python].append(time.perf_counter() - began)
            end_hosts(place)
            shutil.rmtree(place)
    ours = statistics.median(taken[sys.executable])
    data = {"ours_s": spread(taken[sys.executable])}
    if not before:
        return Figure("start_up", name, milliseconds(ours), data=data)
    reference = statistics.median(taken[before])
    return Figure(
        "start_up", name, milliseconds(ours), f"{milliseconds(reference)} before",
        ours / reference,
        f"<= {MAX_RATIO}",
        ours / reference <= MAX_RATIO,
        {**data, "before_s": spread(taken[before])},
    )  # fmt: skip


def _version(python: str, place: Path) -> None:
    _run([python, "-m", "understudy", "--version"], place, 0)


def _check(python: str, place: Path) -> None:
    demo = str(place / "demo")
    _run([python, "-m", "understudy", "check", str(DEMO_PATCH), "--root", demo], place, 1)


def _run(command: list[str], place: Path, code: int) -> None:
    done = subprocess.run(
        command, env=child_environment(place / "state"), stdin=subprocess.DEVNULL,
        capture_output=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.returncode == code, (command, done.stdout, done.stderr)


def _lsp(python: str, place: Path) -> None:
    """Until `initialize` is answered; the end is not waited for here."""
    root = uri_of(place / "demo")
    params = {"processId": None, "capabilities": {}, "rootUri": root}
    said = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    body = json.dumps(said).encode()
    server = subprocess.Popen(
        [python, "-m", "understudy", "lsp"], env=child_environment(place / "state"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        server.stdin.flush()
        assert server.stdout.readline().startswith(b"Content-Length"), "it answers nothing"
    finally:
        server.kill()
        server.communicate()
