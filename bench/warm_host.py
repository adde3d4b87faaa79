"""A second check of a folder without an editor, beside the same call within its host; the first.

Each check is of a new edit. The call within the host is made over a connection that stands, so that
what remains is a program's start and finding the host. The first check leaves the host behind, and
is measured beside one that leaves nothing, in turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

from bench.report import Figure, Setup, spread
from tests.e2e.folders import DEMO_PATCH, UNDERSTUDY, copy_demo
from tests.support.servers import environment
from understudy.app.host.attach import attach
from understudy.app.host.terms import Terms
from understudy.disk.host_address import read_address
from understudy.disk.layout import workspace_layout
from understudy.faces.hosting.link import RemoteHost
from understudy.values.own_folders import STATE_VARIABLE
from understudy.values.paths import Root

N_FIRST, N_SECOND, N_DISCARDED = 7, 15, 2
MAX_MORE_S, MAX_RATIO = 0.3, 1.05
EDITED = "main.py"
DEADLINE_S = 120


async def run(setup: Setup) -> list[Figure]:
    """The first check and the second."""
    first = await asyncio.to_thread(_first, setup.folder / "first")
    return [first, await _second(setup.folder / "second")]


def _first(folder: Path) -> Figure:
    taken: dict[str, list[float]] = {"leaves": [], "alone": []}
    for number in range(1 + N_FIRST):
        for name in sorted(taken, reverse=number % 2 == 0):
            place = folder / f"{name}-{number}"
            demo, env = copy_demo(place / "demo"), child_environment(place / "state")
            options = ["--no-host"] if name == "alone" else []
            began = time.perf_counter()
            _checked(demo, env, DEMO_PATCH, options)
            if number > 0:
                taken[name].append(time.perf_counter() - began)
            end_hosts(place)
            shutil.rmtree(place)
    ours, reference = (statistics.median(taken[name]) for name in ("leaves", "alone"))
    return Figure(
        "warm_host", "first check", f"{ours:.2f} s", f"{reference:.2f} s leaving nothing",
        ours / reference,
        f"<= {MAX_RATIO}",
        ours / reference <= MAX_RATIO,
        {name: spread(times) for name, times in taken.items()},
    )  # fmt: skip


async def _second(folder: Path) -> Figure:
    demo, env = copy_demo(folder / "demo"), child_environment(folder / "state")
    os.environ[STATE_VARIABLE] = env[STATE_VARIABLE]
    try:
        await asyncio.to_thread(_checked, demo, env, DEMO_PATCH, [])
        place = workspace_layout(Root.open(demo))
        address = read_address(place)
        assert address is not None, "the first check has left no host"
        attached = await attach(place, "command", terms=Terms(address.terms or ""))
        assert attached is not None, "the first check has left no host"
        host = RemoteHost(attached)
        ours: list[float] = []
        within: list[float] = []
        for number in range(N_DISCARDED + N_SECOND):
            for is_ours in (True, False) if number % 2 else (False, True):
                edit = _edit(demo, f"v{number}_{int(is_ours)}")
                began = time.perf_counter()
                if is_ours:
                    await asyncio.to_thread(_checked_edit, demo, env, edit, folder / "edit.json")
                else:
                    answer = await host.call("check", _params(edit))
                    assert answer["verdict"] == "findings", answer
                if number >= N_DISCARDED:
                    (ours if is_ours else within).append(time.perf_counter() - began)
        await host.close()
    finally:
        del os.environ[STATE_VARIABLE]
        end_hosts(folder)
    median, reference = statistics.median(ours), statistics.median(within)
    return Figure(
        "warm_host", "second check", f"{median:.2f} s", f"{reference:.2f} s within the host",
        median / reference,
        f"<= + {MAX_MORE_S} s",
        median <= reference + MAX_MORE_S,
        {"ours_s": spread(ours), "within_s": spread(within)},
    )  # fmt: skip


def _edit(demo: Path, name: str) -> dict[str, str]:
    text = (demo / EDITED).read_text() + f'\n{name}: int = "no {name}"\n'
    return {"kind": "write", "path": EDITED, "text": text}


def _params(edit: dict[str, str]) -> dict[str, object]:
    return {"edits": [edit], "format": "json"}


def _checked_edit(demo: Path, env: dict[str, str], edit: dict[str, str], file: Path) -> None:
    file.write_text(json.dumps([edit]))
    _run(["check", "--edits", str(file), "--root", str(demo), "--format", "json"], env)


def _checked(demo: Path, env: dict[str, str], patch: Path, options: list[str]) -> None:
    _run(["check", str(patch), "--root", str(demo), *options], env)


def _run(arguments: list[str], env: dict[str, str]) -> None:
    done = subprocess.run(
        [*UNDERSTUDY, *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 1, (arguments, done.stdout, done.stderr)


def child_environment(state: Path) -> dict[str, str]:
    """What a user's check has, with our state there."""
    left_out = ("CI", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in environment().items() if name not in left_out}
    return {**kept, STATE_VARIABLE: str(state)}


def end_hosts(folder: Path) -> None:
    """End the hosts whose state lies below a folder."""
    for lock in folder.rglob("host.lock"):
        with suppress(psutil.NoSuchProcess, ValueError):  # it was killed, or has ended
            host = psutil.Process(int(lock.read_text()))
            host.terminate()
            host.wait(30)
