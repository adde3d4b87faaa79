"""The same question has the same answer, whichever face is asked.

The command line alone and beside an editor, LSP and MCP, all over one folder whose unsaved text is
that of the disk.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Done, Shell
from tests.e2e.folders import make_folder, toy_settings, write_user_settings
from tests.e2e.lsp_client import Editor, open_editor
from tests.e2e.mcp_agent import Agent, open_agent
from tests.support.recorded_shells import RecordedTerminal
from tests.support.repositories import GitRepository
from tests.support.tool_servers import toy

FILES = {
    "a.txt": "fine\n",
    "b.txt": "fine\nBAD old\n",
    "lib.py": "class Shape:\n    def area(self) -> float:\n        return 0.0\n",
    "app.py": "from lib import Shape\n\n\ndef total(one: Shape) -> float:\n    return 0.0\n",
}
EDITS = [
    {"kind": "replace", "path": "a.txt", "old": "fine", "new": "BAD new"},
    {"kind": "write", "path": "c.txt", "text": "made\n"},
]
SKIPPED = 'import unittest\n\n\n@unittest.skip("later")\ndef test_it() -> None: ...\n'
NO_MATCH = [{"kind": "replace", "path": "a.txt", "old": "missing", "new": "x"}]
COMMAND = ("sh", "-c", "cat a.txt; echo made > d.txt; rm b.txt; exit 3")
BUDGET = 1900


@dataclass(frozen=True)
class Faces:
    """All that can be asked at once; the command line finds the editor's host."""

    attached: Shell
    editor: Editor
    agent: Agent

    async def shell(self, *arguments: str) -> Done:
        return await asyncio.to_thread(self.attached, *arguments)

    async def look(self, action: str, **arguments: Any) -> str:
        return await self.agent.call("understudy_context", action=action, **arguments)

    async def read(self, action: str, **arguments: Any) -> str:
        return await self.agent.call("understudy_code", action=action, **arguments)


@pytest.fixture
def alone(tmp_path: Path, state: Path) -> Shell:
    """The command line, where nothing else runs yet."""
    write_user_settings(state, toy_settings("well_behaved"))
    shell = Shell(make_folder(tmp_path / "work", FILES), state)
    assert shell("trust").code == 0
    return shell


@asynccontextmanager
async def others(alone: Shell) -> AsyncIterator[Faces]:
    async with (
        open_editor(alone.folder, alone.state) as editor,
        open_agent(alone.state, cwd=alone.folder) as agent,
    ):
        yield Faces(alone, editor, agent)


def file_of(folder: Path, edits: object) -> str:
    path = folder.parent / "edits.json"
    path.write_text(json.dumps(edits))
    return str(path)


def body(done: Done) -> dict[str, Any]:
    """What a command has printed as JSON, without the schema's number, which it alone has."""
    return {key: value for key, value in done.json.items() if key != "schema"}


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    """A report without how long it took."""
    files = [
        {**file, "servers": [{**one, "ms": 0} for one in file["servers"]]}
        for file in report["files"]
    ]
    return {**report, "files": files, "elapsed_ms": 0}


def as_told_to_agents(text: str, *where: str) -> str:
    """The command line's text of a check, the verdict first, with what agents are told of it."""
    *lines, verdict = text.splitlines()
    return "\n".join([verdict, *where, *lines]) + "\n"


async def test_a_check_of_edits(alone: Shell) -> None:
    ask = ("check", "--edits", file_of(alone.folder, EDITS))
    expected, text = alone(*ask, "--format", "json"), alone(*ask).out
    assert [found["message"] for found in expected.json["introduced"]] == ["BAD new"]
    async with others(alone) as faces:
        beside = await faces.shell(*ask, "--format", "json")
        assert (beside.code, timeless(beside.json)) == (expected.code, timeless(expected.json))
        assert (await faces.shell(*ask)).out == text
        report = await faces.editor.check(await faces.editor.branch(*EDITS))
        assert timeless(report) == timeless(expected.json)
        told = await faces.agent.call("understudy_lint", edits=EDITS)
        holds = "branch b2 holds these edits; the user's files are as they were"
        assert told == as_told_to_agents(text, holds, "compared with the user's text")


