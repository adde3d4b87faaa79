"""How long a `didChange` of the user's waits while 64 branches wait for lints.

Measured at the client: the change, then a small request; its answer comes after the change has
been handled, so the round trip is an upper bound.
"""

from __future__ import annotations

import asyncio
import itertools
import time

from bench.lsp_client import LspClient, lsp_client
from bench.marks import marked
from bench.report import Figure, Setup, milliseconds, percentile, spread
from tests.support.projects import project

SERVER = "basedpyright"
N_WAITING = 64
N_CHANGES = 400
N_IDLE = 100
PAUSE_S = 0.01
LONGEST_WAIT_S = 60
MAX_P99_S = 0.010
LINES = 2000


async def run(setup: Setup) -> list[Figure]:
    """The 99th percentile, beside that of a host that does nothing else."""
    sample = project("python")
    root = sample.write(setup.folder / "project")
    path, text = sample.sources[0], sample.files[sample.sources[0]]
    (root / "typed.py").write_text("value = 1\n" * LINES)
    async with lsp_client(root, setup.folder / "state") as client:
        typist = _Typist(client)
        branches = [await client.branch(f"branch {number}") for number in range(N_WAITING)]
        idle = [await typist.change() for _ in range(N_IDLE)]
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
        busy: list[float] = []
        try:
            arriving = await _until_all_wait(client, typist)
            for _ in range(N_CHANGES):
                busy.append(await typist.change())
                await asyncio.sleep(PAUSE_S)  # a person types more slowly still
        finally:
            ended.set()
            n_checks = sum(await asyncio.gather(*checking))
    return [_figure(busy, idle, n_checks), _arrival(arriving)]


async def _until_all_wait(client: LspClient, typist: _Typist) -> list[float]:
    """Type until all branches wait for their turn; an error if they never do."""
    taken: list[float] = []
    longest = time.monotonic() + LONGEST_WAIT_S
    while True:
        taken.append(await typist.change())
        status = await client.request("understudy/status", {})
        if sum(server["n_waiting"] for server in status["servers"]) >= N_WAITING - 2:
            return taken
        assert time.monotonic() < longest, f"the branches do not wait: {status}"


class _Typist:
    """Types into an open document of 2,000 lines."""

    def __init__(self, client: LspClient) -> None:
        self._client = client
        self._uri = client.uri("typed.py")
        self._version = 1
        document = {"uri": self._uri, "languageId": "python", "version": 1}
        text = {"text": "value = 1\n" * LINES}
        client.notify("textDocument/didOpen", {"textDocument": {**document, **text}})

    async def change(self) -> float:
        """Seconds from sending a change to the answer of a request sent right behind it."""
        self._version += 1
        place = {"line": self._version % LINES, "character": 0}
        document = {"uri": self._uri, "version": self._version}
        change = {"range": {"start": place, "end": place}, "text": "#"}
        began = time.perf_counter()
        self._client.notify(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )
        await self._client.request("understudy/branch/list", {})
        return time.perf_counter() - began


def _figure(busy: list[float], idle: list[float], n_checks: int) -> Figure:
    p99, reference = percentile(busy, 99), percentile(idle, 99)
    return Figure(
        "keystrokes", f"didChange, {N_WAITING} branches waiting, p99",
        milliseconds(p99), f"{milliseconds(reference)} idle",
        p99 / reference,
        f"<= {milliseconds(MAX_P99_S)}",
        p99 <= MAX_P99_S,
        {"busy_s": spread(busy), "idle_s": spread(idle), "checks_meanwhile": n_checks},
    )  # fmt: skip


def _arrival(arriving: list[float]) -> Figure:
    """While all of them send edit and check at the same moment; for information, without a bar."""
    return Figure(
        "keystrokes", f"didChange, {N_WAITING} edits and checks arriving, longest",
        milliseconds(max(arriving)),
        data={"arriving_s": arriving},
    )  # fmt: skip
