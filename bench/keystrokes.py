"""How long a `didChange` of the user's waits while 64 branches wait for lints.

Measured at the editor, a process of its own (`typist.py`): the change, then a small request; its
answer comes after the change has been handled, so the round trip is an upper bound.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import typist
from bench.lsp_client import LspClient, lsp_client
from bench.marks import marked
from bench.report import Figure, Setup, milliseconds, percentile, spread
from tests.support.projects import project

SERVER = "basedpyright"
N_WAITING = 64
N_CHANGES = 400
N_IDLE = 100
PAUSE_S = 0.01
"""A person types more slowly still."""

LONGEST_WAIT_S = 60
MAX_P99_S = 0.010
LINES = 2000

Keystrokes = list[Mapping[str, float]]


async def run(setup: Setup) -> list[Figure]:
    """The 99th percentile, beside that of a host that does nothing else."""
    sample = project("python")
    root = sample.write(setup.folder / "project")
    path, text = sample.sources[0], sample.files[sample.sources[0]]
    (root / "typed.py").write_text("value = 1\n" * LINES)
    through = (sys.executable, str(Path(typist.__file__)))
    async with lsp_client(root, setup.folder / "state", through) as client:
        _open(client)
        branches = [await client.branch(f"branch {number}") for number in range(N_WAITING)]
        idle = await _type(client, N_IDLE)
        numbers = itertools.count()
        ended = asyncio.Event()

        async def keep_checking(branch: str) -> int:
            n_checks = 0
            while not ended.is_set():
                new, _ = marked("python", text, f"keystroke_{next(numbers)}")
                await client.edit(branch, [{"kind": "write", "path": path, "text": new}])
                report = await client.check(branch, SERVER)
                assert report["verdict"] == "findings", report
                n_checks += 1
            return n_checks

        checking = [asyncio.ensure_future(keep_checking(branch)) for branch in branches]
        try:
            arriving = await _until_all_wait(client)
            before = await _generation(client)
            busy = await _type(client, N_CHANGES)
            assert await _generation(client) >= before + N_CHANGES, "a change was not handled"
        finally:
            ended.set()
            n_checks = sum(await asyncio.gather(*checking))
    return [_figure(busy, idle, n_checks), _tail(busy), _arrival(arriving)]


def _open(client: LspClient) -> None:
    """Open a document of 2,000 lines to type into."""
    document = {"uri": client.uri("typed.py"), "languageId": "python", "version": 1}
    text = {"text": "value = 1\n" * LINES}
    client.notify("textDocument/didOpen", {"textDocument": {**document, **text}})


async def _type(client: LspClient, n: int) -> Keystrokes:
    asked = {"uri": client.uri("typed.py"), "lines": LINES, "n": n, "pause_s": PAUSE_S}
    return await client.request(typist.METHOD, asked)


async def _generation(client: LspClient) -> int:
    return (await client.request("understudy/status", {}))["generation"]


async def _until_all_wait(client: LspClient) -> Keystrokes:
    """Type until all branches wait for their turn; an error if they never do."""
    keystrokes: Keystrokes = []
    longest = time.monotonic() + LONGEST_WAIT_S
    while True:
        keystrokes += await _type(client, 1)
        status = await client.request("understudy/status", {})
        if sum(server["n_waiting"] for server in status["servers"]) >= N_WAITING - 2:
            return keystrokes
        assert time.monotonic() < longest, f"the branches do not wait: {status}"


def _figure(busy: Keystrokes, idle: Keystrokes, n_checks: int) -> Figure:
    taken, undisturbed = _all(busy, "taken_s"), _all(idle, "taken_s")
    p99, reference = percentile(taken, 99), percentile(undisturbed, 99)
    return Figure(
        "keystrokes", f"didChange, {N_WAITING} branches waiting, p99",
        milliseconds(p99), f"{milliseconds(reference)} idle",
        p99 / reference,
        f"<= {milliseconds(MAX_P99_S)}",
        p99 <= MAX_P99_S,
        {"busy_s": spread(taken), "idle_s": spread(undisturbed), "checks_meanwhile": n_checks},
    )  # fmt: skip


def _tail(busy: Keystrokes) -> Figure:
    """What the slowest of them are made of; for information, without a bar."""
    slowest = sorted(busy, key=lambda keystroke: keystroke["taken_s"])[-len(busy) // 50 :]
    parts = {name: statistics.mean(_all(slowest, name)) for name in busy[0]}
    waits = f"{milliseconds(parts['server_waited_s'])}, {milliseconds(parts['own_waited_s'])}"
    return Figure(
        "keystrokes", "of the slowest 2 %: server computed; server, editor waited for a core",
        f"{milliseconds(parts['server_ran_s'])}; {waits}",
        f"of {milliseconds(parts['taken_s'])}",
        data={"slowest": slowest},
    )  # fmt: skip


def _arrival(arriving: Keystrokes) -> Figure:
    """While all of them send edit and check at the same moment; for information, without a bar."""
    taken = _all(arriving, "taken_s")
    return Figure(
        "keystrokes", f"didChange, {N_WAITING} edits and checks arriving, longest",
        milliseconds(max(taken)),
        data={"arriving_s": taken},
    )  # fmt: skip


def _all(keystrokes: Sequence[Mapping[str, float]], part: str) -> list[float]:
    return [keystroke[part] for keystroke in keystrokes]
