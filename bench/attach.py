"""From an edit to its verdict through the attach socket, beside the host's own client.

Both edit and check in turn on the same warm language server; each check is of a new edit.
"""

from __future__ import annotations

import statistics
import time

from bench.lsp_client import LspClient, lsp_client
from bench.marks import marked, message_markers
from bench.report import Figure, Setup, milliseconds, spread
from tests.support.kit import Pairing
from tests.support.kits import PAIRINGS
from tests.support.projects import project

N_DISCARDED = 8
MAX_RATIO = 1.1


async def run(setup: Setup) -> list[Figure]:
    """One figure a server."""
    return [await _of_server(setup, PAIRINGS[name]) for name in setup.servers]


async def _of_server(setup: Setup, pairing: Pairing) -> Figure:
    sample = project(pairing.language)
    folder = setup.folder / pairing.server
    user = sample.write(folder / "project")
    path = sample.sources[0]
    state = folder / "state"
    times: dict[bool, list[float]] = {False: [], True: []}
    async with lsp_client(user, state) as here, lsp_client(user, state) as attached:
        clients = {
            False: (here, await here.branch("")),
            True: (attached, await attached.branch("")),
        }
        for number in range(N_DISCARDED + setup.n_edits):
            for is_attached in (False, True) if number % 2 else (True, False):
                name = f"attach_{number}_{int(is_attached)}"
                text, marker = marked(pairing.language, sample.files[path], name)
                edit = {"kind": "write", "path": path, "text": text}
                elapsed = await _timed(*clients[is_attached], edit, marker, pairing.server)
                if number >= N_DISCARDED:
                    times[is_attached].append(elapsed)
    ours, reference = statistics.median(times[True]), statistics.median(times[False])
    return Figure(
        "attach", pairing.server, milliseconds(ours),
        f"{milliseconds(reference)} the host's own client",
        ours / reference,
        f"<= {MAX_RATIO}",
        ours / reference <= MAX_RATIO,
        {"attached_s": spread(times[True]), "host_s": spread(times[False])},
    )  # fmt: skip


async def _timed(
    client: LspClient, branch: str, edit: dict[str, str], marker: str, server: str
) -> float:
    began = time.perf_counter()
    await client.edit(branch, [edit])
    report = await client.check(branch, server)
    elapsed = time.perf_counter() - began
    found = message_markers(finding["message"] for finding in report["introduced"])
    assert found == [marker], (marker, report)
    return elapsed
