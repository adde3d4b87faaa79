"""From an edit to its verdict on a warm server, beside a bare loop that drives the same server.

Both get the same new texts in turn; ours goes through the journal, the branch and the check.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.marks import marked, markers
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.agreement import Rehearsals, rehearsals
from tests.support.kit import Pairing
from tests.support.kits import PAIRINGS
from tests.support.projects import project
from understudy import __version__
from understudy.langserver.capabilities import initialize_params
from understudy.langserver.spec import ServerSpec

N_DISCARDED = 8
MAX_RATIO, MAX_MORE_S = 1.15, 0.005


async def run(setup: Setup) -> list[Figure]:
    """One figure a server."""
    return [await _of_server(setup, PAIRINGS[name]) for name in setup.servers]


async def _of_server(setup: Setup, pairing: Pairing) -> Figure:
    sample = project(pairing.language)
    folder = setup.folder / pairing.server
    user = sample.write(folder / "project")
    path = sample.sources[0]
    ours: list[float] = []
    theirs: list[float] = []
    async with rehearsals(user, folder / "state", pairing.server) as live:
        spec = _spec(live)
        branch = (await live.session.branches.create("warm")).id
        async with bare_loop(_described(spec, path, sample.files[path])) as bare:
            for number in range(N_DISCARDED + setup.n_edits):
                text, marker = marked(pairing.language, sample.files[path], f"warm_{number}")
                turns = [_ours(live, branch, path, text, marker), bare.round(text)]
                order = (0, 1) if number % 2 else (1, 0)
                elapsed = {turn: await turns[turn] for turn in order}
                if number >= N_DISCARDED:
                    ours.append(elapsed[0])
                    theirs.append(elapsed[1])
    our_median, reference = statistics.median(ours), statistics.median(theirs)
    return Figure(
        "warm", pairing.server, milliseconds(our_median), f"{milliseconds(reference)} bare loop",
        our_median / reference,
        f"<= max({MAX_RATIO} x, + {MAX_MORE_S * 1000:.0f} ms)",
        our_median <= max(MAX_RATIO * reference, reference + MAX_MORE_S),
        {"ours_s": spread(ours), "bare_s": spread(theirs)},
    )  # fmt: skip


async def _ours(live: Rehearsals, branch: str, path: str, text: str, marker: str) -> float:
    began = time.perf_counter()
    await live.edit(branch, [{"kind": "write", "path": path, "text": text}])
    report = (await live.check(branch, "edited")).report
    elapsed = time.perf_counter() - began
    assert markers(report.introduced) == [marker], (marker, report)
    return elapsed


def _spec(live: Rehearsals) -> ServerSpec:
    (spec,) = (c.spec for c in live.session.servers.all() if c.name == live.server)
    assert spec is not None
    return spec


class Bare:
    """The bare loop's process; its own clock measures."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def round(self, text: str) -> float:
        """Seconds from showing a text to its diagnostics, of which there must be some."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(text).encode() + b"\n")
        answer = await asyncio.wait_for(self._process.stdout.readline(), 120)
        elapsed_ms, n_items = json.loads(answer)
        assert n_items > 0, "the bare loop was told of no finding"
        return elapsed_ms / 1000


@asynccontextmanager
async def bare_loop(described: Mapping[str, Any]) -> AsyncIterator[Bare]:
    """A bare loop of a server, as `bench/bare.py` wants it described."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("bare.py")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=64 * 1024 * 1024,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps(described).encode() + b"\n")
        yield Bare(process)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await asyncio.wait_for(process.wait(), 30)


def _described(spec: ServerSpec, path: str, text: str) -> dict[str, Any]:
    """The same server, settings and capabilities, as plain data."""
    initialize = initialize_params(spec, __version__)
    root = spec.profile.settings_root
    folder = {"workspaceFolder": initialize["workspaceFolders"][0]}
    return {
        "command": list(spec.command),
        "cwd": str(spec.root.path),
        "env": dict(spec.env),
        "initialize": {**initialize, "processId": os.getpid()},
        "settings": spec.settings,
        "all_settings": spec.settings if root is None else {**spec.settings[root], **folder},
        "rule": spec.profile.rule,
        "uri": spec.root.uri(path),
        "language": spec.profile.language_of(path),
        "text": text,
    }
