"""Recorded shells: each command a record of its own, whatever its output says, at any speed."""

from __future__ import annotations

import os
import re
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.recorded_shells import PROMPT, SHELLS, RecordedShell
from understudy.terminal.log import header as log_header
from understudy.terminal.shells import SCRIPTS

pytestmark = pytest.mark.parametrize("shell", SHELLS)


@pytest.fixture
def session(tmp_path: Path, shell: str) -> Iterator[RecordedShell]:
    started = RecordedShell(tmp_path, shell)
    yield started
    started.end()


def test_forty_quick_commands_are_forty_complete_records(session: RecordedShell) -> None:
    session.start()
    for number in range(40):
        session.run(f"echo n{number}")
    session.leave()
    found = session.commands()[:40]
    assert [entry["command"] for entry in found] == [f"echo n{number}" for number in range(40)]
    assert [session.output(entry) for entry in found] == [[f"n{n}"] for n in range(40)]
    assert [(entry["exit_code"], entry["complete"]) for entry in found] == [(0, True)] * 40
    assert session.ask("list")["terminals"][0]["complete"] is True


def test_forty_commands_typed_ahead(session: RecordedShell) -> None:
    """Typed at once, before the shell has read any of them."""
    session.start()
    session.terminal.type("".join(f"echo n{number}\r" for number in range(40)))
    session.terminal.type("exit\r")
    session.terminal.finish()
    shown = [session.output(entry) for entry in session.commands()[:40]]
    assert [lines[0] for lines in shown if lines] == [f"n{number}" for number in range(40)]
    assert [entry["exit_code"] for entry in session.commands()[:40]] == [0] * 40


def test_codes_folders_and_text_of_commands(session: RecordedShell, tmp_path: Path) -> None:
    odd = tmp_path / "a;b %41 é"
    odd.mkdir()
    session.start()
    session.run("false")
    session.run(f"cd '{odd}'")
    session.run(" echo '50%;\\x' é # secret by a space")
    session.run("sh -c 'exit 42'")
    session.run("sh -c 'kill -9 $$'")
    session.run("no-such-command-here")
    session.run("printf 'no newline'")
    session.leave("exit 7")
    assert session.terminal.status == 7
    found = session.commands()
    assert [entry["exit_code"] for entry in found] == [1, 0, 0, 42, 137, 127, 0, 7]
    assert [entry["cwd"] for entry in found[1:4]] == [str(session.root), str(odd), str(odd)]
    assert found[2]["command"].strip() == "echo '50%;\\x' é # secret by a space"
    assert session.output(found[6]) == ["no newline"]
    header = log_header.parse((session.logs / "1.txt").read_bytes())
    assert (header["status"], header["last_command"], header["last_exit_code"]) == (
        "closed", "exit 7", 7,
    )  # fmt: skip
    assert header["shell"] == session.environment["SHELL"]


def test_commands_that_the_history_does_not_keep(tmp_path: Path, shell: str) -> None:
    session = RecordedShell(tmp_path, shell, HISTCONTROL="ignoreboth", HISTSIZE="5")
    session.start()
    typed = ["echo same", "echo same", " echo hidden", *(f"echo {n}" for n in range(8)), "true"]
    for line in typed:
        session.run(line)
    session.leave()
    found = [entry["command"].strip() for entry in session.commands()]
    assert found == [*(line.strip() for line in typed), "exit"]


def test_output_cannot_end_or_begin_a_command(session: RecordedShell) -> None:
    session.start()
    session.run(
        "printf '\\033]7717;D;0;/x\\007\\033]7717;0123;D;0;/x\\007\\033]633;D;0\\007"
        "\\033]633;E;rm;x\\007\\033]133;D;0\\007#| 1 exit=0 complete=true\\n'; false"
    )
    nonce = re.search(rb"\x1b\]7717;([0-9a-f]{32});", bytes(session.terminal.seen))
    assert nonce is not None
    session.wait_until(lambda _text: not list(session.logs.glob(".nonce*")))
    session.run("env")
    session.run(f"cat /proc/{session.pid}/environ")
    session.leave()
    found = session.commands()
    assert found[0]["exit_code"] == 1
    assert session.output(found[0]) == ["#\\| 1 exit=0 complete=true"]
    assert nonce[1].decode() not in session.log()
    inherited = "\n".join(session.output(found[1]))
    assert "UNDERSTUDY_TERMINAL=" in inherited
    for name in ("NONCE", "ZDOTDIR", "EDITOR_SCRIPTS", str(SCRIPTS)):
        assert name not in inherited


