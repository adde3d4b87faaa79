"""What an agent that lives in a branch is told from inside, by every way that it may ask."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.branch_client import APPLIES, Buffers
from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import connect
from tests.e2e.mcp_agent import open_agent
from tests.e2e.warm_hosts import Hosts
from tests.support.branch_way import BranchWay, Json, open_way
from tests.support.workspace import state_of
from understudy.values.started_by import BRANCH_SOCKET

BROKEN: Json = {"kind": "replace", "path": "main.py", "old": "late_fee(", "new": "later_fee("}
MORE: Json = {"kind": "replace", "path": "main.py", "old": "invoice_text(", "new": "invoice_txt("}
MENDED: Json = {"kind": "replace", "path": "main.py", "old": "later_fee(", "new": "late_fee("}


@pytest.fixture
def hosts(state: Path) -> Iterator[Hosts]:
    hosts = Hosts(state)
    yield hosts
    hosts.end()


class Inside:
    """Runs commands as an agent in the branch does."""

    def __init__(self, shell: Shell, way: BranchWay) -> None:
        self._shell = replace(shell, environ={BRANCH_SOCKET: str(way.socket.path)})

    async def __call__(self, *arguments: str, stdin: str = "") -> Any:
        return await asyncio.to_thread(self._shell, *arguments, stdin=stdin)

    async def hook(self, event: str, **more: Any) -> str:
        told = {"session_id": "s", "cwd": str(self._shell.folder), "hook_event_name": event, **more}
        name = "claude"
        done = await self("check", "--format", "hook", "--agent", name, stdin=json.dumps(told))
        assert (done.code, done.err) == (0, "")
        if not done.out:
            return ""
        answer = json.loads(done.out)
        assert "hookSpecificOutput" in answer, answer
        return answer["hookSpecificOutput"]["additionalContext"]


async def test_every_way_speaks_of_the_branch_by_itself(
    demo: Path, shell: Shell, state: Path, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state_of(demo)
    async with open_way(demo, state, monkeypatch, BROKEN, rounds=2) as way:
        inside = Inside(shell, way)
        # The command line.
        done = await inside("check", "--format", "json")
        found = {(one["path"], one["message"]) for one in done.json["introduced"]}
        assert (done.code, ("main.py", '"later_fee" is not defined') in found) == (1, True), found
        assert way.settled == 1, "what was written last counts"
        told = await inside("check", "--edits", _file(state, [MORE]))
        assert '"invoice_txt" is not defined' in told.out
        assert "later_fee" not in told.out, "over the branch as it is, this is nothing new"
        assert (await inside("check", "--edits", _file(state, [MENDED]))).code == 0
        asked = await inside("code", "references", "invoice_text", "--format", "json")
        assert {one["path"] for one in asked.json["hits"]} >= {"main.py"}
        assert "later_fee" in (await inside("branches", "diff", way.branch)).out
        told = (await inside("code", "affected")).out
        assert told.startswith("  0  main.py  edited")
        for refused in (
            ("branches", "accept", way.branch),
            ("branches", "list"),
            ("trust",),
            ("check", "--trust"),
            ("check", "--base", "HEAD"),
            ("run", "--", "true"),
            ("code", "rename", "main.py::main", "other"),
        ):
            done = await inside(*refused)
            assert (done.code, "not-in-a-rehearsal" in done.err) in ((2, True), (125, True)), done
        done = await inside("check", "--branch", "b1")
        assert (done.code, "other-branch" in done.err) == (2, True)
        # The hooks of an agent.
        assert await inside.hook("UserPromptSubmit", prompt="do it") == ""
        path = str(demo / "main.py")
        told = await inside.hook("PostToolUse", tool_input={"file_path": path})
        assert "main.py:" in told
        told = await inside.hook("Stop")
        assert told.startswith("[understudy] findings: ")
        assert "compared with what this branch began from\n" in told
        assert await inside.hook("Stop") == "", "the same is not told twice"
        await way.edit(MORE)
        assert "invoice_txt" in await inside.hook("Stop")
        await way.edit({"kind": "write", "path": "new.py", "text": "print(nothing)\n"})
        assert await inside.hook("Stop") == "", "two rounds are enough"
        await inside.hook("UserPromptSubmit", prompt="go on")
        assert "2 files judged" in await inside.hook("Stop")
        monkeypatch.setenv(BRANCH_SOCKET, str(way.socket.path))
        await _tools(way, state, demo)
        await _editor(way, state, demo, hosts)
    assert state_of(demo) == before


async def _tools(way: BranchWay, state: Path, demo: Path) -> None:
    """An agent's tools over MCP."""
    async with open_agent(state, cwd=demo) as agent:
        listed = agent.hello["tools"]
        assert [tool["name"] for tool in listed] == ["understudy_lint", "understudy_code"]
        told = await agent.call("understudy_lint")
        assert "later_fee" in told
        assert "compared with what this branch began from\n" in told
        told = await agent.call("understudy_lint", edits=[MENDED])
        assert told.startswith("clean"), told
        assert "compared with this branch as it is\n" in told
        assert "new.py" in await agent.call("understudy_code", action="affected")
        refusal = await agent.refusal("understudy_lint", branch="b1")
        assert refusal.startswith("other-branch: ")
        refusal = await agent.refusal("understudy_run", command=["true"])
        assert refusal.startswith("not-in-a-rehearsal: ")


