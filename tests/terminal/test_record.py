"""`understudy record` on a real terminal: it changes nothing there, and the log is true."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.recorded_shells import PROGRAM, RecordedTerminal
from tests.support.terminals import LIMIT_S


class Field:
    """A workspace with a state folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.root.mkdir()
        self.state = folder / "state"
        self.environment = {"UNDERSTUDY_STATE_DIR": str(self.state)}

    def start(self, *command: str) -> RecordedTerminal:
        return RecordedTerminal(["--", *command], self.root, self.environment)

    def ask(self, *arguments: str) -> dict[str, Any]:
        done = subprocess.run(
            [*PROGRAM, "terminals", *arguments, "--format", "json"],
            cwd=self.root,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return {**json.loads(done.stdout), "returned": done.returncode}

    def read(self) -> dict[str, Any]:
        return self.ask("read", "1")

    def output(self) -> list[str]:
        return self.read()["text"].splitlines()[1:-1]


@pytest.fixture
def field(tmp_path: Path) -> Field:
    return Field(tmp_path)


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143)],
)
def test_the_exit_code_is_the_commands(field: Field, script: str, code: int) -> None:
    terminal = field.start("sh", "-c", script)
    terminal.finish()
    assert terminal.status == code
    answer = field.read()
    assert (answer["exit_code"], answer["complete"], answer["grade"]) == (code, True, "full")


