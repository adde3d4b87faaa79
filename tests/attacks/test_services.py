"""A service of an agent tries to stay when its agent is gone, though the host lives on."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.stages.field import processes_with, until

TOYS = {"toy": toy_profile("well_behaved")}
STAYS = (
    "import os, signal, subprocess, sys, time\n"
    "for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):\n"
    "    signal.signal(number, signal.SIG_IGN)\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        time.sleep(1000)\n"
    "print('up', flush=True)\n"
    "time.sleep(1000)\n"
)


async def test_a_service_ends_with_an_agent_that_is_killed(tmp_path: Path) -> None:
    state = tmp_path / "state"
    write_user_settings(state, settings_text(TOYS))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    mark = f"{tmp_path}/stays"
    settings = {"trusted": True, "settings": {"servers": TOYS}}
    async with open_editor(folder, state, settings) as editor:
        async with open_agent(state, cwd=folder) as agent, open_agent(state, cwd=folder) as other:
            command = ["python3", "-c", STAYS, mark]
            asked = {"command": command, "stage": "web", "until": "up"}
            assert (await agent.call("understudy_run", **asked)).startswith("UP: ")
            await until(lambda: len(processes_with(mark)) == 3, "all of it runs")
            refusal = await other.refusal("understudy_run", command=[], stage="web")
            assert "no-service" in refusal, "another agent's service"
            agent.process.kill()
            await agent.process.wait()
            await until(lambda: not processes_with(mark), "all of the service has ended")
            assert "exit 0" in await other.call("understudy_run", command=["true"], stage="web")
        assert await editor.ask("understudy/branch/list"), "the host lives on"


async def test_a_service_needs_a_trusted_folder(tmp_path: Path) -> None:
    state = tmp_path / "state"
    write_user_settings(state, settings_text(TOYS))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    mark = f"{tmp_path}/untrusted"
    async with open_agent(state, cwd=folder) as agent:
        asked = {"command": ["sh", "-c", f"echo up; sleep 1000 # {mark}"], "stage": "web"}
        assert "untrusted" in await agent.refusal("understudy_run", **asked, until="up")
        network = {**asked, "until": "up", "network": "host"}
        assert "network-not-allowed" in await agent.refusal("understudy_run", **network)
        assert not await asyncio.to_thread(processes_with, mark)