async def test_what_an_edit_silences(alone: Shell) -> None:
    edits = [
        {"kind": "replace", "path": "b.txt", "old": "BAD old", "new": "fine"},
        {"kind": "replace", "path": "lib.py", "old": "0.0", "new": "0.0  # type: ignore"},
        {"kind": "write", "path": "test_lib.py", "text": SKIPPED},
    ]
    ask = ("check", "--edits", file_of(alone.folder, edits))
    expected, text = alone(*ask, "--format", "json"), alone(*ask).out
    rows = [(one["path"], one["line"], one["how"]) for one in expected.json["silenced"]]
    assert rows == [("lib.py", 2, "comment"), ("test_lib.py", 3, "skipped-test")]
    assert [found["message"] for found in expected.json["fixed"]] == ["BAD old"]
    assert text.splitlines()[-1].startswith("clean, but 2 silenced: 0 introduced")
    async with others(alone) as faces:
        report = await faces.editor.check(await faces.editor.branch(*edits))
        assert timeless(report) == timeless(expected.json)
        told = await faces.agent.call("understudy_lint", edits=edits)
        assert told.startswith("clean, but 2 silenced: 0 introduced")
        assert "\n  lib.py:3: comment type: ignore\n" in told


async def test_a_check_of_the_working_tree(alone: Shell) -> None:
    GitRepository(alone.folder).commit()
    (alone.folder / "a.txt").write_text("BAD saved\n")
    expected, text = alone("check", "--format", "json"), alone("check")
    assert [found["message"] for found in expected.json["introduced"]] == ["BAD saved"]
    async with others(alone) as faces:
        beside = await faces.shell("check", "--format", "json")
        assert (beside.code, timeless(beside.json)) == (expected.code, timeless(expected.json))
        assert (await faces.shell("check")).err == text.err
        report = await faces.editor.check(None, revision="HEAD")
        assert timeless(report) == timeless(expected.json)
        told = await faces.agent.call("understudy_lint", revision="HEAD")
        assert told == as_told_to_agents(text.out, text.err.strip().removeprefix("understudy: "))


async def test_edits_and_their_diff(alone: Shell) -> None:
    adopt = ("run", "--edits", file_of(alone.folder, EDITS), "--adopt", "--format", "json")
    made = alone(*adopt, "--", "true").json["adopted"]["branch"]
    expected = body(alone("branches", "diff", made, "--format", "json"))
    assert "-fine\n+BAD new\n" in expected["diff"]
    async with others(alone) as faces:
        branches = [
            made,
            (await faces.shell(*adopt, "--", "true")).json["adopted"]["branch"],
            await faces.editor.branch(*EDITS),
        ]
        told = await faces.agent.call("understudy_lint", edits=EDITS)
        branches.append(told.split("branch ")[1].split(" ")[0])
        assert len(set(branches)) == 4
        for branch in branches:
            beside = await faces.shell("branches", "diff", branch, "--format", "json")
            assert body(beside) == expected
            named = {"branch": branch}
            assert await faces.editor.ask("understudy/branch/diff", named) == expected
            text = await faces.look("diff", branch=branch)
            assert text == f"branch {branch}\n{expected['diff']}"


async def test_edits_that_do_not_fit(alone: Shell) -> None:
    ask = ("check", "--edits", file_of(alone.folder, NO_MATCH))
    expected = alone(*ask)
    assert expected.code == 2
    async with others(alone) as faces:
        assert await faces.shell(*ask) == expected
        params = {"branch": await faces.editor.branch(), "edits": NO_MATCH}
        refusal = await faces.editor.refusal("understudy/branch/edit", params)
        told = await faces.agent.refusal("understudy_lint", edits=NO_MATCH)
        code, message = refusal["data"]["code"], refusal["message"]
        assert expected.err == f"understudy: {code}: {message}\n"
        assert expected.err == f"understudy: {told.strip()}\n"


