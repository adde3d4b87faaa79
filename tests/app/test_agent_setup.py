"""Agents' configuration files: ours put in and taken out to the byte, or refused by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.agent_files import hand_made
from tools.agent_reference import PAGE, page
from understudy.app.setup.changes import (
    ConfigurationChange,
    is_set_up,
    place_of,
    removal_changes,
    setup_changes,
    words_of,
    write_changes,
)
from understudy.app.setup.entry import server_entry
from understudy.app.setup.merging import merged, without
from understudy.values import toml
from understudy.values.errors import BadInput, Refused, UnderstudyError
from understudy.values.paths import Root
from understudy.workspace.agents.catalogue import agent_named, agent_names, users_file
from understudy.workspace.agents.profile import Agent

PROGRAM = ("understudy",)
AGENTS = agent_names()


class Folder:
    """A project and a home folder; `set_up` writes what an agent needs."""

    def __init__(self, folder: Path) -> None:
        self.work, self.home = folder / "work", folder / "home"
        self.work.mkdir()
        self.home.mkdir()
        self.root = Root.open(self.work)

    def changes(self, agent: str, program: tuple[str, ...] = PROGRAM) -> list[ConfigurationChange]:
        return setup_changes(agent_named(agent), self.root, self.home, program)

    def set_up(self, agent: str, program: tuple[str, ...] = PROGRAM) -> None:
        write_changes(self.changes(agent, program))

    def remove(self, agent: str) -> None:
        others = [agent_named(name) for name in AGENTS]
        known = agent_named(agent)
        write_changes(removal_changes(known, self.root, self.home, PROGRAM, others))

    def has(self, agent: str) -> bool:
        return is_set_up(agent_named(agent), self.root, self.home)

    def write(self, path: str, data: str | bytes) -> Path:
        file = self.home / path[2:] if path.startswith("~/") else self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
        return file

    def files(self) -> dict[Path, bytes | None]:
        """Every file with its bytes, and every folder."""
        found = self.work.parent.rglob("*")
        return {f: f.read_bytes() if f.is_file() else None for f in found if "state" not in f.parts}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.setenv("UNDERSTUDY_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "state" / "config"))
    return Folder(tmp_path)


@pytest.mark.parametrize("agent", AGENTS)
def test_twice_is_once_and_removed_is_nothing(folder: Folder, agent: str) -> None:
    nothing = folder.files()
    changes = folder.changes(agent)
    assert all(change.is_needed and change.before is None for change in changes)
    assert folder.files() == nothing
    assert not folder.has(agent)
    folder.set_up(agent)
    written = folder.files()
    assert folder.has(agent)
    assert not any(change.is_needed for change in folder.changes(agent))
    folder.set_up(agent)
    assert folder.files() == written
    folder.remove(agent)
    assert folder.files() == nothing


def _cases() -> list[tuple[str, int]]:
    counts = {name: _n_texts(agent_named(name)) for name in AGENTS}
    return [(name, number) for name, count in counts.items() for number in range(count)]


def _n_texts(agent: Agent) -> int:
    return max((len(hand_made(f.form, f.path)) for f in agent.files if f.form != "file"), default=0)


def _hand_make(folder: Folder, agent: str, number: int) -> dict[Path, bytes | None]:
    for file in agent_named(agent).files:
        if file.form != "file":
            texts = hand_made(file.form, file.path)
            folder.write(file.path, texts[number % len(texts)])
    return folder.files()


@pytest.mark.parametrize(("agent", "number"), _cases())
def test_what_the_user_had_comes_back_to_the_byte(folder: Folder, agent: str, number: int) -> None:
    before = _hand_make(folder, agent, number)
    folder.set_up(agent)
    with_us = folder.files()
    assert all(with_us[path] != data for path, data in before.items() if data is not None)
    assert folder.has(agent)
    assert not any(change.is_needed for change in folder.changes(agent))
    folder.remove(agent)
    assert folder.files() == before


KEY = re.compile(r'"[^"]*"\s*:')
VERSION = re.compile(r',\s*"version": 1')
EMPTY = re.compile(r"\{\s*\}|\[\s*\]|[{\[] */\*")


@pytest.mark.parametrize("agent", AGENTS)
def test_and_so_it_does_where_nobody_remembers_what_it_was(folder: Folder, agent: str) -> None:
    """Where the file came with a clone: all but the white space in what is empty."""
    known = agent_named(agent)
    words = words_of(known, folder.root, PROGRAM)
    moved = words_of(known, folder.root, ("/opt/other place/python3", "-m", "understudy"))
    for file in known.files:
        for text in hand_made(file.form, file.path) if file.form != "file" else ():
            with_us = merged(file, words, text)
            assert merged(file, words, merged(file, moved, with_us)) == with_us
            left = without(file, words, with_us)
            if left is None:
                assert not KEY.sub("", text).strip("{}[], 1\t\r\n"), text  # 1: our form
            elif not EMPTY.search(text):
                assert text in (left, VERSION.sub("", left))  # its form's own stays


@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_user_adds_later_stays(folder: Folder, agent: str) -> None:
    known = agent_named(agent)
    folder.set_up(agent)
    for file in known.files:
        path = place_of(file, folder.root, folder.home)
        if file.form in ("json", "jsonc"):
            text = path.read_text().replace("{", '{\n  "added": [1],', 1)
            path.write_text(text)
        elif file.form == "block":
            path.write_text("# added\n" + path.read_text() + "# and this\n")
    folder.remove(agent)
    for file in known.files:
        path = place_of(file, folder.root, folder.home)
        if file.form in ("json", "jsonc"):
            held = json.loads(path.read_text())
            held.pop("version", None)  # what the user added may need it
            assert held == {"added": [1]}
        elif file.form == "block":
            assert path.read_text() == "# added\n# and this\n"
        else:
            assert not path.exists()


def test_what_else_a_json_file_holds_stays(folder: Folder) -> None:
    servers = '"mcpServers": {\n\t\t"other": {"url": "http://é"}\n\t}'
    text = f'{{\n\t"z": 1,\n\t{servers},\n\t"a": [1.50, null]\n}}\n'
    file = folder.write(".mcp.json", text)
    file.chmod(0o640)
    folder.set_up("claude")
    merged = json.loads(file.read_text())
    assert [*merged] == ["z", "mcpServers", "a"]
    assert [*merged["mcpServers"]] == ["other", "understudy"]
    assert '\n\t"z": 1,\n' in file.read_text()
    assert '\n\t"a": [1.50, null]\n}\n' in file.read_text()
    del merged["mcpServers"]["understudy"]
    assert merged == json.loads(text)
    assert file.stat().st_mode & 0o777 == 0o640
    folder.remove("claude")
    assert (file.read_text(), file.stat().st_mode & 0o777) == (text, 0o640)


def test_line_ends_and_comments_stay(folder: Folder) -> None:
    file = folder.write("opencode.json", b'{\r\n  "theme": "x", // mine\r\n}\r\n')
    folder.set_up("opencode")
    assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n") > 3
    assert b'"theme": "x", // mine\r\n' in file.read_bytes()


def test_what_else_a_toml_file_holds_stays(folder: Folder) -> None:
    text = (
        '# mine\nmodel = "x"  # kept\n\n[mcp_servers.other]\ncommand = "o"\nargs = [ "1",\n "2" ]\n'
    )
    file = folder.write(".codex/config.toml", text)
    folder.set_up("codex", ("/usr/bin/python3", "-m", "understudy"))
    assert file.read_text().startswith(text)
    servers = toml.loads(file.read_text())["mcp_servers"]
    assert servers == {
        "other": {"command": "o", "args": ["1", "2"]},
        "understudy": {"command": "/usr/bin/python3", "args": ["-m", "understudy", "mcp"]},
    }


def test_hooks_of_earlier_versions_are_replaced(folder: Folder) -> None:
    mine = {"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]}
    line = "understudy check >&2; case $? in 0) exit 0;; 1|3) exit 2;; *) exit 1;; esac"
    old = {"matcher": "Edit", "hooks": [{"type": "command", "command": line, "timeout": 120}]}
    text = json.dumps({"hooks": {"PostToolUse": [mine, old], "Stop": []}})
    file = folder.write(".claude/settings.json", text)
    for program in (("understudy",), ("/opt/other place/understudy",)):
        folder.set_up("claude", program)
        hooks = json.loads(file.read_text())["hooks"]
        first, second = hooks["PostToolUse"]
        assert first == mine
        word = "understudy" if " " not in program[0] else f"'{program[0]}'"
        command = f"{word} check --format hook --agent claude"
        assert second["hooks"][0]["command"] == command
        assert hooks["Stop"][0]["hooks"][0]["command"] == f"{command}+compactions"


@pytest.mark.parametrize("agent", AGENTS)
def test_only_what_has_a_hook_of_compactions_says_that_it_hears_of_them(agent: str) -> None:
    """Else an agent would be told `as before` of what it has lost."""
    known = agent_named(agent)
    hearing = [file for file in known.files if "+compactions" in repr(file)]
    hook = known.hook
    compacting = [] if hook is None else [k for k, v in hook.events.items() if "compact" in v]
    assert len(hearing) == bool(compacting)
    for file in hearing:
        assert any(f"'{event}'" in repr(file) or f'"{event}"' in repr(file) for event in compacting)


@pytest.mark.parametrize(
    "data",
    [
        b'{"mcpServers": {}, "mcpServers": {}}',
        b'{\n  // mine\n  "mcpServers": {}\n}\n',
        b'{"mcpServers": {}, "n": NaN}',
        b'{"mcpServers": []}',
        b'{"mcpServers": {},}',
        b"[]",
        b"{",
        b'{"a" 1}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_merged_stays(folder: Folder, data: bytes) -> None:
    file = folder.write(".mcp.json", data)
    before = folder.files()
    with pytest.raises(BadInput) as caught:
        folder.set_up("copilot")
    assert (caught.value.code, caught.value.where) == ("not-mergeable", str(file))
    assert folder.files() == before


def test_the_lines_to_add_are_told(folder: Folder) -> None:
    folder.write("opencode.json", "{ mine }")
    with pytest.raises(BadInput) as caught:
        folder.set_up("opencode")
    assert "line 1: a key is missing" in caught.value.text
    entry = json.loads(caught.value.text.partition("by hand:\n")[2])
    assert entry["mcp"]["understudy"]["command"] == ["understudy", "mcp"]


@pytest.mark.parametrize(
    ("agent", "path", "text"),
    [
        ("codex", ".codex/config.toml", "[mcp_servers"),
        ("codex", ".codex/config.toml", 'mcp_servers = "x"\n'),
        ("codex", ".codex/config.toml", "a = 1\na = 2\n"),
        ("codex", ".codex/config.toml", '[mcp_servers.understudy]\ncommand = "o"\n'),
        ("aider", ".aider.conf.yml", "lint-cmd: ruff check\n"),
        ("opencode", ".opencode/plugin/understudy.js", "export const Mine = 1\n"),
    ],
)
def test_what_is_taken_already_stays(folder: Folder, agent: str, path: str, text: str) -> None:
    folder.write(path, text)
    before = folder.files()
    with pytest.raises(BadInput, match="by hand"):
        folder.set_up(agent)
    assert folder.files() == before


def test_a_file_that_changes_meanwhile_is_not_overwritten(folder: Folder) -> None:
    changes = folder.changes("zed")
    file = folder.write(".zed/settings.json", "{}")
    with pytest.raises(BadInput) as caught:
        write_changes(changes)
    assert caught.value.code == "file-changed"
    assert file.read_text() == "{}"


def test_a_read_only_file_is_named(folder: Folder) -> None:
    file = folder.write(".mcp.json", "{}")
    file.chmod(0o444)
    with pytest.raises(Refused) as caught:
        folder.set_up("claude")
    assert (caught.value.code, caught.value.where) == ("read-only", str(file))
    assert file.read_text() == "{}"


def test_what_two_agents_read_stays_for_the_other(folder: Folder) -> None:
    nothing = folder.files()
    folder.set_up("claude")
    with_one = folder.files()
    folder.set_up("copilot")
    folder.remove("copilot")
    assert folder.files() == with_one
    folder.set_up("copilot")
    folder.remove("claude")
    assert folder.has("copilot")
    folder.remove("copilot")
    assert folder.files() == nothing


def test_two_folders_share_a_file_of_the_home(folder: Folder, tmp_path: Path) -> None:
    file = folder.write("~/.config/opencode/opencode.json", '{\n  "theme": "x"\n}')
    before = file.read_bytes()
    (tmp_path / "other").mkdir()
    other = Root.open(tmp_path / "other")
    opencode = agent_named("opencode")
    folder.set_up("opencode")
    write_changes(setup_changes(opencode, other, folder.home, PROGRAM))
    assert len(json.loads(file.read_text())["permission"]["external_directory"]) == 4
    folder.remove("opencode")
    assert len(json.loads(file.read_text())["permission"]["external_directory"]) == 2
    write_changes(removal_changes(opencode, other, folder.home, PROGRAM))
    assert file.read_bytes() == before


@pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "zed"])
def test_the_entry_is_read_from_the_agents_own_file(folder: Folder, agent: str) -> None:
    program = ("/usr/bin/python3", "-m", "understudy")
    assert server_entry(folder.changes(agent, program)) == (*program, "mcp")


def test_the_reference_is_the_table() -> None:
    assert PAGE.read_text("utf-8") == page(), "python -m tools.agent_reference --write"


def test_a_user_adds_an_agent(folder: Folder) -> None:
    users_file().parent.mkdir(parents=True)
    users_file().write_text(
        '[hal]\ntitle = "HAL"\n[[hal.files]]\npath = ".hal.json"\nform = "json"\n'
        'entries = [{ at = ["servers", "understudy"], value = { command = "{command}" } }]\n'
        '[claude]\nasks = "nothing"\n'
    )
    assert agent_names()[-1] == "hal"
    write_changes(setup_changes(agent_named("hal"), folder.root, folder.home, PROGRAM))
    held = json.loads((folder.work / ".hal.json").read_text())
    assert held == {"servers": {"understudy": {"command": "understudy"}}}
    assert (agent_named("claude").asks, agent_named("claude").title) == ("nothing", "Claude Code")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[hal", "agents.toml"),
        ("hal = 1", "hal"),
        ('[hal]\ntitel = "HAL"\nfiles = []', "agents.hal.titel"),
        ('[hal]\ntitle = "HAL"\nfiles = [{ path = "../x", form = "file", text = "x" }]', "path"),
        ('[hal]\ntitle = "HAL"\nfiles = [{ path = "x", form = "json", text = "x" }]', "files[0]"),
    ],
)
def test_a_users_table_that_is_wrong_is_named(folder: Folder, text: str, where: str) -> None:
    users_file().parent.mkdir(parents=True)
    users_file().write_text(text)
    with pytest.raises(UnderstudyError) as caught:
        agent_named("hal")
    assert caught.value.code == "bad-setting"
    assert where in (caught.value.where or "")
    assert folder.files()
