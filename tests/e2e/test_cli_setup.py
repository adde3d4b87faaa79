"""`understudy setup`: an agent's own configuration, merged without loss, and tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.support.repositories import GitRepository
from understudy.app.setup.changes import place_of, setup_changes, write_changes
from understudy.values.paths import Root
from understudy.workspace.agents.catalogue import agent_named, agent_names

AGENTS = ("claude", "codex", "opencode")
"""One for each form in which files name our server."""


@pytest.fixture
def folder(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project; it is the home folder's only one, and both are the test's."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(state / "understudy"))
    return make_folder(tmp_path / "work", {"a.py": "x = 1\n"})


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


def file_of(shell: Shell, agent: str, number: int = 0) -> Path:
    """A file of the table's, where it is for this folder and this home."""
    file = agent_named(agent).files[number]
    return place_of(file, Root.open(shell.folder), shell.folder.parent / "home")


def files_of(shell: Shell) -> dict[Path, bytes | None]:
    """Every file of the folder and of the home with its bytes, and every folder."""
    every = [*shell.folder.rglob("*"), *(shell.folder.parent / "home").rglob("*")]
    return {path: path.read_bytes() if path.is_file() else None for path in every}


def test_nothing_is_written_without_being_asked(shell: Shell) -> None:
    before = files_of(shell)
    shown = shell("setup", "claude")
    assert shown.code == 0, shown.err
    assert '+    "understudy": {' in shown.out
    assert "nothing is written; --write does it" in shown.out
    assert "reportAssignmentType" in shown.out
    shown = shell("setup", "claude", "--dry-run")
    assert shown.code == 0, shown.err
    assert '+    "understudy": {' in shown.out
    assert "reportAssignmentType" not in shown.out
    assert files_of(shell) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_written_tried_and_taken_back(shell: Shell, agent: str) -> None:
    before = files_of(shell)
    written = shell("setup", agent, "--write", "--format", "json").json
    assert (written["written"], written["works"]) == (True, True)
    assert ("type /hooks there" in (written["note"] or "")) == (agent == "codex")
    assert [Path(file["path"]) for file in written["files"]] == [
        file_of(shell, agent, number) for number in range(len(agent_named(agent).files))
    ]
    listed = {
        row["agent"]: row["setUp"]
        for row in shell("setup", "--list", "--format", "json").json["agents"]
    }
    assert [name for name, is_so in listed.items() if is_so] == [agent]
    assert shell("branches", "list").out == "no branches\n"
    removed = shell("setup", "--remove", agent)
    assert removed.code == 0, removed.err
    assert files_of(shell) == before


def test_no_agents_files_make_a_check_unknown(shell: Shell) -> None:
    """Not even where nothing that judges JSON or JavaScript is installed."""
    GitRepository(shell.folder).commit()
    root, home = Root.open(shell.folder), shell.folder.parent / "home"
    for agent in agent_names():
        write_changes(setup_changes(agent_named(agent), root, home, ("understudy",)))
    (shell.folder / "a.py").write_text("x = 2\n")
    checked = shell("check", "--no-host")
    assert checked.code == 0, checked.out


def test_a_file_that_cannot_be_merged(shell: Shell) -> None:
    file = file_of(shell, "opencode")
    file.write_text("{ mine }")
    done = shell("setup", "opencode", "--write")
    assert (done.code, done.out) == (2, "")
    assert "not-mergeable" in done.err
    assert file.read_text() == "{ mine }"


def test_an_agent_that_nobody_knows(shell: Shell) -> None:
    done = shell("setup", "hal")
    assert done.code == 2
    assert "unknown-agent" in done.err
    assert "claude" in done.err