async def test_a_run(alone: Shell) -> None:
    ask = ("run", "--edits", file_of(alone.folder, EDITS))
    expected, text = alone(*ask, "--format", "json", "--", *COMMAND), alone(*ask, "--", *COMMAND)
    assert expected.json["output"]["head"] == "BAD new\n"

    def facts(receipt: dict[str, Any]) -> dict[str, Any]:
        output = {**receipt["output"], "path": Path(receipt["output"]["path"]).parent}
        return {**receipt, "output": output, "elapsed_ms": 0}

    async with others(alone) as faces:
        beside = await faces.shell(*ask, "--format", "json", "--", *COMMAND)
        assert (beside.code, facts(body(beside))) == (expected.code, facts(body(expected)))
        branch = await faces.editor.branch(*EDITS)
        params = {"branch": branch, "command": COMMAND}
        receipt = await faces.editor.ask("understudy/branch/run", params)
        assert facts(receipt) == facts(body(expected))
        told = await faces.agent.call("understudy_run", branch=branch, command=COMMAND)
    lines = [line.removeprefix("understudy: ") for line in text.err.splitlines()]
    first, *rest = told.splitlines()
    assert first.rpartition(": ")[0] == lines[0].rpartition(": ")[0]
    assert rest[: len(lines) - 1] == lines[1:]
    assert rest[-2:] == ["--- output:", "BAD new"]


async def test_outlines_and_maps(alone: Shell) -> None:
    edit = {"kind": "replace", "path": "lib.py", "old": "area", "new": "surface"}
    limit = ("--budget", str(BUDGET), "--format", "json")
    outline, map_of_folder = ("outline", "lib.py", *limit), ("map", *limit)
    (outlined,), mapped = alone(*outline).json["files"], body(alone(*map_of_folder))
    assert "def area" in outlined["text"]
    assert "def area" in mapped["text"]
    async with others(alone) as faces:
        branch = await faces.editor.branch(edit)
        outlines, maps = [outlined], [mapped]
        for at in (None, branch):
            option = () if at is None else ("--branch", at)
            params = {"branch": at, "budget": BUDGET}
            (beside,) = (await faces.shell(*outline, *option)).json["files"]
            asked = await faces.editor.ask("understudy/outline", {**params, "path": "lib.py"})
            outlines += [beside, asked]
            assert await faces.read("outline", path="lib.py", branch=at) == asked["text"]
            mapped = await faces.editor.ask("understudy/map", params)
            maps += [body(await faces.shell(*map_of_folder, *option)), mapped]
            assert await faces.read("map", branch=at) == mapped["text"]
        assert outlines == [outlined] * 3 + [outlines[-1]] * 2
        assert maps == [maps[0]] * 3 + [maps[-1]] * 2
        for now in (outlines[-1], maps[-1]):
            assert "def surface" in now["text"]
    assert alone(*outline, "--branch", branch).json["files"] == [outlines[-1]]
    assert body(alone(*map_of_folder, "--branch", branch)) == maps[-1]


async def test_affected_files(alone: Shell) -> None:
    edit = {"kind": "replace", "path": "lib.py", "old": "Shape", "new": "Form"}
    ask = ("code", "affected", "--edits", file_of(alone.folder, [edit]))
    expected, text = alone(*ask, "--format", "json"), alone(*ask).out
    assert [file["path"] for file in expected.json["files"]] == ["lib.py", "app.py"]
    *lines, counts = text.splitlines()
    async with others(alone) as faces:
        assert await faces.shell(*ask, "--format", "json") == expected
        assert (await faces.shell(*ask)).out == text
        branch = await faces.editor.branch(edit)
        for params in ({"edits": [edit]}, {"branch": branch}):
            assert await faces.editor.ask("understudy/affected", params) == body(expected)
        diff = (await faces.shell("branches", "diff", branch)).out
        for compared, arguments in (
            ("the user's text", {"diff": diff}),
            (f"the user's text without {branch}", {"branch": branch}),
        ):
            told = await faces.read("affected", **arguments)
            assert told.splitlines() == [counts, f"compared with {compared}", *lines]
        await faces.agent.call("understudy_lint", edits=[edit])
        assert (await faces.read("affected")).splitlines()[0] == counts  # of its own branch
        tests = await faces.read("affected", tests=True)
        assert tests.startswith("0 edited, 0 that use them, 0 farther")


