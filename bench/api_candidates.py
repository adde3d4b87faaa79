"""64 candidates of one folder through the Python API, beside a cold command for each of them.

Each candidate edits one of three files and brings a mistake of its own, in that file or in others.
The API's time has everything in it: coming to be the host, the servers' cold start, making, editing
and checking the branches. The commands run as many at a time as there are cores. Both must find the
same; every other round begins with the commands.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import understudy as u
from bench.report import Figure, Setup, spread
from bench.warm_host import child_environment
from tests.e2e.folders import UNDERSTUDY, copy_demo
from understudy.values.own_folders import STATE_VARIABLE

N_CANDIDATES, N_ROUNDS = 64, 2
MAX_RATIO = 1 / 8
DEADLINE_S = 300
_FILES = ("main.py", "invoices/tax.py", "invoices/totals.py")
_CHANGED = ("tax_of(line: Line, country: str)", "tax_of(line: Line, country: str, on: str)")

Found = tuple[str, ...]


async def run(setup: Setup) -> list[Figure]:
    """The API over asyncio and over threads, against cold commands."""
    taken: dict[str, list[float]] = {"asyncio": [], "threads": [], "cold": []}
    for number in range(N_ROUNDS):
        place = setup.folder / str(number)
        demo = copy_demo(place / "demo")
        edits = [_candidate(demo, one) for one in range(N_CANDIDATES)]
        found: dict[str, list[Found]] = {}
        for name in sorted(taken, reverse=number % 2 == 0):
            env = child_environment(place / name)
            began = time.perf_counter()
            if name == "cold":
                found[name] = await asyncio.to_thread(_cold, demo, edits, env, place)
            else:
                os.environ[STATE_VARIABLE] = env[STATE_VARIABLE]
                way = _by_asyncio if name == "asyncio" else _by_threads
                found[name] = await way(demo, edits)
                del os.environ[STATE_VARIABLE]
            taken[name].append(time.perf_counter() - began)
        assert found["cold"] == found["asyncio"] == found["threads"], found
        assert all(found["cold"]), "a candidate without a finding says nothing"
    cold = statistics.median(taken["cold"])
    return [_figure(name, taken, cold) for name in ("asyncio", "threads")]


def _figure(name: str, taken: dict[str, list[float]], cold: float) -> Figure:
    ours = statistics.median(taken[name])
    return Figure(
        "api_candidates", f"{N_CANDIDATES} candidates, {name}", f"{ours:.1f} s",
        f"{cold:.1f} s in cold commands",
        ours / cold,
        "<= 1/8",
        ours / cold <= MAX_RATIO,
        {key: spread(times) for key, times in taken.items()},
    )  # fmt: skip


def _candidate(demo: Path, number: int) -> list[dict[str, str]]:
    """A mistake whose name no other candidate has; every third one breaks other files, too."""
    path = _FILES[number % len(_FILES)]
    text = (demo / path).read_text()
    if path == "invoices/tax.py" and _CHANGED[0] in text:
        text = text.replace(*_CHANGED)
    text += f'\nv{number}: int = "no v{number}"\n'
    return [{"kind": "write", "path": path, "text": text}]


async def _by_asyncio(demo: Path, candidates: list[list[dict[str, str]]]) -> list[Found]:
    async with u.AsyncWorkspace(demo) as ws:

        async def judged(number: int) -> Found:
            async with ws.branch(f"candidate {number}") as b:
                await b.edit(candidates[number])
                return _found(await b.check(timeout=DEADLINE_S))

        return [*await asyncio.gather(*map(judged, range(len(candidates))))]


async def _by_threads(demo: Path, candidates: list[list[dict[str, str]]]) -> list[Found]:
    def all_of_them() -> list[Found]:
        with u.Workspace(demo) as ws, ThreadPoolExecutor(len(candidates)) as pool:

            def judged(number: int) -> Found:
                with ws.branch(f"candidate {number}") as b:
                    b.edit(candidates[number])
                    return _found(b.check(timeout=DEADLINE_S))

            return [*pool.map(judged, range(len(candidates)))]

    return await asyncio.to_thread(all_of_them)


def _found(verdict: u.Verdict) -> Found:
    assert not isinstance(verdict, u.Unknown), verdict.reasons
    return tuple(sorted(f"{one.path} {one.code} {one.message}" for one in verdict.introduced))


def _cold(
    demo: Path, candidates: list[list[dict[str, str]]], env: dict[str, str], place: Path
) -> list[Found]:
    def judged(number: int) -> Found:
        file = place / f"{number}.json"
        file.write_text(json.dumps(candidates[number]))
        done = subprocess.run(
            [*UNDERSTUDY, "check", "--edits", str(file), "--root", str(demo), "--no-host",
             "--format", "json", "--timeout", str(DEADLINE_S)],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        report: dict[str, Any] = json.loads(done.stdout)
        assert report["verdict"] != "unknown", report
        found = report["introduced"]
        return tuple(sorted(f"{one['path']} {one['code']} {one['message']}" for one in found))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return [*pool.map(judged, range(len(candidates)))]
