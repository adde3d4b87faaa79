"""Agents' configuration files: merged without loss, or refused with the lines to add."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from understudy.app.setup import AGENTS, BACKUP, Agent, setup_changes, write_changes
from understudy.values import toml
from understudy.values.errors import BadInput

PROGRAM = ("understudy",)


class Folder:
    """A project and a home folder; `set_up` writes what an agent needs."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "work", folder / "home"
        self.root.mkdir()
        self.home.mkdir()

    def set_up(self, agent: Agent) -> list[Path]:
        return write_changes(setup_changes(agent, self.root, self.home, PROGRAM))

    def write(self, path: str, data: str | bytes) -> Path:
        file = self.root.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def files(self) -> dict[Path, bytes]:
        return {f: f.read_bytes() for f in self.root.parent.rglob("*") if f.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.mark.parametrize("agent", AGENTS)
def test_twice_is_once(folder: Folder, agent: Agent) -> None:
    changes = setup_changes(agent, folder.root, folder.home, PROGRAM)
    assert all(change.is_needed and change.before is None for change in changes)
    assert folder.files() == {}
    assert folder.set_up(agent) == []
    written = folder.files()
    assert all(b"understudy" in data for data in written.values())
    assert not any(c.is_needed for c in setup_changes(agent, folder.root, folder.home, PROGRAM))
    assert folder.set_up(agent) == []
    assert folder.files() == written


def test_what_else_a_json_file_holds_stays(folder: Folder) -> None:
    servers = '"servers": {\n\t\t"other": {"url": "http://é"}\n\t}'
    text = f'{{\n\t"z": 1,\n\t{servers},\n\t"a": [1.5, null]\n}}\n'
    file = folder.write("work/.vscode/mcp.json", text)
    file.chmod(0o640)
    (backup,) = folder.set_up("copilot")
    merged = json.loads(file.read_text())
    assert [*merged] == ["z", "servers", "a"]
    assert [*merged["servers"]] == ["other", "understudy"]
    assert '\n\t"z": 1,\n' in file.read_text()
    assert "http://é" in file.read_text()
    del merged["servers"]["understudy"]
    assert merged == json.loads(text)
    assert backup == file.with_name(file.name + BACKUP)
    assert backup.read_text() == text
    assert {one.stat().st_mode & 0o777 for one in (file, backup)} == {0o640}


def test_line_ends_stay(folder: Folder) -> None:
    file = folder.write("work/opencode.json", b'{\r\n  "theme": "x"\r\n}\r\n')
    folder.set_up("opencode")
    assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n") > 3


def test_what_else_a_toml_file_holds_stays(folder: Folder) -> None:
    text = (
        '# mine\nmodel = "x"  # kept\n\n[mcp_servers.other]\ncommand = "o"\nargs = [ "1",\n "2" ]\n'
    )
    file = folder.write("home/.codex/config.toml", text)
    folder.set_up("codex")
    assert text.strip() in file.read_text()
    servers = toml.loads(file.read_text())["mcp_servers"]
    assert servers == {
        "other": {"command": "o", "args": ["1", "2"]},
        "understudy": {"command": "understudy", "args": ["mcp"]},
    }


@pytest.mark.parametrize(
    ("agent", "name"), [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")]
)
def test_other_hooks_stay_and_ours_is_there_once(folder: Folder, agent: Agent, name: str) -> None:
    mine = {"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]}
    text = json.dumps({"hooks": {"PostToolUse": [mine], "Stop": []}})
    file = folder.write(f"work/{name}", text)
    for program in (("understudy",), ("/opt/other place/understudy",)):
        write_changes(setup_changes(agent, folder.root, folder.home, program))
        hooks = json.loads(file.read_text())["hooks"]
        assert hooks["Stop"] == []
        first, second = hooks["PostToolUse"]
        assert first == mine
        assert second["hooks"][0]["command"].startswith(
            "understudy check >&2;" if " " not in program[0] else f"'{program[0]}' check >&2;"
        )


def test_copilots_other_hooks_stay(folder: Folder) -> None:
    mine = {"type": "command", "bash": "true"}
    text = json.dumps({"version": 1, "hooks": {"postToolUse": [mine], "sessionEnd": []}})
    file = folder.write("work/.github/hooks/understudy.json", text)
    for program in (("understudy",), ("/opt/other place/understudy",)):
        write_changes(setup_changes("copilot", folder.root, folder.home, program))
        hooks = json.loads(file.read_text())["hooks"]
        assert hooks["sessionEnd"] == []
        first, second = hooks["postToolUse"]
        assert (first, second["timeoutSec"]) == (mine, 120)
        assert f"{program[0]}" in second["bash"]


@pytest.mark.parametrize(
    "data",
    [
        b'{\n  // mine\n  "servers": {}\n}\n',
        b'{"servers": {}, "servers": {}}',
        b'{"servers": {}, "n": 1.10}',
        b'{"servers": {}, "n": NaN}',
        b'{"servers": []}',
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_merged_stays(folder: Folder, data: bytes) -> None:
    file = folder.write("work/.vscode/mcp.json", data)
    before = folder.files()
    with pytest.raises(BadInput) as caught:
        folder.set_up("copilot")
    assert (caught.value.code, caught.value.where) == ("not-mergeable", str(file))
    assert folder.files() == before


def test_the_lines_to_add_are_told(folder: Folder) -> None:
    folder.write("work/opencode.json", "{ /* mine */ }")
    with pytest.raises(BadInput) as caught:
        folder.set_up("opencode")
    entry = json.loads(caught.value.text.partition("by hand:\n")[2])
    assert entry["mcp"]["understudy"]["command"] == ["understudy", "mcp"]


@pytest.mark.parametrize("text", ["[mcp_servers", 'mcp_servers = "x"\n', "a = 1\na = 2\n"])
def test_toml_that_cannot_be_merged_stays(folder: Folder, text: str) -> None:
    folder.write("home/.codex/config.toml", text)
    before = folder.files()
    with pytest.raises(BadInput, match=r"mcp_servers|by hand"):
        folder.set_up("codex")
    assert folder.files() == before


def test_a_file_that_changes_meanwhile_is_not_overwritten(folder: Folder) -> None:
    changes = setup_changes("opencode", folder.root, folder.home, PROGRAM)
    file = folder.write("work/opencode.json", "{}")
    with pytest.raises(BadInput) as caught:
        write_changes(changes)
    assert caught.value.code == "file-changed"
    assert file.read_text() == "{}"