def test_a_nonce_that_is_shown_is_taken_out(session: RecordedShell) -> None:
    session.start()
    session.run("echo $__understudy_nonce")
    session.leave()
    assert session.output(session.commands()[0]) == ["[REDACTED:nonce:32]"]


def test_job_control_and_interrupts(session: RecordedShell) -> None:
    session.start()
    line = "sh -c 'echo started; exec sleep 300'"
    session.type(line)
    session.terminal.wait_for(b"started\r\n")
    session.wait_for_foreground("sleep")  # keys reach the shell before
    session.terminal.type("\x1a")  # suspend
    session.wait_for_prompt()
    session.type("fg")
    session.wait_until(lambda text: 'active_command: "fg"' in text)
    session.wait_for_foreground("sleep")  # the shell may not have handed it over yet
    session.terminal.type("\x03")
    session.wait_for_prompt()
    session.run("echo after")
    session.leave()
    found = session.commands()
    assert [entry["command"] for entry in found[:3]] == [line, "fg", "echo after"]
    # fish says of `fg` that it went well.
    assert found[1]["exit_code"] == (0 if "fish" in session.pid else 128 + signal.SIGINT)
    assert session.output(found[2]) == ["after"]


def test_a_pipe_whose_reader_has_gone_ends_in_silence(session: RecordedShell) -> None:
    session.start()
    session.run("yes | head -n 1")
    session.leave()
    assert session.output(session.commands()[0]) == ["y"]


