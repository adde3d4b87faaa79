"""Agents over MCP: the same verbs and laws as everywhere, each with a branch of its own."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import Editor, address_of, connect, open_editor, until
from tests.e2e.mcp_agent import Agent, open_agent
from tests.langserver.toybox import ended_in, toys_in
from tests.support.workspace import state_of
from understudy.faces.answers.agent_text import MAX_BYTES

TOYS = {"toy": toy_profile("well_behaved")}
TRUSTED = {"trusted": True, "settings": {"servers": TOYS}}
N_AGENTS = 8
"""`bench mcp_agents` has 32: starting them takes most of a minute."""


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    return toy_folder(tmp_path / "work", state)


def toy_folder(folder: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOYS))
    return make_folder(folder, {"a.txt": "fine\n", "b.txt": "fine\n"})


def bad(text: str, path: str = "a.txt") -> dict[str, str]:
    return {"kind": "write", "path": path, "text": f"BAD {text}\n"}


def branch_of(text: str) -> str:
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


@pytest.mark.parametrize("sdk", [1, 2])
async def test_both_generations_of_the_sdk(folder: Path, state: Path, sdk: int) -> None:
    before = state_of(folder)
    async with open_agent(state, sdk=sdk, cwd=folder) as agent:
        assert agent.hello["version"] == {1: "2025-11-25", 2: "2026-07-28"}[sdk]
        assert "never a pass" in agent.hello["instructions"]
        names = [tool["name"] for tool in agent.hello["tools"]]
        assert names == [
            "understudy_lint",
            "understudy_run",
            "understudy_context",
            "understudy_code",
        ]
        answer = await agent.answer("understudy_lint", {"edits": [bad("one")]})
        text = answer["text"]
        assert text.startswith("findings: 1 introduced")
        assert answer["meta"]["understudy/verdict"] == "findings"
        assert answer["meta"]["understudy/branch"] == branch_of(text)
        assert "a.txt:1:1: error" in text
        assert re.search(r"\[stamp [0-9a-f]{16}\]", text)
        fact = {"action": "note", "pattern": "a.txt must be good", "path": "a.txt", "lines": [1, 1]}
        assert await agent.call("understudy_context", **fact) == "noted as 1\n"
        assert (await agent.call("understudy_context", action="notes")).splitlines() == [
            "1 notes", "1. a.txt must be good (a.txt:1-1) [an agent]",
        ]  # fmt: skip
        clean = await agent.call(
            "understudy_lint", edits=[{"kind": "write", "path": "a.txt", "text": "good\n"}]
        )
        assert clean.startswith("clean: ")
        assert branch_of(clean) == branch_of(text)
    assert state_of(folder) == before
    assert ended_in(folder)


async def test_the_list_of_tools_is_the_same_everywhere(
    folder: Path, tmp_path: Path, state: Path
) -> None:
    other = make_folder(tmp_path / "elsewhere", {"c.py": "x = 1\n"})
    async with open_agent(state, cwd=folder) as one, open_agent(state, cwd=other) as two:
        assert json.dumps(one.hello["tools"]) == json.dumps(two.hello["tools"])
        for tool in one.hello["tools"]:
            assert tool["description"]
            for name, schema in tool["inputSchema"]["properties"].items():
                assert schema["description"], name


async def test_unknown_cannot_be_read_as_clean(folder: Path, state: Path) -> None:
    write_user_settings(state, settings_text({"toy": toy_profile("answers_null")}))
    async with open_agent(state, cwd=folder) as agent:
        text = await agent.call("understudy_lint", edits=[bad("one")])
        assert text.startswith("UNKNOWN - NOT VERIFIED")
        assert "Do not take this for a pass" in text
        assert not re.search(r"\bclean\b", text)


async def test_nothing_given_is_what_changed_since_the_start(folder: Path, state: Path) -> None:
    async with open_agent(state, cwd=folder) as agent:
        assert (await agent.call("understudy_lint")).startswith("clean: nothing differs")
        (folder / "b.txt").write_text("BAD written by the agent itself\n")
        text = await agent.call("understudy_lint")
        assert text.startswith("findings: 1 introduced")
        assert "b.txt:1:1" in text
        assert "compared with the start of this session" in text
        rehearsed = await agent.call("understudy_lint", edits=[bad("one")])
        assert "b.txt" not in rehearsed


async def test_edits_add_up_until_a_fresh_branch(folder: Path, state: Path) -> None:
    async with open_agent(state, cwd=folder) as agent:
        first = branch_of(await agent.call("understudy_lint", edits=[bad("one")]))
        both = await agent.call("understudy_lint", edits=[bad("two", "b.txt")])
        assert branch_of(both) == first
        assert both.startswith("findings: 2 introduced")
        diff = await agent.call("understudy_context", action="diff")
        assert "+BAD one" in diff
        assert "+BAD two" in diff
        fresh = await agent.call("understudy_lint", edits=[bad("three")], fresh=True)
        assert branch_of(fresh) != first
        assert fresh.startswith("findings: 1 introduced")
        named = await agent.call("understudy_lint", branch=first)
        assert named.startswith("findings: 2 introduced")


async def test_an_agent_sees_what_the_user_has_not_saved(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        editor.open("a.txt", "typed\n", "plaintext")
        await editor.ask("understudy/branch/list")
        async with open_agent(state, cwd=folder) as agent:
            edit = {"kind": "replace", "path": "a.txt", "old": "typed", "new": "BAD typed"}
            text = await agent.call("understudy_lint", edits=[edit])
            assert text.startswith("findings: 1 introduced")
            listed = (await editor.ask("understudy/branch/list"))["branches"]
            assert [one["branch"] for one in listed] == [branch_of(text)]
            assert (await editor.check(branch_of(text)))["verdict"] == "findings"


async def test_an_agent_outlives_the_host_that_it_came_to(
    folder: Path, tmp_path: Path, state: Path
) -> None:
    async with connect(folder, state) as editor:
        assert "result" in await editor.initialize(TRUSTED)
        async with open_agent(state, "--root", str(folder), cwd=tmp_path) as agent:
            branch = branch_of(await agent.call("understudy_lint", edits=[bad("one")]))
            editor.client.process.kill()
            await editor.client.process.wait()
            again = await agent.answer("understudy_lint", {"branch": branch})
            if again["failed"]:  # it was asked before the end had come through
                assert again["text"].startswith("host-ended")
                again = await agent.answer("understudy_lint", {"branch": branch})
            assert again["text"].startswith("findings: 1 introduced")
            async with connect(folder, state) as later:
                assert "result" in await later.initialize(TRUSTED)
                assert (await later.check(branch))["verdict"] == "findings"
                assert await later.shut_down() == 0


async def test_accepting_is_the_users(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    async with open_agent(state, cwd=folder) as agent:
        branch = branch_of(await agent.call("understudy_lint", edits=[bad("one")]))
        for tool in ("accept", "understudy_accept", "branches", "understudy/branch/accept"):
            text = await agent.refusal(tool, branch=branch)
            assert text.startswith("unknown-tool")
        assert (folder / "a.txt").read_text() == "fine\n"
        done = await asyncio.to_thread(shell, "branches", "accept", branch)
        assert (done.code, done.out) == (0, "wrote a.txt\n"), done.err
        after = await agent.call("understudy_lint", edits=[bad("two")])
        assert branch_of(after) != branch


async def test_accept_through_the_door_is_refused(folder: Path, state: Path) -> None:
    async with open_agent(state, cwd=folder) as agent:
        branch = branch_of(await agent.call("understudy_lint", edits=[bad("one")]))
        address = address_of(state)
        reader, writer = await asyncio.open_unix_connection(address["socket"])
        hello = {"token": address["token"], "version": address["version"], "face": "agent"}
        call = json.dumps({"id": 1, "call": "accept", "params": {"branch": branch}}).encode()
        writer.write(json.dumps(hello).encode() + b"\n")
        assert json.loads(await reader.readline()) == {"ok": True}
        writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(call), call))
        length = int((await reader.readline()).split(b":")[1])
        await reader.readline()
        answer = json.loads(await reader.readexactly(length))
        assert answer["error"]["code"] == "not-for-agents"
        writer.close()
    assert (folder / "a.txt").read_text() == "fine\n"


async def test_where_the_folder_comes_from(folder: Path, tmp_path: Path, state: Path) -> None:
    other = make_folder(tmp_path / "elsewhere", {"a.txt": "other\n"})
    edit = [{"kind": "replace", "path": "a.txt", "old": "other", "new": "BAD"}]
    async with open_agent(state, "--root", str(other), cwd=folder, root=folder, sdk=1) as agent:
        assert "findings" in await agent.call("understudy_lint", edits=edit)
    async with open_agent(state, cwd=folder, root=other, sdk=1) as agent:
        assert "findings" in await agent.call("understudy_lint", edits=edit)
    async with open_agent(state, cwd=folder) as agent:
        assert "no-match" in await agent.refusal("understudy_lint", edits=edit)
        for wrong in (str(other), "/", str(tmp_path / "nowhere"), str(folder / "a.txt")):
            assert "root-not-served" in await agent.refusal("understudy_lint", root=wrong)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("understudy_lint", {"edits": [{"kind": "write"}]}, "missing-field"),
        ("understudy_lint", {"edits": "all"}, "bad-params"),
        ("understudy_lint", {"colour": "red"}, "bad-params"),
        ("understudy_lint", {"edits": [bad("x", "../out.txt")]}, "outside-root"),
        ("understudy_lint", {"branch": "b99"}, "unknown-branch"),
        ("understudy_lint", {"diff": "no diff"}, "not-a-diff"),
        ("understudy_lint", {"diff": "x", "edits": [bad("x")]}, "bad-params"),
        ("understudy_lint", {"servers": ["nobody"]}, "unknown-server"),
        ("understudy_lint", {"timeout": -1}, "bad-timeout"),
        ("understudy_lint", {"root": 5}, "bad-params"),
        ("understudy_run", {"command": ["true"]}, "untrusted"),
        ("understudy_run", {}, "bad-params"),
        ("understudy_context", {"action": "accept"}, "bad-params"),
        ("understudy_context", {"action": "diff"}, "no-branch"),
        ("understudy_context", {"action": "read"}, "bad-params"),
        ("understudy_context", {"action": "read", "path": "runs/1.log"}, "no-such-file"),
        ("understudy_context", {"action": "read", "path": "host.json"}, "not-kept"),
        ("understudy_context", {"action": "read", "path": "runs/../host.json"}, "not-kept"),
        ("understudy_context", {"action": "read", "path": "/etc/passwd"}, "not-kept"),
        ("understudy_context", {"action": "read", "path": "runs/\0"}, "no-such-file"),
        ("understudy_context", {"action": "grep", "path": "runs/1", "pattern": "("}, "bad-pattern"),
        ("understudy_context", {"action": "outline", "path": "none.py"}, "no-such-file"),
        ("understudy_code", {"action": "outline", "path": "none.py"}, "no-such-file"),
        ("understudy_code", {"action": "source"}, "bad-params"),
        ("understudy_code", {"action": "diff"}, "bad-params"),
        ("understudy_code", {"action": "affected", "diff": "nonsense"}, "not-a-diff"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_wrong_input_has_a_name(
    refused: tuple[Agent, Path], tool: str, arguments: dict[str, object], code: str
) -> None:
    agent, folder = refused
    before = state_of(folder)
    assert (await agent.refusal(tool, **arguments)).startswith(f"{code}: ")
    assert state_of(folder) == before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refused(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Agent, Path]]:
    """One agent for all that is refused: nothing of it may count for the next call."""
    place = tmp_path_factory.mktemp("refused")
    folder = toy_folder(place / "work", place / "state")
    async with open_agent(place / "state", cwd=folder) as agent:
        yield agent, folder


async def test_a_run_and_its_receipt(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    assert (await asyncio.to_thread(shell, "trust")).code == 0
    script = "cat a.txt; seq 1 20000; echo the end >&2; exit 3"
    async with open_agent(state, cwd=folder) as agent:
        await agent.call("understudy_lint", edits=[bad("one")])
        text = await agent.call("understudy_run", command=["sh", "-c", script])
        assert text.startswith("exit 3; ")
        assert "BAD one" in text
        assert "the end" in text
        assert len(text.encode()) <= MAX_BYTES
        (path,) = re.findall(r'"path": "(runs/\d+\.log)"', text)
        tail = await agent.call("understudy_context", action="tail", path=path, count=2)
        assert "20001: 20000\n" in tail
        some = await agent.call("understudy_context", action="read", path=path, lines=[2, 3])
        assert some.splitlines()[1:] == ["2: 1", "3: 2"]
        found = await agent.call("understudy_context", action="grep", path=path, pattern="^1999.$")
        assert found.splitlines()[0].endswith("; 10 match, 10 shown")
        endless = await agent.call("understudy_context", action="grep", path=path, pattern="0")
        assert "match, 40 shown" in endless
    assert (folder / "a.txt").read_text() == "fine\n"


async def test_what_is_in_the_store(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    data = "".join(f"line {n}\n" for n in range(1, 5001))
    put = (
        await asyncio.to_thread(shell, "context", "put", "-", "--format", "json", stdin=data)
    ).json
    async with open_agent(state, cwd=folder) as agent:
        read = await agent.call("understudy_context", action="read", path=put["path"])
        assert read.startswith(f"{put['path']}: {len(data)} bytes in 5000 lines; 5000 asked for, ")
        assert len(read.encode()) <= MAX_BYTES
        tail = await agent.call("understudy_context", action="tail", path=put["path"], count=1)
        assert tail.endswith("line 5000\n")
        found = await agent.call(
            "understudy_context", action="grep", path=put["path"], pattern="^line 4[0-9]$"
        )
        assert found.count("\n") == 11
        for path in ("tool/none-0000.txt", "tool/../../host.json"):
            await agent.refusal("understudy_context", action="read", path=path)


async def test_a_pattern_that_never_ends(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    assert (await asyncio.to_thread(shell, "trust")).code == 0
    async with open_agent(state, cwd=folder) as agent:
        await agent.call("understudy_run", command=["sh", "-c", "printf %0100d 0; echo x"])
        stuck = agent.pending(
            "understudy_context", {"action": "grep", "path": "runs/1.log", "pattern": "(0+)+$"}
        )[1]
        assert (await agent.call("understudy_lint")).startswith("clean: ")
        answer = await asyncio.wait_for(stuck, 90)
        assert (answer["failed"], answer["text"][:13]) == (True, "work-too-long")


async def test_an_answer_is_never_too_long(folder: Path, state: Path) -> None:
    text = "".join(f"BAD {n} {'x' * 200}\n" for n in range(150))
    async with open_agent(state, cwd=folder) as agent:
        edit = {"kind": "write", "path": "a.txt", "text": text}
        answer = await agent.call("understudy_lint", edits=[edit])
        assert answer.startswith("findings: 150 introduced")
        assert len(answer.encode()) <= MAX_BYTES
        shown = answer.count(": error ")
        (left,) = re.findall(r"\[(\d+) more lines are left out here\]\n$", answer)
        assert shown > 0
        assert int(left) > 0
        again = await agent.call("understudy_lint", edits=[edit], fresh=True)
        assert again.replace("branch b2 ", "branch b1 ") == answer


async def test_a_call_that_is_cancelled_frees_its_server(folder: Path, state: Path) -> None:
    write_user_settings(state, settings_text({"toy": toy_profile("never_answers")}))
    async with (
        open_editor(folder, state, {"trusted": True}) as editor,
        open_agent(state, cwd=folder) as agent,
    ):
        number, _ = agent.pending("understudy_lint", {"edits": [bad("x")], "timeout": 600})
        await server_is(editor, "busy")
        agent.send({"cancel": number})
        await server_is(editor, "idle", "stopped")
        agent.pending("understudy_lint", {"edits": [bad("y")], "timeout": 600})
        await server_is(editor, "busy")
        agent.process.kill()
        await agent.process.wait()
        await server_is(editor, "idle", "stopped")


async def server_is(editor: Editor, *states: str) -> None:
    await until(editor, lambda server: server["state"] in states)


async def test_many_agents_on_one_folder(tmp_path: Path, state: Path) -> None:
    """Each gets an answer about its own branch, from as many language servers as one has."""
    write_user_settings(state, settings_text(TOYS))
    files = {f"f{n}.txt": "fine\n" for n in range(N_AGENTS)} | {"shared.txt": "fine\n"}
    folder = make_folder(tmp_path / "work", files)
    async with open_editor(folder, state, TRUSTED) as editor:
        mine = await editor.branch(bad("of the editor", "shared.txt"))
        assert (await editor.check(mine))["verdict"] == "findings"
        n_servers = len(toys_in(folder))
        arguments = ("--root", str(folder))
        agents = [open_agent(state, *arguments, cwd=tmp_path) for _ in range(N_AGENTS)]
        opened: list[Agent] = []
        try:
            for start in range(0, N_AGENTS, 4):  # starting is the harness' cost
                batch = agents[start : start + 4]
                opened += await asyncio.gather(*(one.__aenter__() for one in batch))
            for turn in range(3):
                await asyncio.gather(*(rehearse(one, n, turn) for n, one in enumerate(opened)))
                assert len(toys_in(folder)) <= n_servers
            listed = (await editor.ask("understudy/branch/list"))["branches"]
            assert len(listed) == N_AGENTS + 1
        finally:
            await asyncio.gather(
                *(one.__aexit__(None, None, None) for one in agents[: len(opened)])
            )


async def rehearse(agent: Agent, number: int, turn: int) -> None:
    """Edit a shared and an own file; every finding must be this agent's, of this turn."""
    marker = f"agent {number} turn {turn}"
    edits = [bad(marker, "shared.txt"), bad(marker, f"f{number}.txt")]
    text = await agent.call("understudy_lint", edits=edits)
    assert text.startswith("findings: 2 introduced"), text
    told = re.findall(r"^  (\S+):1:1: error .*?BAD (agent \d+ turn \d+)", text, re.MULTILINE)
    assert sorted(told) == sorted([(f"f{number}.txt", marker), ("shared.txt", marker)]), text


async def test_an_agent_ranks_candidates(folder: Path, state: Path) -> None:
    before = state_of(folder)
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-fine\n+{}\n"
    async with open_agent(state, cwd=folder) as agent:
        kept = branch_of(await agent.call("understudy_lint", edits=[bad("one")]))
        candidates = [diff.format("BAD two"), diff.format("well"), kept, diff.format("well")]
        text = await agent.call("understudy_lint", candidates=candidates)
        assert text.splitlines()[0] == "best: candidate 2 (clean)"
        assert "same text as candidate 2" in text
        assert len(text.encode()) <= MAX_BYTES
        refused = await agent.refusal("understudy_lint", candidates=[kept], diff="x")
        assert "bad-params" in refused
    assert state_of(folder) == before
