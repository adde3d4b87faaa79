"""How long the server's event loop is held up while it outlines the biggest file there is.

Measured at the client as the round trip of a small request, so it is an upper bound; beside it, the
same without any outline. And whether outlines and maps open a socket.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench.lsp_client import LspClient, lsp_client
from bench.report import Figure, Setup, milliseconds, percentile, spread
from bench.sources import sqlite_amalgamation
from tests.support.servers import environment

N_OUTLINES = 3
N_IDLE = 300
MAX_STALL_S = 0.020
_TRACE_S = 120


async def run(setup: Setup) -> list[Figure]:
    """The longest wait, and the sockets that a trace of both commands shows."""
    root = setup.folder / "project"
    root.mkdir()
    shutil.copyfile(sqlite_amalgamation(), root / "sqlite3.c")
    async with lsp_client(root, setup.folder / "state") as client:
        idle = [await _round_trip(client) for _ in range(N_IDLE)]
        waits: list[float] = []
        took: list[float] = []
        for number in range(N_OUTLINES):
            (root / "sqlite3.c").open("a").write(f"/* {number} */\n")  # nothing is kept of it
            began = time.perf_counter()
            outlining = asyncio.ensure_future(
                client.request("understudy/outline", {"path": "sqlite3.c"})
            )
            while not outlining.done():
                waits.append(await _round_trip(client))
            took.append(time.perf_counter() - began)
            assert (await outlining)["lines"] > 200_000
    return [
        Figure(
            "outline_stall", "longest wait while sqlite3.c is outlined",
            milliseconds(max(waits)), f"{milliseconds(max(idle))} idle",
            max(waits) / max(idle), f"<= {milliseconds(MAX_STALL_S)}", max(waits) <= MAX_STALL_S,
            {"waits_s": spread(waits), "idle_s": spread(idle), "outline_s": took,
             "p99_s": percentile(waits, 99)},
        ),
        _sockets(setup, root),
    ]  # fmt: skip


async def _round_trip(client: LspClient) -> float:
    began = time.perf_counter()
    await client.request("understudy/branch/list", {})
    return time.perf_counter() - began


def _sockets(setup: Setup, root: Path) -> Figure:
    """Calls of `socket` by both commands and all their processes."""
    (root / "small.py").write_text("def small(): ...\n")
    strace = shutil.which("strace")
    assert strace is not None, "strace is needed to see the sockets"
    calls: list[str] = []
    for arguments in (["outline", "small.py", "sqlite3.c"], ["map"]):
        trace = setup.folder / "trace"
        subprocess.run(
            [strace, "-f", "-qq", "-e", "trace=socket,connect,bind", "-e", "signal=none",
             "-o", str(trace), sys.executable, "-m", "understudy", *arguments],
            cwd=root,
            env={**environment(), "UNDERSTUDY_CACHE_DIR": str(setup.folder / "cache")},
            stdout=subprocess.DEVNULL,
            timeout=_TRACE_S,
            check=True,
        )  # fmt: skip
        calls += [line for line in trace.read_text().splitlines() if "(" in line]
    return Figure(
        "outline_stall", "sockets opened by outline and map", str(len(calls)), bar="none",
        ok=not calls, data={"calls": calls},
    )  # fmt: skip