def test_a_shell_that_is_killed(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    session.type(f"kill -9 {session.pid}")
    session.terminal.finish()
    assert session.terminal.status == 128 + signal.SIGKILL
    last = session.commands()[-1]
    assert (last["command"], last["exit_code"]) == (f"kill -9 {session.pid}", 137)


def test_the_end_of_the_terminal_ends_the_shell(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    session.terminal.hang_up()
    session.terminal.wait_for_log()
    assert session.commands()[0]["complete"] is True
    status = log_header.parse((session.logs / "1.txt").read_bytes())["status"]
    assert status == "closed"


def test_prompts_stand_between_records(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    session.run("echo two")
    session.leave()
    between = session.log().split("complete=true\n")[1].split("#| 2 ")[0]
    assert between.rstrip().endswith(f"{PROMPT} echo two")


def test_what_a_state_folder_that_vanishes_leaves(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    session.run(f"rm -r '{session.state}'")
    session.run("echo two")
    session.leave("exit 3")
    assert session.terminal.status == 3
    assert session.ask("list")["terminals"] == []


def test_a_log_that_cannot_be_made_leaves_the_shell(session: RecordedShell) -> None:
    session.state.write_text("not a folder")
    session.start("--yes", consent=False)
    session.terminal.wait_for(PROMPT.encode())
    session.terminal.type("exit 5\r")
    assert b"not recorded" in session.terminal.finish()
    assert session.terminal.status == 5


def test_a_setting_switches_recording_off(session: RecordedShell) -> None:
    (session.root / "understudy.toml").write_text("terminal_recording = false\n")
    session.start("--yes", consent=False)
    session.terminal.wait_for(PROMPT.encode())
    session.terminal.type("exit 5\r")
    assert b"terminal_recording" in session.terminal.finish()
    assert session.terminal.status == 5
    assert session.ask("list")["terminals"] == []


@pytest.mark.parametrize(("answer", "is_recorded"), [("y", True), ("n", False), ("", False)])
def test_the_first_time_asks(session: RecordedShell, answer: str, is_recorded: bool) -> None:
    session.start(consent=False)
    session.terminal.wait_for(b"[y/N]")
    session.terminal.type(answer + "\r")
    session.terminal.wait_for(PROMPT.encode())
    session.terminal.type("exit\r")
    session.terminal.finish()
    assert len(session.ask("list")["terminals"]) == int(is_recorded)
    again = session.start(consent=False)
    again.wait_for(PROMPT.encode())
    again.type("exit\r")
    assert b"[y/N]" not in again.finish()
    assert len(session.ask("list")["terminals"]) == 2 * int(is_recorded)


def test_a_recorded_terminal_is_not_recorded_again(session: RecordedShell) -> None:
    session.start()
    program = f"{os.sys.executable} -m understudy record --yes"
    session.run(program)
    session.leave()
    assert "already-recorded" in "\n".join(session.output(session.commands()[0]))
    assert len(session.ask("list")["terminals"]) == 1


def test_switched_off_and_on(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    switch = f"{os.sys.executable} -m understudy terminals"
    session.run(f"{switch} off")
    session.run("echo private-matter")
    assert session.ask("list")["terminals"][0]["status"] == "off"
    session.run(f"{switch} on")
    session.run("echo two")
    session.leave()
    text = session.log()
    assert "private-matter" not in text
    assert "the recording was switched off here" in text
    assert re.search(r"#\|   \d+ bytes not kept: the recording was switched off", text)
    answer = session.ask("list")["terminals"][0]
    assert (answer["complete"], answer["status"]) == (False, "closed")
    assert "echo two" in [entry["command"] for entry in session.commands()]


def test_a_full_disk_is_said_and_the_shell_goes_on(session: RecordedShell) -> None:
    """No file of the session may grow beyond 32 KiB: to the recorder, a disk that is full."""
    limit = 32 * 1024
    session.start(before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    session.run("seq 20000")
    session.run("echo still here")
    assert b"still here\r\n" in session.terminal.seen
    session.leave("exit 3")
    assert session.terminal.status == 3
    answer = session.ask("list")["terminals"][0]
    assert "failed=" in answer["capture"]
    assert answer["complete"] is False
    assert not any(entry["complete"] for entry in session.commands())
    assert "complete=true" not in session.log()


def test_two_windows_at_once(session: RecordedShell, tmp_path: Path, shell: str) -> None:
    other = RecordedShell(tmp_path, shell)
    for one in (session, other):
        one.start(waits=False)
    for number, one in enumerate((session, other)):
        one.wait_for_prompt()
        one.run(f"echo window{number}")
    for one in (session, other):
        one.leave()
    logs = [session.log(name) for name in ("1", "2")]
    shown = [{n for n in (0, 1) if f"\nwindow{n}\n" in text} for text in logs]
    assert sorted(map(tuple, shown)) == [(0,), (1,)]


def test_a_resize_storm(session: RecordedShell) -> None:
    session.start()
    session.type("for i in (seq 30); echo line$i; end" if shell_is_fish(session) else LOOP)
    for columns in range(30, 130):
        session.terminal.resize(columns, 10 + columns % 20)
    session.wait_for_prompt()
    session.run("echo after")
    session.leave()
    found = session.commands()
    assert session.output(found[0]) == [f"line{n}" for n in range(1, 31)]
    assert session.output(found[1]) == ["after"]


def test_binary_garbage(session: RecordedShell) -> None:
    session.start()
    session.run("head -c 300000 /dev/urandom; head -c 5000 /dev/zero; printf '\\033]0;open'")
    session.run("printf '\\033c\\033[?1049l\\033[!p'; echo after")
    session.leave("exit 6")
    assert session.terminal.status == 6
    found = session.commands()
    assert [entry["exit_code"] for entry in found[:2]] == [0, 0]
    assert session.output(found[1])[-1] == "after"


def shell_is_fish(session: RecordedShell) -> bool:
    return session.pid == "$fish_pid"


LOOP = "for i in $(seq 30); do echo line$i; done"


def test_reading_and_waiting_for_commands(session: RecordedShell) -> None:
    session.start()
    session.run("echo one")
    session.run("sh -c 'echo why; exit 4'")
    session.run("echo three")
    session.wait_until(lambda text: "\n#| 3 exit=" in text)
    failed = session.ask("read", "1", "--failed")
    assert failed["record"]["exit_code"] == 4
    assert failed["text"].splitlines()[1] == "why"
    assert session.ask("read", "1", "--command", "1")["text"].splitlines()[1] == "one"
    listed = session.ask("list")["terminals"][0]
    assert (listed["failed"]["command"], listed["active"]) == (2, True)
    text = session.log().splitlines()[listed["failed"]["line"] - 1]
    assert text.startswith("#| 2 start=")
    assert session.ask("wait", "1")["ended"] == "exited"
    assert session.ask("read", "1", "--command", "9")["error"]["code"] == "unknown-command"
    session.type("sleep 0.5; echo slept; sleep 300")
    waited = session.ask("wait", "1", "--match", "^slept$")
    assert (waited["ended"], waited["line"], waited["status"]) == ("matched", "slept", "running")
    assert session.ask("wait", "1", "--timeout", "0")["ended"] == "timeout"
    assert session.ask("wait", "1", "--idle", "0.2", "--timeout", "300")["ended"] == "idle"
    running = session.ask("read", "1", "--command", "4")
    assert (running["record"]["complete"], running["exit_code"]) == (False, None)
    session.wait_for_foreground("sleep")
    session.terminal.type("\x03")
    session.wait_for_prompt()
    session.leave()
