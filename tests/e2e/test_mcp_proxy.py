"""Tools of other MCP servers through every face: the same files, consent and calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import connect, open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.tool_servers import HttpToy, toy
from tests.support.workspace import state_of

TRUSTED = {"trusted": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_folder(tmp_path / "work", {"a.txt": "fine\n"})
    define(made, good=toy("well_behaved"))
    return made


@pytest.fixture
def http(tmp_path: Path) -> Iterator[HttpToy]:
    server = HttpToy(tmp_path)
    yield server
    server.end()


def define(folder: Path, **servers: object) -> None:
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))


def allowed(folder: Path, state: Path) -> Shell:
    shell = Shell(folder, state)
    assert shell("trust").code == 0
    assert shell("context", "mcp", "allow", "good").code == 0
    return shell


def test_the_command_line(folder: Path, state: Path) -> None:
    before = state_of(folder)
    shell = Shell(folder, state)
    first = shell("context", "mcp", "list")
    assert first.code == 0
    assert first.out.startswith("good: needs-trust: the folder is not trusted")
    assert "mcp_well_behaved.py" in first.out
    assert shell("trust").code == 0
    assert "not allowed yet" in shell("context", "mcp", "sync").out
    refused = shell("context", "mcp", "call", "good/say")
    assert (refused.code, refused.out) == (2, "")
    assert "disabled: good: it is not allowed yet" in refused.err
    assert shell("context", "mcp", "allow", "good").out.startswith("good: starting")
    assert shell("context", "mcp", "sync").out.startswith("good: ready (7 tools)\n")
    found = shell("context", "mcp", "list", "--format", "json").json
    assert [one["tools"] for one in found["servers"]] == [7]
    said = shell("context", "mcp", "call", "good/say", '{"text": "hello"}')
    assert said.code == 0
    assert said.out.startswith("good/say answered; 5 bytes, kept in tool/good-say-")
    assert said.out.endswith("\nhello\n")
    assert shell("context", "mcp", "call", "good/fail").code == 1
    index = shell("context", "get", "mcp/INDEX.md").out
    assert "good: a/b fail image long say wait where" in index
    assert "mcp/good/tools/say.json:1" in shell("context", "search", "say", "--kind", "mcp").out
    assert shell("context", "mcp", "allow", "--no", "good").out.startswith("good: disabled")
    assert state_of(folder) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("call", "good/say", "{"), "bad-params: JSON: not JSON"),
        (("call", "good/say", "[]"), "expected a JSON object"),
        (("call", "say"), "expected SERVER/TOOL"),
        (("call", "good/sayy"), "unknown-tool: good/sayy: it has: say"),
        (("sync", "nobody"), "unknown-server: nobody: there are: good"),
        (("allow", "nobody"), "unknown-server: nobody"),
        (("call", "good/say", "{}", "--timeout", "-1"), "bad-params: timeout"),
    ],
)
def test_wrong_input_on_the_command_line(
    folder: Path, state: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = allowed(folder, state)("context", "mcp", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


async def test_an_agent_needs_no_definitions(folder: Path, state: Path) -> None:
    before = state_of(folder)
    await asyncio.to_thread(allowed, folder, state)
    async with open_agent(state, cwd=folder) as agent:
        said = await agent.call(
            "understudy_context", action="call", tool="good/say", arguments={"text": "hello"}
        )
        assert said.splitlines()[-1] == "hello"
        index = await agent.call("understudy_context", action="read", path="mcp/INDEX.md")
        assert "good: a/b fail" in index
        definition = await agent.call(
            "understudy_context", action="read", path="mcp/good/tools/say.json"
        )
        assert '"inputSchema"' in definition
        found = await agent.call("understudy_context", action="search", pattern="where does it")
        assert "mcp/good/tools/where.json:1:" in found
        long = await agent.call("understudy_context", action="call", tool="good/long")
        path = long.partition("the whole is in ")[2].split()[0]
        tail = await agent.call("understudy_context", action="tail", path=path, count=1)
        assert tail.splitlines()[-1].endswith("line 20000")
        wrong = await agent.call("understudy_context", action="call", tool="good/fail")
        assert wrong.startswith("good/fail FAILED")
    assert state_of(folder) == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"action": "call"}, "bad-params"),
        ({"action": "call", "tool": "good/say"}, "needs-trust"),
        ({"action": "call", "tool": "none/say"}, "unknown-server"),
        ({"action": "call", "tool": "good/say", "arguments": []}, "bad-params"),
        ({"action": "allow", "tool": "good/say"}, "bad-params"),
        ({"action": "search"}, "bad-params"),
        ({"action": "search", "pattern": "?!"}, "empty-question"),
        ({"action": "search", "pattern": "x", "count": 0}, "bad-params"),
    ],
)
async def test_what_an_agent_may_not(
    folder: Path, state: Path, arguments: dict[str, object], code: str
) -> None:
    async with open_agent(state, cwd=folder) as agent:
        assert (await agent.refusal("understudy_context", **arguments)).startswith(f"{code}: ")


async def test_the_editor_is_told_of_a_login(folder: Path, state: Path, http: HttpToy) -> None:
    define(folder, web={"url": http.url})
    async with open_editor(folder, state, TRUSTED) as editor:
        servers = (await editor.ask("understudy/context/mcp/list"))["servers"]
        assert [(one["name"], one["status"]) for one in servers] == [("web", "disabled")]
        refusal = await editor.refusal("understudy/context/mcp/call", {"tool": "web/say"})
        assert refusal["data"]["code"] == "disabled"
        await editor.ask("understudy/context/mcp/allow", {"servers": ["web"]})
        await status_is(editor, "ready")  # in the background
        params = {"tool": "web/say", "arguments": {"text": "hi"}}
        answer = await editor.ask("understudy/context/mcp/call", params)
        assert (answer["failed"], answer["text"].splitlines()[-1]) == (False, "hi")
        http.answer_with(401)
        told = len(notices(editor))
        refusal = await editor.refusal("understudy/context/mcp/call", params)
        assert refusal["data"]["code"] == "needs-auth"
        await editor.recorder.wait_for(lambda _: len(notices(editor)) > told)
        await status_is(editor, "needs-auth")
        http.answer_with(200)
        await editor.ask("understudy/context/mcp/sync")
        await status_is(editor, "ready")


async def test_only_the_user_allows(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED), connect(folder, state) as other:
        assert "result" in await other.initialize({})
        refusal = await other.refusal("understudy/context/mcp/allow", {"servers": ["good"]})
        assert refusal["data"]["code"] == "not-for-agents"
        assert await other.shut_down() == 0


def notices(editor: Any) -> list[Any]:
    unasked = editor.recorder.unasked()
    return [one for one in unasked if one["method"] == "understudy/mcpChanged"]


async def status_is(editor: Any, status: str) -> None:
    async def look() -> None:
        found = ""
        while found != status:
            (server,) = (await editor.ask("understudy/context/mcp/list"))["servers"]
            found = server["status"]

    await asyncio.wait_for(look(), 60)
