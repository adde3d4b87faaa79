"""Two windows that tell of one terminal: a log each, with what its own window was given."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.recorded_shells import RecordedShell
from understudy.app.terminals.editor import (
    Closed,
    CommandBegin,
    CommandOutput,
    EditorTerminals,
    Event,
    Finish,
    MissedOutput,
    Told,
)
from understudy.app.terminals.listing import focus, listed, read_in
from understudy.app.terminals.switch import switch_in
from understudy.disk.layout import stopped_terminals
from understudy.process.tree import began
from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import STATE_VARIABLE, is_own
from understudy.workspace.settings import Settings

PID = 4_194_305
"""More than a process of Linux may have: nobody's."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def test_two_windows_with_the_same_terminal(tmp_path: Path) -> None:
    """Each may have been given another part of the output, so neither is put into the other."""
    windows = EditorTerminals(), EditorTerminals()

    def tell(window: int, *events: Event) -> str | None:
        told = Told(PID, "bash", "/p", None, events)
        return windows[window].take(told, tmp_path, Settings())

    names = ["1", "2"]
    assert [tell(window, CommandBegin("make", "/p")) for window in (0, 1)] == names
    assert tell(0, CommandOutput("one\r\ntwo\r\n")) == "1"
    assert tell(1, CommandOutput("one\r\n"), MissedOutput(5)) == "2"
    for window in (0, 1):
        tell(window, Finish(2))
    texts = [read_in(tmp_path, name, None, 1) for name in names]
    assert [reading.text.splitlines()[1:-1] for reading in texts] == [
        ["one", "two"],
        ["one", "#|   5 bytes missed: the output was too fast"],
    ]
    for reading in texts:
        assert reading.record is not None
        facts = (reading.record["exit_code"], reading.record["complete"], reading.terminal.complete)
        assert facts == (2, False, False)
    focus(tmp_path, PID)
    assert active(tmp_path) == ["2"]
    tell(1, Closed())
    assert active(tmp_path) == ["1"]
    assert tell(0, CommandBegin("true", "/p"), Finish(0)) == "1"
    assert [(log.status, log.n_commands) for log in listed(tmp_path)] == [
        ("idle", 2), ("closed", 1),
    ]  # fmt: skip
    for window in windows:
        window.close()
    assert {log.status for log in listed(tmp_path)} == {"closed"}


def test_one_that_is_idle_is_switched_at_once(tmp_path: Path) -> None:
    """Nothing is told of it, so nobody looks: whoever asks is told what holds from now on."""
    window = EditorTerminals()
    tell(window, tmp_path, CommandBegin("true", "/p"), Finish(0))
    assert switch_in(tmp_path, "1", off=True).status == "off"
    assert [log.status for log in listed(tmp_path)] == ["off"]
    tell(window, tmp_path, CommandBegin("env", "/p"), CommandOutput("private\r\n"), Finish(0))
    text = (tmp_path / "1.txt").read_text()
    assert "private" not in text
    assert "env" not in text
    assert "\nstatus: off " in text
    assert switch_in(tmp_path, "1", off=False).status == "idle"
    window.follow_switches()
    assert "\nstatus: idle " in (tmp_path / "1.txt").read_text()
    tell(window, tmp_path, CommandBegin("make", "/p"), CommandOutput("made\r\n"), Finish(0))
    assert "made" in (tmp_path / "1.txt").read_text()
    window.close()


def tell(window: EditorTerminals, folder: Path, *events: Event, **more: Any) -> str | None:
    """Tell of a terminal; of the one of this very process, if no other is named."""
    told = {"pid": os.getpid(), "shell": "bash", "cwd": "/p", "reason": None, **more}
    return window.take(Told(events=events, **told), folder, Settings())


def run(text: str) -> tuple[Event, ...]:
    return CommandBegin(f"show {text}", "/p"), CommandOutput(f"{text}\r\n"), Finish(0)


def make_old(path: Path) -> None:
    """As of eight days ago."""
    then = time.time() - 8 * 86_400
    os.utime(path, (then, then))


def kept(folder: Path) -> str:
    """All that lies there."""
    return "".join(path.read_text() for path in folder.iterdir() if path.is_file())


