"""50 checks beside an editor and over MCP on a machine that is busy with other things.

Both have the same host and start with nothing running, so the language servers' start is part of
it. The other programs do nothing but compute, each in a session of its own.
"""

from __future__ import annotations

import asyncio
import time

from bench.lsp_client import LspClient, lsp_client
from bench.marks import marked, message_markers
from bench.report import Figure, Setup, spread
from tests.e2e.mcp_agent import Agent, open_agent
from tests.support.burners import burners
from tests.support.projects import project

N_BUSY = 8
N_OF_EACH = 25
LIMIT_S = 60
SERVER = "basedpyright"


async def run(setup: Setup) -> list[Figure]:
    """How many were answered in time, and how long that took."""
    sample = project("python")
    root = sample.write(setup.folder / "project")
    state = setup.folder / "state"
    path, text = sample.sources[0], sample.files[sample.sources[0]]
    async with lsp_client(root, state / "understudy") as editor:
        branches = [await editor.branch(f"branch {number}") for number in range(N_OF_EACH)]
        async with open_agent(state, "--root", str(root), cwd=root) as agent:
            with burners(N_BUSY):
                checks = [
                    _beside(editor, branch, path, *marked("python", text, f"editor_{number}"))
                    for number, branch in enumerate(branches)
                ]
                calls = [
                    _over_mcp(agent, path, *marked("python", text, f"agent_{number}"))
                    for number in range(N_OF_EACH)
                ]
                told = await asyncio.gather(*checks, *calls)
    answered = [elapsed for elapsed, reason in told if reason is None and elapsed <= LIMIT_S]
    reasons = [reason for _, reason in told if reason is not None]
    return [
        Figure(
            "busy_checks", f"of {len(told)} checks beside {N_BUSY} busy programs, answered",
            f"{len(answered)} in {LIMIT_S} s", bar=f"{len(told)}", ok=len(answered) == len(told),
            data={"taken_s": spread([elapsed for elapsed, _ in told]), "reasons": reasons},
        ),
    ]  # fmt: skip


async def _beside(
    editor: LspClient, branch: str, path: str, text: str, marker: str
) -> tuple[float, str | None]:
    """How long the editor's check took, and why it gave no answer."""
    began = time.perf_counter()
    await editor.edit(branch, [{"kind": "write", "path": path, "text": text}])
    asked = {"branch": branch, "servers": [SERVER], "scope": "edited", "timeout": LIMIT_S}
    report = await editor.request("understudy/branch/check", asked)
    found = message_markers(finding["message"] for finding in report["introduced"])
    answered = report["verdict"] == "findings" and found == [marker]
    return time.perf_counter() - began, None if answered else str(report["files"])


async def _over_mcp(agent: Agent, path: str, text: str, marker: str) -> tuple[float, str | None]:
    """The same of an agent's call."""
    began = time.perf_counter()
    edit = {"kind": "write", "path": path, "text": text}
    said = await agent.answer(
        "understudy_lint", {"edits": [edit], "scope": "edited", "timeout": LIMIT_S}
    )
    answered = said["text"].startswith("findings: ") and marker in said["text"]
    return time.perf_counter() - began, None if answered else said["text"]
