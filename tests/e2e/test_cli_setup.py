"""`understudy setup`: an agent's own configuration, merged without loss, and tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.support.workspace import state_of

FILES = {
    "claude": (".mcp.json", ".claude/settings.json"),
    "codex": (".codex/config.toml",),
    "opencode": ("opencode.json",),
    "copilot": (".vscode/mcp.json",),
    "gemini": (".gemini/settings.json",),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project; it is the home folder's only one, and both are the test's."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return make_folder(tmp_path / "work", {"a.py": "x = 1\n"})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


def file_of(shell: Shell, agent: str, number: int = 0) -> Path:
    home = shell.folder.parent / "home"
    return (home if agent == "codex" else shell.folder) / FILES[agent][number]


def test_nothing_is_written_without_being_asked(shell: Shell) -> None:
    before = state_of(shell.folder)
    shown = shell("setup", "claude")
    assert shown.code == 0, shown.err
    assert '+    "understudy": {' in shown.out
    assert "nothing is written; --write does it" in shown.out
    assert "reportAssignmentType" in shown.out
    assert state_of(shell.folder) == before


@pytest.mark.parametrize("agent", FILES)
def test_written_and_tried(shell: Shell, agent: str) -> None:
    written = shell("setup", agent, "--write", "--format", "json").json
    assert (written["written"], written["works"]) == (True, True)
    assert [Path(file["path"]) for file in written["files"]] == [
        file_of(shell, agent, number) for number in range(len(FILES[agent]))
    ]
    assert all("understudy" in Path(file["path"]).read_text() for file in written["files"])
    assert shell("branches", "list").out == "no branches\n"


def test_a_file_that_cannot_be_merged(shell: Shell) -> None:
    file = file_of(shell, "opencode")
    file.write_text("{ /* mine */ }")
    done = shell("setup", "opencode", "--write")
    assert (done.code, done.out) == (2, "")
    assert "not-mergeable" in done.err
    assert file.read_text() == "{ /* mine */ }"


def test_an_agent_that_nobody_knows(shell: Shell) -> None:
    assert shell("setup", "hal").code == 2
