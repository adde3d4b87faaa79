"""A host that has stayed behind, as agents and editors find it, and what each leaves there."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent
from tests.e2e.warm_hosts import Hosts, wait_for_end
from tests.langserver.toybox import ended_in

GUARDED = {**toy_profile("well_behaved"), "executes_workspace_code": True}
BAD = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD patch\n"


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


async def code_of(shell: Shell, *options: str) -> int:
    return (await asyncio.to_thread(shell, "check", "-", *options, stdin=PATCH)).code


async def test_an_agent_finds_the_servers_of_a_check(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    assert await code_of(shell) == 1
    host = hosts.only()
    servers = hosts.servers_of(host, folder)
    async with open_agent(state, cwd=folder) as agent:
        text = await agent.call("understudy_lint", edits=[BAD])
        assert text.startswith("findings: 1 introduced")
        assert hosts.servers_of(host, folder) == servers
        listed = await asyncio.to_thread(shell, "branches", "list")
        assert listed.out.endswith("  a.txt\n")
    assert hosts.only() == host


def test_a_hook_finds_the_servers_of_a_check(folder: Path, shell: Shell, hosts: Hosts) -> None:
    assert shell("check", "-", stdin=PATCH).code == 1
    host = hosts.only()
    servers = hosts.servers_of(host, folder)

    def told(event: str, **more: object) -> str:
        said = {"session_id": "s", "cwd": str(folder), "hook_event_name": event, **more}
        hook = ("check", "--format", "hook", "--agent", "claude")
        done = shell(*hook, stdin=json.dumps(said))
        assert (done.code, done.err) == (0, "")
        return done.out

    assert told("UserPromptSubmit", prompt="do it") == ""
    (folder / "a.txt").write_text("BAD one\n")
    edited = {"file_path": str(folder / "a.txt")}
    assert "a.txt:1:1: error" in told("PostToolUse", tool_input=edited)
    assert "findings: 1 introduced" in told("Stop")
    assert hosts.only() == host
    assert hosts.servers_of(host, folder) == servers
    if sys.platform == "linux":  # where memory runs short, what stayed behind goes first
        for pid in (host.pid, *servers):
            assert Path(f"/proc/{pid}/oom_score_adj").read_text("ascii").strip() == "500"


async def test_an_agent_leaves_its_servers_to_the_next(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    async with open_agent(state, cwd=folder) as agent:
        assert (await agent.call("understudy_lint", edits=[BAD])).startswith("findings")
        host = hosts.only()
        assert host.ppid() != agent.process.pid
        servers = hosts.servers_of(host, folder)
    async with open_agent(state, cwd=folder) as agent:
        assert (await agent.call("understudy_lint", edits=[BAD])).startswith("findings")
    assert await code_of(shell) == 1
    assert hosts.only() == host
    assert hosts.servers_of(host, folder) == servers


async def test_an_agent_gains_no_trust(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    write_user_settings(state, settings_text({"toy": GUARDED}))
    assert await code_of(shell, "--trust") == 1
    trusting = hosts.only()
    async with open_agent(state, cwd=folder) as agent:
        text = await agent.call("understudy_lint", edits=[BAD])
        assert text.startswith("UNKNOWN")
        assert "untrusted" in text
        assert "untrusted" in await agent.refusal("understudy_run", command=["true"])
    assert trusting in hosts.found()
    assert len(hosts.found()) == 2


async def test_the_host_ends_with_the_editor_that_came_to_it(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    write_user_settings(state, settings_text({"toy": GUARDED}))
    assert await code_of(shell) == 3
    host = hosts.only()
    async with open_editor(folder, state, {"trusted": True}) as editor:
        assert hosts.only() == host
        editor.open("a.txt", "fine\n", "plaintext")
        branch = await editor.branch(BAD)
        assert (await editor.check(branch))["verdict"] == "findings"
        assert len(hosts.servers_of(host, folder)) == 1
        assert await code_of(shell) == 1, "beside an editor, its trust holds"
        assert await editor.shut_down() == 0
        await asyncio.to_thread(wait_for_end, host)
    assert ended_in(folder)
    assert await code_of(shell) == 3, "and it is gone with it"


async def test_a_host_of_other_terms_makes_way(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    other = replace(shell, environ={"GOFLAGS": "-p=1"})
    assert await code_of(other) == 1
    host = hosts.only()
    async with open_editor(folder, state) as editor:
        await asyncio.to_thread(wait_for_end, host)
        assert (await editor.check(await editor.branch(BAD)))["verdict"] == "findings"
    assert await code_of(other) == 1
    host = hosts.only()
    async with open_agent(state, cwd=folder) as agent:
        assert (await agent.call("understudy_lint", edits=[BAD])).startswith("findings")
        await asyncio.to_thread(wait_for_end, host)
        agents = hosts.only()
        assert await code_of(other) == 1
        assert len(hosts.found()) == 2, "what an agent uses stays, and the check has its own"
    assert agents in hosts.found()


async def test_commands_ask_the_host_that_is_there(
    folder: Path, state: Path, shell: Shell, hosts: Hosts
) -> None:
    assert await code_of(shell) == 1
    host = hosts.only()
    done = await asyncio.to_thread(shell, "branches", "list")
    assert done.code == 0, done.err
    assert hosts.only() == host
    other = replace(shell, environ={"GOFLAGS": "-p=1"})
    done = await asyncio.to_thread(other, "branches", "list")
    assert done.code == 0, done.err
    await asyncio.to_thread(wait_for_end, host)