async def _editor(way: BranchWay, state: Path, demo: Path, hosts: Hosts) -> None:
    """A client of LSP: its buffers lie over the branch, which none of its typing edits."""
    text = (demo / "main.py").read_text().replace("late_fee(", "later_fee(")
    async with connect(demo, state) as editor:
        await editor.initialize(abilities=APPLIES, documents={"diagnostic": {}})
        client = Buffers(editor)
        client.open("main.py", text.replace("invoice_text(", "invoice_txt("))
        found = {one["message"] for one in await client.pull("main.py")}
        assert {'"later_fee" is not defined', '"invoice_txt" is not defined'} <= found
        client.type("main.py", "later_fee(", "late_fee(")
        found = {one["message"] for one in await client.pull("main.py")}
        assert '"later_fee" is not defined' not in found
        diff = await way.user.call("diff", {"branch": way.branch})
        assert "later_fee" in diff["diff"], "what is typed is not the branch's until it is saved"
        hosts.end()  # killed as by an upgrade
        refusal = await client.response("textDocument/hover", client.place("main.py", "invoice_"))
        assert refusal["error"]["data"]["code"] == "host-ended"
    assert (await way.ask("check"))["result"]["verdict"] == "findings", "the next host goes on"


def _file(state: Path, edits: list[Json]) -> str:
    path = state / "edits.json"
    path.write_text(json.dumps(edits))
    return str(path)


async def test_verdicts_that_are_switched_off_are_so_inside(
    tmp_path: Path, state: Path, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_user_settings(
        state, 'agents_may = ["navigation"]\n' + settings_text({"toy": toy_profile("well_behaved")})
    )
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    bad = {"kind": "write", "path": "a.txt", "text": "BAD\n"}
    async with open_way(folder, state, monkeypatch, bad) as way:
        for call, params in (
            ("lint", {}),
            ("check", {}),
            ("report", {"edits": [bad]}),
            ("turn", {"session": "s", "moment": "edit", "path": "a.txt"}),
            ("turn", {"session": "s", "moment": "end"}),
        ):
            answer = await way.ask(call, params)
            assert answer.get("error", {}).get("code") == "switched-off", (call, answer)
        prompt = await way.ask("turn", {"session": "s", "moment": "prompt", "prompt": "do it"})
        assert prompt["result"] == {"text": ""}
        mine = await way.user.call("check", {"branch": way.branch})
        assert mine["verdict"] == "findings", "the user asks as ever"


async def test_what_a_branch_is_compared_with_is_called_the_same_by_every_call(
    tmp_path: Path, state: Path, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    worse = [{"kind": "write", "path": "a.txt", "text": "BAD\nBAD more\n"}]
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n BAD\n+BAD more\n"
    bad = {"kind": "write", "path": "a.txt", "text": "BAD\n"}
    async with open_way(folder, state, monkeypatch, bad) as way:
        for more, patch, compared, subject in (
            ({}, {}, "what this branch began from", way.branch),
            ({"edits": worse}, {"diff": diff}, "this branch as it is", "edits"),
        ):
            calls = {
                "lint": more,
                "report": {**more, "trace": True},
                "check": {**more, "trace": True, "format": "hook"},
                "code": {"action": "affected", **patch},
            }
            for call, params in calls.items():
                told = (await way.ask(call, params))["result"]
                text = told["text"]
                if call == "check":
                    text = json.loads(text)["additionalContext"]
                assert f"compared with {compared}\n" in text, (call, text)
                if "trace" in params:
                    assert told["trace"]["subject"] == subject, call
        told = await way.user.call("report", {"branch": way.branch, "edits": worse, "trace": True})
        assert f"compared with {way.branch} as it is\n" in told["text"]
        assert told["trace"]["subject"] == "edits"
        traces = (await way.user.call("understudy/traces", {}))["traces"]
        assert [one["subject"] for one in traces] == ["edits", way.branch]
