"""With nothing proven, nothing is clean: over every face, for every kind of edit and every failure.

Toy servers that give no evidence, commands that say nothing, limits that nobody can hold, settings
that turn all of it off: whatever edit comes, the verdict is `unknown`, or an error says why there
is none.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import open_editor
from tests.e2e.mcp_agent import open_agent
from tests.support.repositories import GitRepository

FILES = {"a.txt": "fine\n", "b.txt": "fine\n", "sub/c.txt": "fine\n", "notes.unknown": "text\n"}
EDITS: Mapping[str, list[dict[str, Any]]] = {
    "change": [{"kind": "write", "path": "a.txt", "text": "other\n"}],
    "new": [{"kind": "write", "path": "new.txt", "text": "new\n"}],
    "delete": [{"kind": "delete", "path": "a.txt"}],
    "delete all": [{"kind": "delete", "path": path} for path in FILES],
    "delete a folder": [{"kind": "delete", "path": "sub/c.txt"}],
    "rename": [{"kind": "rename", "path": "a.txt", "to": "sub/d.txt"}],
    "rename the case": [{"kind": "rename", "path": "a.txt", "to": "A.txt"}],
    "rename to no kind": [{"kind": "rename", "path": "a.txt", "to": "a.unknown"}],
    "rename from no kind": [{"kind": "rename", "path": "notes.unknown", "to": "notes.txt"}],
    "no kind": [{"kind": "write", "path": "notes.unknown", "text": "other\n"}],
    "delete no kind": [{"kind": "delete", "path": "notes.unknown"}],
    "swap": [
        {"kind": "rename", "path": "a.txt", "to": "x.txt"},
        {"kind": "rename", "path": "b.txt", "to": "a.txt"},
        {"kind": "rename", "path": "x.txt", "to": "b.txt"},
        {"kind": "write", "path": "b.txt", "text": "swapped\n"},
    ],
}
COMMAND: dict[str, Any] = {
    "group": "silent",
    "command": [sys.executable, "-c", "pass"],
    "files": {"*.txt": "plaintext"},
    "rule": "command",
    "scope": "project",
    "install": "it is here",
    "root_markers": ["marker"],
}
CHECKER = r"""
[servers.command.checker]
output = "pattern"
ran = [0]
coverage = "output"

[servers.command.checker.patterns]
finding = '(?P<path>\S+):(?P<line>\d+):(?P<severity>error) (?P<message>.*)'
covers = 'looked at (?P<path>\S+)'
"""
SETTINGS = {
    "answers null": settings_text({"toy": toy_profile("answers_null")}),
    "never answers": settings_text({"toy": toy_profile("never_answers")}),
    "exits": settings_text({"toy": toy_profile("exits_at_once")}),
    "not installed": settings_text(
        {"toy": {**toy_profile("slow"), "command": ["not-here-at-all"]}}
    ),
    "a command without proof": settings_text({"command": COMMAND}) + CHECKER,
    "groups off": 'disabled_groups = ["toy"]\n'
    + settings_text({"toy": {**toy_profile("well_behaved"), "group": "toy"}}),
    "none at all": "",
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {**FILES, "marker": ""})


def assert_not_clean(verdict: str, report: Any) -> None:
    assert verdict == "unknown", report


@pytest.mark.parametrize("name", SETTINGS)
async def test_no_edit_is_clean_over_lsp(folder: Path, state: Path, name: str) -> None:
    write_user_settings(state, SETTINGS[name])
    async with open_editor(folder, state, {"trusted": True}) as editor:
        for edits, more in itertools.product(EDITS.values(), ({}, {"scope": "edited"})):
            branch = await editor.branch(*edits)
            report = await editor.check(branch, timeout=2, **more)
            assert_not_clean(report["verdict"], (edits, report))
            assert all(file["reason"] for file in report["files"]), report


@pytest.mark.parametrize("name", ["answers null", "a command without proof", "none at all"])
async def test_no_edit_is_clean_over_mcp(folder: Path, state: Path, name: str) -> None:
    write_user_settings(state, SETTINGS[name])
    async with open_agent(state, "--root", str(folder), cwd=folder) as agent:
        for edits in EDITS.values():
            text = await agent.call("understudy_lint", edits=edits, fresh=True, timeout=2)
            assert text.startswith("UNKNOWN - NOT VERIFIED"), (edits, text)


@pytest.mark.parametrize("edit", EDITS)
def test_no_edit_is_clean_on_the_command_line(folder: Path, state: Path, edit: str) -> None:
    write_user_settings(state, SETTINGS["answers null"])
    file = state / "edits.json"
    file.write_text(json.dumps(EDITS[edit]))
    for more in ((), ("--strict",), ("--server", "ruff"), ("--scope", "edited")):
        done = Shell(folder, state)("check", "--edits", file, "--format", "json", *more)
        assert done.code == 3, (more, done)
        assert_not_clean(done.json["verdict"], done.out)


@pytest.mark.parametrize("edit", [name for name in EDITS if "no kind" not in name])
def test_no_time_is_no_proof(folder: Path, state: Path, edit: str) -> None:
    """Real servers, and a limit that nobody can hold."""
    write_user_settings(state, settings_text({"toy": toy_profile("slow")}))
    file = state / "edits.json"
    file.write_text(json.dumps(EDITS[edit]))
    done = Shell(folder, state)("check", "--edits", file, "--timeout", "0.01", "--format", "json")
    assert done.code == 3, done
    assert_not_clean(done.json["verdict"], done.out)


@pytest.mark.parametrize("edit", ["delete", "delete a folder", "rename to no kind", "delete all"])
def test_the_working_tree(tmp_path: Path, state: Path, edit: str) -> None:
    write_user_settings(state, SETTINGS["answers null"])
    repository = GitRepository(tmp_path / "work")
    repository.commit(FILES)
    for item in EDITS[edit]:
        path = repository.folder / item["path"]
        if item["kind"] == "rename":
            path.rename(repository.folder / item["to"])
        else:
            path.unlink()
    done = Shell(repository.folder, state)("check")
    assert done.code == 3, done
    assert "unknown: " in done.out
