"""An edit that edits nothing is refused; a branch that reads as the base does is clean, and says
so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent

TOYS = {"toy": toy_profile("well_behaved")}
NOTHING: list[list[dict[str, Any]]] = [
    [],
    [{"kind": "workspaceEdit", "edit": {}}],
    [{"kind": "workspaceEdit", "edit": {"documentChanges": []}}],
]
SAME = [{"kind": "write", "path": "a.txt", "text": "fine\n"}]
SAID = "nothing differs that a server could judge"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOYS))
    return make_folder(tmp_path / "work", {"a.txt": "fine\n"})


@pytest.mark.parametrize("command", ["check", "run"])
def test_the_command_line(folder: Path, state: Path, command: str) -> None:
    shell, file = Shell(folder, state), state / "edits.json"
    behind = ("--", "true") if command == "run" else ("--trust",)
    bad_input = {"check": 2, "run": 125}[command]
    file.write_text("[]")
    done = shell(command, "--edits", file, *behind)
    assert (done.code, "no-edits" in done.err) == (bad_input, True), done
    done = shell(command, "-", *behind, stdin=" \n")
    assert (done.code, "not-a-diff" in done.err) == (bad_input, True), done


@pytest.mark.parametrize("edits", NOTHING)
def test_a_check(folder: Path, state: Path, edits: list[dict[str, Any]]) -> None:
    file = state / "edits.json"
    file.write_text(json.dumps(edits))
    done = Shell(folder, state)("check", "--edits", file)
    assert (done.code, "no-edits" in done.err, done.out) == (2, True, ""), done


def test_a_check_of_what_is_there_already(folder: Path, state: Path) -> None:
    file = state / "edits.json"
    file.write_text(json.dumps(SAME))
    done = Shell(folder, state)("check", "--edits", file)
    assert (done.code, SAID in done.out) == (0, True), done


async def test_over_lsp(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"trusted": True}) as editor:
        branch = await editor.branch(*SAME)
        for edits in NOTHING:
            params = {"branch": branch, "edits": edits}
            error = await editor.refusal("understudy/branch/edit", params)
            assert error["data"]["code"] == "no-edits"
        assert (await editor.check(branch))["verdict"] == "clean"
        chat = {"tool": "understudy_lint", "input": {"edits": []}, "session": "s"}
        error = await editor.refusal("understudy/tool", chat)
        assert error["data"]["code"] == "no-edits"


async def test_over_mcp(folder: Path, state: Path) -> None:
    async with open_agent(state, "--root", str(folder), cwd=folder) as agent:
        for edits in NOTHING:
            assert (await agent.refusal("understudy_lint", edits=edits)).startswith("no-edits")
        assert (await agent.refusal("understudy_lint", diff="")).startswith("not-a-diff")
        assert SAID in await agent.call("understudy_lint", edits=SAME)
        with_diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD\n"
        text = await agent.call("understudy_lint", edits=[], diff=with_diff)
        assert text.startswith("findings: 1 introduced")
