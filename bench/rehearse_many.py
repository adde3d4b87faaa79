"""Thirty-two agents at once: what we hold above their own memory, and how long verdicts take.

All write at once, so that one server has a queue; it needs 0.6 s for an answer. The same texts are
then given to a bare client of the same server, one after the other. `--edits` is the number of
agents.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import psutil

from bench.lsp_client import Json, LspClient, lsp_client
from bench.rehearsed import DEADLINE_S, Rehearsed
from bench.report import Figure, Setup
from bench.warm import bare_loop
from tests.e2e.folders import (
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)

MAX_BYTES = 1 << 30
MAX_RATIO = 1.5
_LINE = "fine\n"
_FILE = _LINE * 40


async def run(setup: Setup) -> list[Figure]:
    """Two figures; memory is proportional (PSS): shared pages count once in all."""
    folder, state = setup.folder / "work", setup.folder / "state"
    toy = toy_profile("slow")
    write_user_settings(state, settings_text({"toy": toy}))
    make_folder(folder, {f"{number}.txt": _FILE for number in range(setup.n_edits)})
    environ = child_environment(state)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(lsp_client(folder, state, environ=environ))
        agents: list[Rehearsed] = []
        for number in range(setup.n_edits):
            agents.append(one := await Rehearsed.start(folder, state))
            stack.push_async_callback(one.end)
            await _bad(one, number)
        await _all_judged(client, len(agents))
        total, own = await asyncio.to_thread(_bytes_of, folder)
        began = time.perf_counter()
        await asyncio.gather(*(_bad(one, n, line=2) for n, one in enumerate(agents)))
        await _all_judged(client, len(agents), introduced=2)
        seconds = time.perf_counter() - began
    theirs = await _queued(toy["command"], folder, setup.n_edits)
    ours, ratio = total - own, seconds / theirs
    return [
        Figure(
            "rehearse_many", f"{setup.n_edits} agents at once",
            f"{ours / 2**20:.0f} MB PSS", f"the agents' own: {own / 2**20:.0f} MB",
            bar=f"<= {MAX_BYTES / 2**20:.0f} MB",
            ok=ours <= MAX_BYTES,
            data={"pss": total, "own": own},
        ),
        Figure(
            "rehearse_many", "all write at once, until the last is judged",
            f"{seconds:.2f} s", f"{theirs:.2f} s: the bare server's queue", ratio,
            f"<= {MAX_RATIO}",
            ratio <= MAX_RATIO,
            {"seconds": seconds, "bare_s": theirs},
        ),
    ]  # fmt: skip


async def _bad(agent: Rehearsed, number: int, line: int = 1) -> None:
    assert await agent.write(f"{number}.txt", line, "BAD\n", "in place") is not None


async def _queued(command: list[str], folder: Path, n_texts: int) -> float:
    """Seconds that the bare server takes for so many such texts, one after the other."""
    described = {
        "command": command,
        "cwd": str(folder),
        "env": {},
        "initialize": {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}},
        "settings": {},
        "all_settings": {},
        "rule": "pull",
        "uri": (folder / "0.txt").as_uri(),
        "language": "plaintext",
        "text": _FILE,
    }
    lines = [_LINE] * 40
    async with bare_loop(described) as bare:
        await bare.round(_bad_text(lines, "BAD first\n"))  # it has started by then
        texts = [_bad_text(lines, f"BAD {number}\n") for number in range(n_texts)]
        return sum([await bare.round(text) for text in texts])


def _bad_text(lines: list[str], bad: str) -> str:
    return "".join([lines[0], bad, bad, *lines[3:]])


async def _all_judged(client: LspClient, n_agents: int, introduced: int = 1) -> None:
    def is_so(told: Json) -> bool:
        live = [one.get("rehearsal") or {} for one in told["branches"]]
        return sum(one.get("introduced") == introduced for one in live) == n_agents

    await client.until("understudy/branch/list", {}, is_so, DEADLINE_S)


def _bytes_of(folder: Path) -> tuple[int, int]:
    """Of all that works for the folder, and of that the agents'."""
    total = own = 0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error, OSError):
            text = Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii")
            pss = next(line for line in text.splitlines() if line.startswith("Pss:"))
            n_bytes = int(pss.split()[1]) * 1024
            total += n_bytes
            is_agent = process.cmdline()[1:3] == ["-I", "-c"] and process.cwd() == str(folder)
            own += n_bytes if is_agent else 0
    return total, own