def test_a_stop_holds_in_the_next_connection_and_for_the_next_process(tmp_path: Path) -> None:
    """A restart, a reloaded window, the next task: each has a log of its own."""
    first, second = EditorTerminals(), EditorTerminals()
    assert tell(first, tmp_path, *run("before")) == "1"
    switch_in(tmp_path, "1", off=True)
    first.close()
    assert tell(second, tmp_path, *run("reloaded")) == "2"
    tell(second, tmp_path, Closed())
    assert tell(second, tmp_path, *run("task"), pid=PID, follows=os.getpid()) == "3"
    assert "reloaded" not in kept(tmp_path)
    assert "task" not in kept(tmp_path)
    assert [log.status for log in listed(tmp_path)] == ["closed", "closed", "off"]
    switch_in(tmp_path, "3", off=False)
    second.close()
    assert tell(EditorTerminals(), tmp_path, *run("resumed"), pid=PID) == "4"
    assert "show resumed" in kept(tmp_path), "going on holds, too"
    assert tell(EditorTerminals(), tmp_path, *run("stopped")) == "5"
    assert "show stopped" not in kept(tmp_path), "of that terminal alone"


def test_a_stop_is_not_that_of_a_later_process_of_the_same_number(tmp_path: Path) -> None:
    stopped_terminals().mkdir(parents=True)
    former = stopped_terminals() / f"{os.getpid()}-1"
    former.touch()
    assert tell(EditorTerminals(), tmp_path, *run("later")) == "1"
    assert "show later" in kept(tmp_path)
    switch_in(tmp_path, "1", off=True)
    switch_in(tmp_path, "1", off=False)
    assert former.exists(), "the next process of that terminal still has it"


def test_a_stop_is_one_small_file_of_the_user_alone(tmp_path: Path) -> None:
    window = EditorTerminals()
    tell(window, tmp_path, *run("before"))
    switch_in(tmp_path, "1", off=True)
    (stop,) = stopped_terminals().iterdir()
    assert stop.name == f"{os.getpid()}-{began(os.getpid())}"
    assert (stop.stat().st_size, stop.stat().st_mode & 0o777) == (0, 0o600)
    assert stop.parent.stat().st_mode & 0o777 == 0o700
    assert is_own(stop), "no face serves it"
    switch_in(tmp_path, "1", off=False)
    assert not list(stopped_terminals().iterdir())
    window.close()


def test_a_stop_holds_in_every_folder(tmp_path: Path) -> None:
    """A window of two folders tells the server of either."""
    one, other = tmp_path / "one", tmp_path / "other"
    first, second = EditorTerminals(), EditorTerminals()
    tell(first, one, *run("before"))
    tell(second, other, *run("there"))
    switch_in(one, "1", off=True)
    assert [log.status for log in listed(other)] == ["off"], "that of its log there, too"
    tell(second, other, *run("private"))
    first.close()
    second.close()
    tell(EditorTerminals(), other, *run("anew"), cwd="/private")
    assert "show there" in kept(other)
    for text in ("show private", "show anew", "/private"):
        assert text not in kept(other)
    tell(EditorTerminals(), other, *run("task"), pid=PID, follows=os.getpid())
    assert "show task" not in kept(other)


@pytest.mark.parametrize("way", ["number", "age"])
def test_a_stop_outlasts_the_logs(tmp_path: Path, way: str) -> None:
    settings = Settings(terminal_logs=3)
    first, second = EditorTerminals(), EditorTerminals()
    tell(first, tmp_path, *run("before"))
    switch_in(tmp_path, "1", off=True)
    first.close()
    if way == "age":
        for path in tmp_path.glob("1.*"):
            make_old(path)
    for number in range(3):
        told = Told(PID + number, "bash", "/p", None, (*run("more"), Closed()))
        second.take(told, tmp_path, settings)
    assert "show before" not in kept(tmp_path)
    tell(second, tmp_path, *run("private"))
    assert "show private" not in kept(tmp_path)


