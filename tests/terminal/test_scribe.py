"""The process that writes the log may lag, hang or die: the terminal goes on, the log is true."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.programs import program
from tests.support.recorded_shells import SHELLS, RecordedShell
from tests.support.terminals import OnPty
from tests.toys import small_spool
from understudy.terminal.log import header as log_header
from understudy.terminal.log.file import LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.ring import Ring
from understudy.terminal.scribe import PIECE, Scribe, Size


def scribe_of(session: RecordedShell) -> int:
    """The recorder's child that is no shell; shells start programs of their own."""
    shell = Path(session.environment["SHELL"]).name
    children = psutil.Process(session.terminal.pid).children()
    (found,) = (child.pid for child in children if program(child.pid) != shell)
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_a_scribe_that_is_killed_changes_nothing_for_the_shell(tmp_path: Path, shell: str) -> None:
    session = RecordedShell(tmp_path, shell)
    session.start()
    session.run("echo one")
    os.kill(scribe_of(session), signal.SIGKILL)
    session.run("seq 20000")
    session.run("echo still here")
    assert b"still here\r\n" in session.terminal.seen
    session.leave("exit 3")
    assert session.terminal.status == 3
    (answer,) = session.ask("list")["terminals"]
    assert (answer["status"], answer["complete"]) == ("lost", False)
    assert "still here" not in session.log()


def test_a_scribe_that_hangs_holds_nobody_up_and_loses_nothing(tmp_path: Path) -> None:
    session = RecordedShell(tmp_path, "bash")
    session.start()
    scribe = scribe_of(session)
    os.kill(scribe, signal.SIGSTOP)
    try:
        session.run("seq 20000")
        session.type("exit 3")
        OnPty.finish(session.terminal)  # the terminal's other side is closed: only we are there
        assert session.terminal.status == 3
        assert psutil.Process(scribe).status() == psutil.STATUS_STOPPED
    finally:
        os.kill(scribe, signal.SIGCONT)
    assert session.ask("wait", "1", "--timeout", "300")["ended"] == "exited"
    session.wait_until(lambda text: "\nstatus: closed " in text)
    first, last = session.commands()
    assert session.output(first) == [str(number) for number in range(1, 20001)]
    assert (first["complete"], last["command"], last["exit_code"]) == (True, "exit 3", 3)


def test_a_flood_that_the_spool_cannot_hold_hides_no_command(tmp_path: Path) -> None:
    """Its middle is missed and counted; its end, and what is typed after it, is not."""
    session = RecordedShell(tmp_path, "bash")
    session.start(program=(sys.executable, small_spool.__file__))
    scribe = scribe_of(session)
    os.kill(scribe, signal.SIGSTOP)
    line, n_lines = "an ordinary line of a log, as long as the lines of logs are", 250_000
    try:
        session.run(f"stty -opost; yes $'{line}\\r' | head -n {n_lines}; stty opost; (exit 7)")
        n_bytes = n_lines * (len(line) + 2)
        assert n_bytes > small_spool.CAPACITY
        session.run("echo after; (exit 8)")
    finally:
        os.kill(scribe, signal.SIGCONT)
    session.leave("exit 3")
    flood, after, last = session.commands()
    assert (flood["exit_code"], flood["complete"]) == (7, False)
    assert flood["missed"] > 0
    assert flood["raw_bytes"] + flood["missed"] == n_bytes
    assert session.output(flood)[-1] == line
    assert (after["exit_code"], after["complete"], session.output(after)) == (8, True, ["after"])
    assert (last["exit_code"], session.terminal.status) == (3, 3)


def test_the_header_says_how_far_the_log_is_behind(tmp_path: Path) -> None:
    log = LogFile(tmp_path, "1", Header(1, "/", "", "idle", None, None, None, "full"))
    log.begin("flood", "/", "2026-11-21T08:00:00Z")
    ring, (reading, writing) = Ring(), os.pipe()
    data = b"a line of a flood\r\n" * (4 * PIECE // 19)
    assert ring.write(data) == 0
    scribe = Scribe(ring, reading, log, Size(80, 24), None)
    scribe._advance()
    scribe._flush()
    behind = len(data) - PIECE
    assert f"behind={behind} bytes" in capture(log.path)
    os.write(writing, json.dumps({"exit": 0, "clock": 5, "at": len(data)}).encode() + b"\n")
    os.close(writing)
    scribe.run()
    os.close(reading)
    assert "behind" not in capture(log.path)
    (entry,) = map(json.loads, log.path.with_suffix(".cmds.jsonl").read_text().splitlines())
    assert (entry["raw_bytes"], entry["missed"], entry["exit_code"]) == (len(data), 0, 0)


def capture(path: Path) -> str:
    return str(log_header.parse(path.read_bytes())["capture"])
