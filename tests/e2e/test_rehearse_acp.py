"""`understudy rehearse --acp`: between an editor and an agent that speak the protocol."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import (
    TESTS,
    UNDERSTUDY,
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.warm_hosts import Hosts
from tests.support.workspace import state_of

Json = dict[str, Any]
UNSAVED = "one\u2028of one line\ntwo, not saved yet\n"


@pytest.fixture
def shell(tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    monkeypatch.delenv("CI", raising=False)
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {"a.txt": "one\n", "b.txt": "fine\n"})
    shutil.copy(TESTS / "support" / "acp_agent.py", folder / "agent.md")
    yield Shell(folder, state)
    Hosts(state).end()


class EditorSide:
    """An editor that has one file open, unsaved; it answers what the agent asks of it."""

    def __init__(self, shell: Shell, *options: str) -> None:
        self.folder = shell.folder
        self.updates: list[Any] = []
        self.asked: list[str] = []
        self._ids = itertools.count(1)
        self.process = subprocess.Popen(
            [*UNDERSTUDY, "rehearse", "--acp", *options, "--", UNDERSTUDY[0], "agent.md"],
            cwd=shell.folder,
            env=child_environment(shell.state),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, method: str, params: Json) -> Any:
        number = next(self._ids)
        self._say({"id": number, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self._answer(message)
            elif message["id"] == number:
                return message.get("result", message.get("error"))
        raise AssertionError("it has ended")

    def prompt(self, *steps: Any) -> tuple[Any, list[Any]]:
        self.updates.clear()
        text = json.dumps(steps)
        prompt = [{"type": "text", "text": text}]
        answer = self.ask("session/prompt", {"sessionId": "s1", "prompt": prompt})
        return answer, [json.loads(one) for one in self.updates]

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def _answer(self, message: Json) -> None:
        method, params = message["method"], message["params"]
        if method == "session/update":
            self.updates.append(params["update"]["content"]["text"])
            return
        self.asked.append(method)
        if method == "fs/read_text_file":
            is_open, file = params["path"] == self.path("a.txt"), Path(params["path"])
            if not file.exists():
                self._say({"id": message["id"], "error": {"code": -32002, "message": "none"}})
                return
            text = UNSAVED if is_open else file.read_text()
            self._say({"id": message["id"], "result": {"content": text}})
        else:
            self._say({"id": message["id"], "result": {"as it is": params}})

    def _say(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()


def test_an_agent_lives_in_a_branch_and_knows_nothing_of_it(shell: Shell) -> None:
    before = state_of(shell.folder)
    editor = EditorSide(shell, "--until-clean", "2")
    fs = {"readTextFile": True}
    hello = editor.ask(
        "initialize", {"protocolVersion": 1, "clientCapabilities": {"fs": fs, "own": 1}}
    )
    services = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
    assert hello["seen"] == {**services, "own": 1}
    assert editor.ask("session/new", {"cwd": str(shell.folder)})["sessionId"] == "s1"
    assert editor.ask("session/set_mode", {"any": [1]}) == {"echo": {"any": [1]}}

    a, b = editor.path("a.txt"), editor.path("b.txt")
    answer, told = editor.prompt(
        ["fs/read_text_file", {"path": a}],
        ["open", {"path": a}],
        ["fs/read_text_file", {"path": a, "line": 2, "limit": 1}],
        ["fs/read_text_file", {"path": "/etc/passwd"}],
        ["fs/read_text_file", {"path": editor.path("none.txt")}],
        ["session/request_permission", {"options": [1]}],
        ["terminal/create", {"command": "sh", "args": ["-c", "echo $X; echo hi > new.txt; exit 3"],
                             "env": [{"name": "X", "value": "from env"}]}],
        ["terminal/wait_for_exit", {}],
        ["terminal/output", {}],
        ["terminal/release", {}],
        ["terminal/output", {}],
    )  # fmt: skip
    assert answer == {"stopReason": "end_turn"}
    assert told[0] == {"content": UNSAVED}
    assert told[1] == UNSAVED, "what is on the disk of the stage is the same"
    assert told[2] == {"content": "two, not saved yet\n"}
    assert told[3]["data"]["code"] == "outside-root"
    assert told[4]["code"] == -32002
    assert told[5] == {"as it is": {"sessionId": "s1", "options": [1]}}
    assert told[7] == {"exitCode": 3, "signal": None}
    assert told[8]["output"] == "from env\n"
    assert told[10]["data"]["code"] == "unknown-terminal"
    assert "terminal/create" not in editor.asked

    answer, told = editor.prompt(
        ["fs/write_text_file", {"path": a, "content": UNSAVED + "three\n"}],
        ["fs/write_text_file", {"path": b, "content": "BAD\n"}],
        ["fs/read_text_file", {"path": b}],
    )
    assert answer == {"stopReason": "end_turn"}
    assert told[2] == {"content": "BAD\n"}
    assert "b.txt:1:1: error" in told[3]["told"], "its own next prompt says what it has broken"
    assert len(told) == 4, "and says it once"
    assert state_of(shell.folder) == before
    diff = shell("branches", "diff", "b1").out
    assert "+three\n" in diff
    assert "-fine\n+BAD\n" in diff
    editor.process.communicate(timeout=SECONDS)  # the editor goes, and the agent with it
    assert state_of(shell.folder) == before


def test_a_terminal_is_no_editor(shell: Shell) -> None:
    done = shell("rehearse", "--acp", "--", "no-such-agent")
    assert (done.code, "no-such-agent" in done.err) == (127, True)