async def test_files_that_the_working_tree_can_reach(alone: Shell) -> None:
    GitRepository(alone.folder).commit()
    (alone.folder / "lib.py").write_text("class Shape: ...\n")
    ask = ("code", "affected")
    expected, text = alone(*ask, "--format", "json"), alone(*ask)
    assert [file["path"] for file in expected.json["files"]] == ["lib.py", "app.py"]
    async with others(alone) as faces:
        assert await faces.shell(*ask, "--format", "json") == expected
        assert await faces.shell(*ask) == text
        params = {"revision": "HEAD"}
        assert await faces.editor.ask("understudy/affected", params) == body(expected)


async def test_what_has_changed_since_an_agent_came_can_reach(alone: Shell) -> None:
    async with others(alone) as faces:
        await faces.agent.call("understudy_lint")
        (alone.folder / "lib.py").write_text("class Shape: ...\n")
        first, compared, *files = (await faces.read("affected")).splitlines()
    assert first == "1 edited, 1 that use them, 0 farther"
    assert compared.startswith("compared with ")
    assert [line.split()[1] for line in files] == ["lib.py", "app.py"]


async def test_terminals(alone: Shell) -> None:
    environment = {"UNDERSTUDY_STATE_DIR": str(alone.state / "understudy")}
    script = ["--", "sh", "-c", "echo why it failed; exit 4"]
    RecordedTerminal(script, alone.folder, environment).finish()
    asked = [("list",), ("read", "1"), ("read", "1", "--tail", "1"), ("wait", "1")]
    asked.append(("wait", "1", "--match", "^why"))
    expected = [alone("terminals", *ask, "--format", "json") for ask in asked]
    line = alone("terminals", "list").out.strip()
    async with others(alone) as faces:
        for ask, done in zip(asked, expected, strict=True):
            assert await faces.shell("terminals", *ask, "--format", "json") == done
        named: dict[str, Any] = {"terminal": "1"}
        for method, params, done in zip(
            ("list", "read", "read", "wait", "wait"),
            ({}, named, {**named, "tail": 1}, named, {**named, "pattern": "^why"}),
            expected,
            strict=True,
        ):
            answer = await faces.editor.ask(f"understudy/terminal/{method}", params)
            assert {key: answer[key] for key in body(done)} == body(done)
        listed = await faces.look("terminals")
        assert listed.startswith(f"terminals/1.txt  {line} at line ")
        for pattern, done in ((None, expected[3].json), ("^why", expected[4].json)):
            told = await faces.look("wait", path="terminals/1.txt", pattern=pattern, count=1)
            found = "" if done["line"] is None else f": {done['line']}"
            first, state_of_it, *_, last = told.splitlines()
            assert first == done["ended"] + found
            assert state_of_it == listed.strip()
            assert f"{last}\n" == expected[2].json["text"]


async def test_tool_servers(alone: Shell) -> None:
    servers = {"mcpServers": {"good": toy("well_behaved")}}
    (alone.folder / ".mcp.json").write_text(json.dumps(servers))
    assert alone("tools", "allow", "good").code == 0
    said = {"tool": "good/say", "arguments": {"text": "hello"}}
    failing = {"tool": "good/fail"}
    asked = [("sync",), ("call", "good/say", '{"text": "hello"}'), ("call", "good/fail")]
    expected = [alone("tools", *ask, "--format", "json") for ask in asked]
    assert [done.code for done in expected] == [0, 0, 1]
    (server,) = alone("tools", "list", "--format", "json").json["servers"]
    assert server["tools"] == 7
    index = alone("context", "get", "mcp/INDEX.md").out
    async with others(alone) as faces:
        for ask, params, done in zip(asked, ({}, said, failing), expected, strict=True):
            assert await faces.shell("tools", *ask, "--format", "json") == done
            answer = await faces.editor.ask(f"understudy/context/mcp/{ask[0]}", params)
            assert answer == body(done)
        listed = body(await faces.shell("tools", "list", "--format", "json"))
        assert listed == {"servers": [{**server, "status": "ready"}], "problems": []}  # it runs now
        assert await faces.editor.ask("understudy/context/mcp/list") == listed
        told = await faces.look("read", path="mcp/INDEX.md")
        assert [line.partition("| ")[2] for line in told.splitlines()[1:]] == index.splitlines()
        for call, done in zip((said, failing), expected[1:], strict=True):
            assert await faces.look("call", **call) == done.json["text"]
