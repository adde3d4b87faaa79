"""What a review asks over LSP: findings of a file, fixes that were tried, wishes for the agent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import SECONDS, Editor, Json, connect, open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.workspace import state_of

TOYS = {"toy": toy_profile("mends")}
TRUSTED = {"trusted": True, "settings": {"servers": TOYS}}
FILES = {"a.txt": "one\nBAD old\n", "b.txt": "b\n"}
EDIT = {"kind": "write", "path": "a.txt", "text": "BAD plain\nBAD old\nBAD hopeless\n"}


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOYS))
    return make_folder(tmp_path / "work", FILES)


async def test_findings_and_fixes_of_a_file(folder: Path, state: Path) -> None:
    before = state_of(folder)
    async with open_editor(folder, state, TRUSTED) as editor:
        branch = await editor.branch(EDIT)
        at = {"branch": branch, "path": "a.txt"}
        everything = await editor.ask("understudy/branch/findings", at)
        lines = [one["range"]["start"]["line"] for one in everything["findings"]]
        assert (lines, everything["unknown"]) == ([0, 1, 2], [])
        introduced = (await editor.check(branch))["introduced"]
        assert [one["range"]["start"]["line"] for one in introduced] == [0, 2], "the old is known"

        untouched = await editor.ask("understudy/branch/text", {"branch": branch, "path": "b.txt"})
        assert (untouched["before"], untouched["after"]) == ("b\n", "b\n")
        lost = await editor.refusal("understudy/branch/text", {"branch": branch, "path": "c.txt"})
        assert lost["data"]["code"] == "no-change"

        asked = await editor.ask("understudy/branch/fixes", {**at, "line": 0})
        (fix,) = asked["fixes"]
        assert (fix["title"], fix["server"], fix["why"]) == ("plain", "toy", None)
        assert "BAD plain" in await editor.diff(branch), "an offer changes nothing"
        assert (await editor.ask("understudy/branch/fixes", {**at, "line": 1}))["fixes"] == []
        applied = {
            "branch": branch,
            "edits": [{"kind": "workspaceEdit", "edit": edit} for edit in fix["edits"]],
            "ifStamp": asked["stamp"],
        }
        await editor.ask("understudy/branch/edit", applied)
        assert [
            one["range"]["start"]["line"] for one in (await editor.check(branch))["introduced"]
        ] == [2]
        stale = await editor.refusal("understudy/branch/edit", applied)
        assert stale["data"]["code"] == "stale-stamp"
    assert state_of(folder) == before


async def test_fixes_are_told_within_the_time_that_the_client_gives(
    tmp_path: Path, state: Path
) -> None:
    toys = {"toy": toy_profile("never_answers")}
    write_user_settings(state, settings_text(toys))
    options = {"trusted": True, "settings": {"servers": toys, "timeout_s": 2 * SECONDS}}
    async with open_editor(make_folder(tmp_path / "work", FILES), state, options) as editor:
        at = {"branch": await editor.branch(EDIT), "path": "a.txt", "kind": "quickfix"}
        asked = await editor.ask("understudy/branch/fixes", {**at, "timeout": 0.5})
        assert asked["fixes"] == []


async def test_a_wish_is_kept_told_once_and_settled_by_an_edit(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        branch = await editor.branch(EDIT)
        wish = {"branch": branch, "path": "a.txt", "start": 2, "end": 3}
        secret = "ghp_" + "a1B2" * 9
        made = await editor.ask("understudy/branch/ask", {**wish, "text": f"use {secret} here"})
        assert secret not in made["text"]
        refused = await editor.refusal("understudy/branch/ask", {**wish, "end": 9})
        assert refused["data"]["code"] == "no-lines"
        long = await editor.refusal("understudy/branch/ask", {**wish, "text": "x" * 4001})
        assert long["data"]["code"] == "bad-text"
        gone = await editor.refusal("understudy/branch/unask", {"branch": branch, "ask": 7})
        assert gone["data"]["code"] == "unknown-ask"
        assert await asks_of(editor, branch) == [(2, 3, made["text"])]
    async with open_editor(folder, state, TRUSTED) as editor:  # another start has it
        assert await asks_of(editor, branch) == [(2, 3, made["text"])]
        told = f"{branch}: a.txt:3: {made['text']}\n    BAD hopeless\n"
        for session in ("one", "two"):
            assert told in await tool(editor, session)
            assert "The user" not in await tool(editor, session), "it is told once"
        async with open_agent(state, cwd=folder) as agent:
            assert told in await agent.call("understudy_context", action="terminals")
            diff = await agent.call("understudy_context", action="diff", branch=branch)
            assert f"asked: {branch}: a.txt:3: {made['text']}\n" in diff
        printed = Shell(folder, state)("branches", "diff", branch)
        assert printed.err == f"understudy: asked: a.txt:3: {made['text']}\n"
        async with connect(folder, state) as other:  # another agent, over LSP
            await other.initialize({"review": True})
            assert await asks_of(other, branch) == [(2, 3, made["text"])]
            denied = await other.refusal("understudy/branch/ask", wish)
            assert denied["data"]["code"] == "not-for-agents"
            for name in ("accept", "reject", "sendBack"):
                arguments = [{"branch": branch, "path": "a.txt"}]
                command = {"command": f"understudy.{name}", "arguments": arguments}
                request = {"id": name, "method": "workspace/executeCommand", "params": command}
                denied = (await other.raw(request))["error"]
                assert denied["data"]["code"] == "not-for-agents"
        first = {"kind": "replace", "path": "a.txt", "old": "BAD plain\n", "new": "1\n2\n"}
        await editor.edit(branch, first)
        assert await asks_of(editor, branch) == [(3, 4, made["text"])], "its lines have moved"
        await editor.edit(branch, {**first, "old": "BAD hopeless", "new": "good"})
        assert await asks_of(editor, branch) == []
        again = await editor.ask("understudy/branch/ask", {**wish, "start": 0, "end": 1})
        text = await tool(editor, "one")
        assert re.search(rf"{branch}: a.txt:1: .*\n    1\n", text), text
        await editor.ask("understudy/branch/unask", {"branch": branch, "ask": again["ask"]})
        assert await asks_of(editor, branch) == []


async def test_what_the_folder_has_already_and_what_collides(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TRUSTED) as editor:
        branch = await editor.branch(EDIT)
        assert (await in_folder(editor))[branch] is not True
        for text, expected in ((EDIT["text"], True), ("ONE\nBAD old\n", False)):
            seen = len(editor.recorder.messages)
            (folder / "a.txt").write_text(text)  # as a commit or an agent's own write does
            found = not expected
            while found != expected:  # nobody asks until the server says that something changed
                await editor.recorder.wait_for(_is_change, seen=seen)
                seen = len(editor.recorder.messages)
                found = (await in_folder(editor))[branch] is True
        at = {"branch": branch, "path": "a.txt"}
        before = await editor.ask("understudy/branch/text", at)
        report = await editor.ask("understudy/branch/rebase", {"branch": branch})
        (collided,) = report["conflicts"]
        assert (collided["path"], collided["can_send"]) == ("a.txt", True)
        ask = await editor.ask("understudy/branch/sendConflict", at)
        assert (ask["path"], ask["start"], ask["end"]) == ("a.txt", 0, 1)
        assert await editor.ask("understudy/branch/text", at) == before
        report = await editor.check(branch)
        assert (report["verdict"], report["introduced"]) == ("unknown", [])
        assert [one["reason"]["code"] for one in report["files"]] == ["conflict"]
        marked = f"<<<<<<< user\nONE\n=======\nBAD plain\n>>>>>>> {branch}\n"
        told = await tool(editor, "one")
        assert f"{branch}: a.txt:1: {ask['text']}" in told
        assert "".join(f"    {line}\n" for line in marked.splitlines()) in told
        async with connect(folder, state) as other:  # an agent, over LSP
            await other.initialize({"review": True})
            denied = await other.refusal("understudy/branch/sendConflict", at)
            assert denied["data"]["code"] == "not-for-agents"
            part = {"kind": "replace", "path": "a.txt", "old": "BAD hopeless", "new": "good"}
            edits = {"branch": branch, "edits": [part]}
            refused = await other.refusal("understudy/branch/edit", edits)
            assert refused["data"]["code"] == "conflict"
            await other.edit(branch, part, {**part, "old": marked, "new": "one of both\n"})
        assert await asks_of(editor, branch) == []
        assert (await editor.check(branch))["verdict"] == "clean"
        settled = await editor.ask("understudy/branch/text", at)
        assert settled["before"] == "ONE\nBAD old\n"
        assert settled["after"] == "one of both\nBAD old\ngood\n"
        again = await editor.refusal("understudy/branch/sendConflict", at)
        assert again["data"]["code"] == "no-conflict"


def _is_change(message: Json) -> bool:
    return message.get("method") == "understudy/branchesChanged"


async def in_folder(editor: Editor) -> dict[str, bool | None]:
    listed = await editor.ask("understudy/branch/list", {})
    return {one["branch"]: one["in_folder"] for one in listed["branches"]}


async def asks_of(editor: Editor, branch: str) -> list[tuple[int, int, str]]:
    found = await editor.ask("understudy/branch/asks", {"branch": branch})
    assert found["branch"] == branch
    return [(one["start"], one["end"], one["text"]) for one in found["asks"]]


async def tool(editor: Editor, session: str) -> str:
    params = {"tool": "understudy_context", "input": {"action": "terminals"}, "session": session}
    return (await editor.ask("understudy/tool", params))["text"]