def test_the_number_of_an_older_terminal_hides_no_stop(tmp_path: Path) -> None:
    """The next task's process has the number of one that ended elsewhere."""
    window = EditorTerminals()
    tell(window, tmp_path, *run("one"), pid=PID)
    tell(window, tmp_path, *run("elsewhere"), Closed(), pid=PID + 1)
    switch_in(tmp_path, "1", off=True)
    tell(window, tmp_path, Closed(), pid=PID)
    tell(window, tmp_path, *run("private"), pid=PID + 1, follows=PID)
    assert "show private" not in kept(tmp_path)


def test_stops_of_processes_that_ended_long_ago_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    stopped_terminals().mkdir(parents=True)
    recent, old = (stopped_terminals() / f"{pid}-1" for pid in (ended.pid, PID))
    mine = stopped_terminals() / f"{os.getpid()}-{began(os.getpid())}"
    for path in (recent, old, mine):
        path.touch()
    for path in (old, mine):
        make_old(path)
    window = EditorTerminals()
    tell(window, tmp_path, pid=PID + 1)
    switch_in(tmp_path, "1", off=True)
    assert {path for path in (recent, old, mine) if path.exists()} == {recent, mine}


def test_where_stops_cannot_be_read_nothing_is_written(tmp_path: Path, state: Path) -> None:
    state.mkdir()
    stopped_terminals().touch()  # no folder
    tell(EditorTerminals(), tmp_path, *run("private"))
    assert "show private" not in kept(tmp_path)
    with pytest.raises(OutsideFailure, match="stopped-terminals"):
        switch_in(tmp_path, "1", off=True)


def test_a_stop_before_the_first_command_holds(tmp_path: Path) -> None:
    window = EditorTerminals()
    assert tell(window, tmp_path) == "1", "it is known before anything has run"
    assert switch_in(tmp_path, "1", off=True).status == "off"
    tell(window, tmp_path, *run("private"))
    assert "private" not in kept(tmp_path)
    window.close()


def test_what_was_withdrawn_ends_with_a_word(tmp_path: Path) -> None:
    window = EditorTerminals()
    tell(window, tmp_path, CommandBegin("serve", "/p"), CommandOutput("shown\r\n"))
    tell(window, tmp_path, Closed(withdrawn=True))
    (log,) = listed(tmp_path)
    assert (log.status, log.complete) == ("closed", False)
    assert read_in(tmp_path, "1", None, 1).text.splitlines()[1:-1] == [
        "shown", "#|   the recording was switched off here",
    ]  # fmt: skip
    assert tell(window, tmp_path, Closed(withdrawn=True)) is None, "nothing is left to end"
    assert len(listed(tmp_path)) == 1


def test_what_a_recorder_keeps_is_not_written_twice(tmp_path: Path) -> None:
    """A window that has been reloaded may not know how a terminal was opened."""
    shell = RecordedShell(tmp_path, "bash")
    shell.start()
    shell.run("echo once")
    (log,) = listed(shell.logs)
    window = EditorTerminals()
    assert tell(window, shell.logs, *run("twice"), pid=log.pid) == log.id
    assert [one.id for one in listed(shell.logs)] == [log.id]
    assert "twice" not in kept(shell.logs)
    assert tell(window, tmp_path / "other", *run("twice"), pid=log.pid) is None
    assert not (tmp_path / "other").exists(), "nor by the server of another folder"
    shell.leave()


def test_the_newest_log_stays_however_long_it_has_become(tmp_path: Path) -> None:
    """The oldest of its output makes room, not all of it when the next terminal is opened."""
    settings = Settings(terminal_mb=1, terminal_record_mb=64)
    output = "".join(f"request {number} {'x' * 1000}\r\n" for number in range(1500))
    for text in (output, ""):
        events = (CommandBegin("serve", "/p"), CommandOutput(text), Finish(0))
        window = EditorTerminals()
        window.take(Told(PID, "bash", "/p", None, events), tmp_path, settings)
        window.close()
    assert [log.id for log in listed(tmp_path)] == ["1", "2"]
    lines = read_in(tmp_path, "1", None, 1).text.splitlines()
    assert lines[1].startswith("request 0 ")
    assert lines[-2].startswith("request 1499 ")


def active(folder: Path) -> list[str]:
    return [log.id for log in listed(folder) if log.is_active]
