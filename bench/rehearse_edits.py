"""From an agent's write to its edit in the branch, and to its verdict, as an editor is told.

The server answers at once, so that what a verdict takes is ours. `--edits` is the number of writes.
"""

from __future__ import annotations

import time

from bench.lsp_client import Json, LspClient, lsp_client
from bench.rehearsed import DEADLINE_S, WAYS, Rehearsed
from bench.report import Figure, Setup, milliseconds, percentile, spread
from tests.e2e.folders import (
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)

MAX_EDIT_S, MAX_VERDICT_S = 0.3, 0.5
_FINE, _BAD = "fine {:06}\n", "BAD  {:06}\n"


async def run(setup: Setup) -> list[Figure]:
    """Two figures: 95 of 100 writes are in the branch, and judged, within so long."""
    folder, state = setup.folder / "work", setup.folder / "state"
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    make_folder(folder, {"a.txt": _FINE.format(0) * 40, "b.txt": "fine\n"})
    environ = child_environment(state)
    edits: list[float] = []
    verdicts: list[float] = []
    async with lsp_client(folder, state, environ=environ) as client:
        agent = await Rehearsed.start(folder, state)
        for number in range(1, setup.n_edits + 1):
            is_bad = bool(number % 2)
            text = (_BAD if is_bad else _FINE).format(number)
            written = await agent.write("a.txt", 20, text, WAYS[number // 2 % len(WAYS)])
            assert written is not None
            edits.append(await _listed(client, text) - written)
            verdicts.append(await _judged(client, int(is_bad)) - written)
        await agent.end()
    return [
        _figure("in the branch", edits, MAX_EDIT_S),
        _figure("judged, by a server that answers at once", verdicts, MAX_VERDICT_S),
    ]


def _figure(name: str, seconds: list[float], most: float) -> Figure:
    late = percentile(seconds, 95)
    return Figure(
        "rehearse_edits", f"{len(seconds)} writes, p95: {name}", milliseconds(late),
        bar=f"<= {milliseconds(most)}", ok=late <= most, data={"seconds": spread(seconds)},
    )  # fmt: skip


async def _listed(client: LspClient, text: str) -> float:
    """When the branch had a line (s since 1970)."""
    await client.until(
        "understudy/branch/diff", {"branch": "b1"},
        lambda told: f"\n+{text}" in told["diff"], DEADLINE_S,
    )  # fmt: skip
    return time.time()


async def _judged(client: LspClient, introduced: int) -> float:
    """When the branch's verdict was of the edit that it has now."""

    def is_so(told: Json) -> bool:
        live = told["branches"][0]["rehearsal"]
        return live["verdict"] is not None and live["introduced"] == introduced

    await client.until("understudy/branch/list", {}, is_so, DEADLINE_S)
    return time.time()
