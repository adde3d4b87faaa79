"""`understudy setup`: an agent's own configuration, merged without loss, and tried."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.support.repositories import GitRepository
from tests.support.workspace import state_of
from understudy.app.setup import setup_changes, write_changes

FILES = {
    "claude": (".mcp.json", ".claude/settings.json"),
    "codex": (".codex/config.toml", ".codex/hooks.json"),
    "opencode": ("opencode.json",),
    "copilot": (".vscode/mcp.json", ".github/hooks/understudy.json"),
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
    return (home if (agent, number) == ("codex", 0) else shell.folder) / FILES[agent][number]


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
    assert ("type /hooks there" in (written["note"] or "")) == (agent == "codex")
    assert [Path(file["path"]) for file in written["files"]] == [
        file_of(shell, agent, number) for number in range(len(FILES[agent]))
    ]
    assert all("understudy" in Path(file["path"]).read_text() for file in written["files"])
    assert shell("branches", "list").out == "no branches\n"


def test_the_hooks_hand_the_model_what_it_broke_and_nothing_else(shell: Shell) -> None:
    """The very commands that were written, run as the agents run them after an edit."""
    GitRepository(shell.folder).commit()
    home = shell.folder.parent / "home"
    for agent in ("codex", "copilot"):
        write_changes(setup_changes(agent, shell.folder, home, UNDERSTUDY))
    (group,) = json.loads(file_of(shell, "codex", 1).read_text())["hooks"]["PostToolUse"]
    assert re.fullmatch(group["matcher"], "apply_patch")
    (codex,) = group["hooks"]
    (copilot,) = json.loads(file_of(shell, "copilot", 1).read_text())["hooks"]["postToolUse"]

    def run(command: str, tool: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command], cwd=shell.folder, env=child_environment(shell.state),
            input=tool, capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip

    fine = run(codex["command"])
    assert (fine.returncode, fine.stdout) == (0, ""), fine.stderr
    fine = run(copilot["bash"], '{"toolName":"edit","toolArgs":{}}')
    assert (fine.returncode, fine.stdout) == (0, ""), fine.stderr
    (shell.folder / "a.py").write_text('x: int = "one"\n')
    broken = run(codex["command"])
    assert (broken.returncode, broken.stdout) == (2, "")
    assert "a.py:1:10: error reportAssignmentType " in broken.stderr, broken.stderr
    broken = run(copilot["bash"], '{"tool_name": "replace_string_in_file"}')
    said = json.loads(broken.stdout)
    assert broken.returncode == 0
    assert said["additionalContext"].startswith("findings: 1 introduced ")
    assert "a.py:1:10: error reportAssignmentType " in said["additionalContext"]
    assert said["hookSpecificOutput"]["additionalContext"] == said["additionalContext"]
    other = run(copilot["bash"], '{"toolName":"view","toolArgs":{"path":"edit"}}')
    assert (other.returncode, other.stdout, other.stderr) == (0, "", "")
    (shell.folder / "understudy.toml").write_text("nonsense")
    trouble = run(copilot["bash"], '{"toolName":"create"}')
    assert (trouble.returncode, trouble.stdout) == (1, ""), "our own trouble is no finding"


def test_a_file_that_cannot_be_merged(shell: Shell) -> None:
    file = file_of(shell, "opencode")
    file.write_text("{ /* mine */ }")
    done = shell("setup", "opencode", "--write")
    assert (done.code, done.out) == (2, "")
    assert "not-mergeable" in done.err
    assert file.read_text() == "{ /* mine */ }"


def test_an_agent_that_nobody_knows(shell: Shell) -> None:
    assert shell("setup", "hal").code == 2