@pytest.mark.parametrize("command", [[], ["--", "sh", "-c", "cat; read line; cat; exit 3"]])
def test_input_that_has_ended_ends_a_shell(field: Field, command: list[str]) -> None:
    done = subprocess.run(
        [*PROGRAM, "record", "--yes", *command],
        cwd=field.root,
        env={**os.environ, **field.environment, "SHELL": "/bin/bash"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == (3 if command else 0)


HASTY = """from understudy.terminal import recorder
recorder._LOOK_S = 0.001  # it says twenty times a second that input has ended
from understudy.__main__ import main
main()
"""


def test_the_end_of_input_is_told_to_who_asks_late(field: Field) -> None:
    """A shell drops what came before its prompt: on a busy machine, five seconds and more of it."""
    reads = "import os, sys\nfor _ in range(150): assert os.read(0, 9) == b''\nsys.exit(4)"
    done = subprocess.run(
        [sys.executable, "-c", HASTY, "record", "--yes", "--", sys.executable, "-c", reads],
        cwd=field.root,
        env={**os.environ, **field.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 4


def test_programs_that_cannot_run(field: Field, tmp_path: Path) -> None:
    missing = field.start("no-such-program")
    assert b"no-such-program" in missing.finish()
    assert missing.status == 127
    plain = tmp_path / "plain"
    plain.write_text("")
    refused = field.start(str(plain))
    refused.finish()
    assert refused.status == 126


def test_the_terminal_shows_what_it_would_have_shown(field: Field) -> None:
    script = "stty size; tty > /dev/null && printf '\\033[31mred\\033[0m\\n50%%\\r100%%\\n'"
    seen = field.start("sh", "-c", script).finish()
    assert seen == b"30 120\r\n\x1b[31mred\x1b[0m\r\n50%\r100%\r\n"
    assert field.output() == ["30 120", "red", "100%"]
    assert field.read()["raw_bytes"] == len(seen)


def test_keys_and_interrupts_go_through(field: Field) -> None:
    terminal = field.start(
        "sh", "-c", "trap 'echo caught; exit 5' INT; echo ready; read x; echo $x"
    )
    terminal.wait_for(b"ready")
    terminal.type("\x03")
    terminal.finish()
    assert terminal.status == 5
    assert "caught" in "\n".join(field.output())


def test_a_resize_goes_through(field: Field) -> None:
    script = "trap 'stty size; exit' WINCH; echo ready; while :; do read -t 1 x; done"
    terminal = field.start("bash", "-c", script)
    terminal.wait_for(b"ready")
    for columns in range(40, 90):
        terminal.resize(columns, 20)
    terminal.finish()
    assert field.output()[1].startswith("20 ")


def test_the_end_of_the_terminal_ends_the_command(field: Field) -> None:
    terminal = field.start("sh", "-c", "echo ready; exec cat")
    terminal.wait_for(b"ready")
    os.kill(terminal.pid, signal.SIGTERM)
    terminal.finish()
    assert terminal.status == 128 + signal.SIGTERM
    assert field.read()["exit_code"] == 128 + signal.SIGTERM


def test_a_recorder_that_is_killed_leaves_a_log_that_says_so(field: Field) -> None:
    terminal = field.start("sh", "-c", "echo ready; exec cat")
    terminal.wait_for(b"ready")
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.finish()
    answer = field.ask("wait", "1", "--timeout", "300")
    assert answer["ended"] == "exited"
    assert answer["exit_code"] is None
    assert answer["complete"] is False


HOSTILE = {
    "random bytes": "import os; o(os.urandom(300_000))",
    "NULs": "o(bytes(100_000) + b'x\\n')",
    "unterminated": "o(b'\\x1b]0;' + b'a' * 30_000_000)",
    "one line": "o(b'y' * 20_000_000)",
    "marks": "o(b'#| 1 exit=0 complete=true\\r\\n\\x1b]633;D;0\\x07' * 1000)",
    "repeats": "o(b'x\\x1b[2147483647b' * 20)",
    "far away": "o(b'\\x1b[999999999;999999999H\\x1b[999999999L\\x1b[999999999@z' * 1000)",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_output(field: Field, name: str) -> None:
    script = f"import sys; o = sys.stdout.buffer.write; {HOSTILE[name]}; sys.exit(9)"
    terminal = field.start(sys.executable, "-c", script)
    n_seen = len(terminal.finish())
    assert terminal.status == 9
    assert field.ask("wait", "1", "--timeout", "300")["ended"] == "exited"
    answer = field.read()
    assert (answer["exit_code"], answer["raw_bytes"]) == (9, n_seen)
    marks = [line for line in answer["text"].splitlines() if line.startswith("#| 1 ")]
    assert len(marks) == 2
    if name in ("unterminated", "one line"):
        assert answer["complete"] is False


def test_a_full_screen_program_is_one_line(field: Field) -> None:
    field.start("sh", "-c", "echo a; printf '\\033[?1049hdrawn\\033[?1049l'; echo b").finish()
    text = field.output()
    assert text[0] == "a"
    assert text[1].startswith("#|   a full-screen program drew here")
    assert text[2] == "b"
    assert field.read()["complete"] is False


def test_without_a_log_the_command_runs_all_the_same(field: Field) -> None:
    field.state.write_text("not a folder")
    terminal = field.start("sh", "-c", "echo works; exit 4")
    seen = terminal.finish()
    assert b"works" in seen
    assert b"not recorded" in seen
    assert terminal.status == 4


def test_a_state_folder_that_vanishes(field: Field) -> None:
    terminal = field.start("sh", "-c", "echo ready; read x; echo got $x; exit 6")
    terminal.wait_for(b"ready")
    subprocess.run(["rm", "-r", str(field.state)], check=True)
    terminal.type("it\r")
    assert b"got it" in terminal.finish()
    assert terminal.status == 6
    assert field.ask("list")["terminals"] == []


def test_waiting_for_a_line_and_for_nothing(field: Field) -> None:
    terminal = field.start("sh", "-c", "echo one; read x; echo two")
    terminal.wait_for(b"one")
    found = field.ask("wait", "1", "--match", "^on", "--timeout", "300")
    assert (found["ended"], found["line"], found["status"]) == ("matched", "one", "running")
    timed_out = field.ask("wait", "1", "--match", "never", "--timeout", "0")
    assert (timed_out["ended"], timed_out["returned"]) == ("timeout", 1)
    assert timed_out["complete"] is False
    terminal.type("\r")
    terminal.finish()
    assert field.ask("wait", "1", "--match", "never")["ended"] == "exited"


@pytest.mark.parametrize("command", [(), ("",)])
def test_nothing_to_record(field: Field, command: tuple[str, ...]) -> None:
    terminal = field.start(*command)
    assert b"no-command" in terminal.finish()
    assert terminal.status == 2
    assert field.ask("list")["terminals"] == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("read", "5"), "unknown-terminal"),
        (("read", "../x"), "unknown-terminal"),
        (("read", "1", "--tail", "0"), "bad-tail"),
        (("wait", "1", "--match", "("), "bad-pattern"),
    ],
)
def test_bad_questions(field: Field, arguments: tuple[str, ...], code: str) -> None:
    answer = field.ask(*arguments)
    assert answer["error"]["code"] == code
    assert answer["returned"] == 2


def test_forty_quick_commands_are_all_complete(field: Field) -> None:
    for number in range(40):
        field.start("echo", f"n{number}").finish()
    terminals = field.ask("list")["terminals"]
    assert [terminal["complete"] for terminal in terminals] == [True] * 40
    assert [field.ask("read", str(n + 1))["text"].splitlines()[1] for n in (0, 20, 39)] == [
        "n0", "n20", "n39",
    ]  # fmt: skip
