"""32 agents over MCP on one folder, each with a branch of its own: no wrong or foreign answer, and
no more language servers than one agent has.

Each round every agent's edit uses a name of its own that nothing defines; its answer must name
that one and no other.
"""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from contextlib import AsyncExitStack
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, spread
from tests.e2e.mcp_agent import Agent, open_agent
from tests.langserver.toybox import running_in
from tests.support.projects import project

N_AGENTS, N_ROUNDS, N_AT_ONCE = 32, 3, 4
_MARKER = re.compile(r"undefined_agent_\d+_\d+")


async def run(setup: Setup) -> list[Figure]:
    """The answers of 32 agents, beside one alone, by the servers of a Python project."""
    user = project("python").write(setup.folder / "project")
    path = project("python").sources[0]
    text = project("python").files[path]
    async with AsyncExitStack() as stack:
        first = await _open(stack, setup.folder, user)
        alone: list[float] = []
        for turn in range(N_ROUNDS):
            wrong, elapsed = await _rehearse(first, path, text, 0, turn)
            assert not wrong, wrong
            alone.append(elapsed)
        n_servers = len(running_in(user))
        agents = [first]
        while len(agents) < N_AGENTS:
            n_more = min(N_AT_ONCE, N_AGENTS - len(agents))
            more = (_open(stack, setup.folder, user) for _ in range(n_more))
            agents += await asyncio.gather(*more)
        together: list[float] = []
        wrong_answers: list[str] = []
        most = n_servers
        for turn in range(N_ROUNDS):
            asked = (
                _rehearse(agent, path, text, number, N_ROUNDS + turn)
                for number, agent in enumerate(agents)
            )
            for wrong, elapsed in await asyncio.gather(*asked):
                together.append(elapsed)
                wrong_answers += wrong
            most = max(most, len(running_in(user)))
    n_answers = N_AGENTS * N_ROUNDS
    return [
        Figure(
            "mcp_agents", "wrong or foreign answers", f"{len(wrong_answers)} of {n_answers}",
            bar="0", ok=not wrong_answers, data={"wrong": wrong_answers[:10]},
        ),
        Figure(
            "mcp_agents", "language servers", f"{most}", f"{n_servers}, one agent",
            most / max(n_servers, 1), "<= 1", most <= n_servers,
        ),
        Figure(
            "mcp_agents", "an answer, 32 at once", milliseconds(statistics.median(together)),
            f"{milliseconds(statistics.median(alone))}, one agent",
            statistics.median(together) / statistics.median(alone),
            data={"together_s": spread(together), "alone_s": spread(alone)},
        ),
    ]  # fmt: skip


async def _open(stack: AsyncExitStack, folder: Path, user: Path) -> Agent:
    agent = open_agent(folder / "state", "--root", str(user), cwd=folder)
    return await stack.enter_async_context(agent)


async def _rehearse(
    agent: Agent, path: str, text: str, number: int, turn: int
) -> tuple[list[str], float]:
    """One new edit and its answer; the answer, if it is not about this edit alone."""
    marker = f"undefined_agent_{number}_{turn}"
    edit = {"kind": "write", "path": path, "text": f"{text}\n\nat_{marker} = {marker}\n"}
    began = time.perf_counter()
    answer = await agent.call("understudy_lint", edits=[edit], scope="edited", timeout=80)
    elapsed = time.perf_counter() - began
    body = "\n".join(line for line in answer.splitlines() if ": error " in line)
    told = set(_MARKER.findall(body))
    return ([] if told == {marker} and answer.startswith("findings: ") else [answer]), elapsed
