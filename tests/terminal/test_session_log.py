"""What marks mean for records, where times and ends are not as they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from understudy.terminal.log.file import LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.log.session import SessionLog
from understudy.terminal.marks import Begun, Ended, Typing
from understudy.terminal.screen.transcript import Transcript


def session_in(folder: Path) -> tuple[SessionLog, LogFile]:
    log = LogFile(folder, "1", Header(1, "/", "bash", "idle", None, None, None, "full"))
    session = SessionLog(log, has_marks=True)
    session.transcript = Transcript(80, 24, session.write)
    return session, log


def entries(log: LogFile) -> list[dict[str, Any]]:
    lines = log.path.with_name("1.cmds.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_clock_that_jumps_changes_no_duration(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    session.now(10.0, 2_000_000_000)
    session.mark(Begun("/", "make", 0))
    session.feed(b"out\r\n")
    session.now(12.5, 1_000)
    session.mark(Ended(0, "/"))
    session.mark(Begun("/", "again", 0))
    session.mark(Ended(0, "/"))
    first, second = entries(log)
    assert (first["seconds"], first["start"]) == (2.5, "2033-05-18T03:33:20Z")
    assert (second["seconds"], second["start"]) == (0.0, "1970-01-01T00:16:40Z")


def test_a_command_whose_end_was_not_seen_is_not_complete(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    session.mark(Begun("/", "first", 0))
    session.feed(b"out\r\n")
    session.mark(Begun("/", "second", 0))
    session.mark(Ended(3, "/"))
    session.mark(Ended(0, "/"))
    first, second = entries(log)
    assert (first["exit_code"], first["complete"]) == (None, False)
    assert (second["exit_code"], second["complete"]) == (3, True)


def test_missed_marks_leave_the_exit_code_unknown(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    session.mark(Begun("/", "flood", 0))
    session.miss(1000, 2)
    session.mark(Ended(3, "/"))
    session.mark(Begun("/", "flood", 0))
    session.miss(1000, 0)
    session.mark(Ended(3, "/"))
    session.mark(Begun("/", "flood", 0))
    session.miss(1000, 2)
    session.finish(0)  # the shell's own code: the command's end was among what was missed
    codes = [(entry["exit_code"], entry["missed"]) for entry in entries(log)]
    assert codes == [(None, 1000), (3, 1000), (None, 1000)]
    assert not any(entry["complete"] for entry in entries(log))


def test_a_command_that_no_history_keeps_is_read_off_the_screen(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    for typed, shown in (
        (b"~/p $ ", b"echo $HOME\r\n"),
        (b"~/p $ ", b"cat <<E\r\n> x\r\n> E\r\n"),
        (b"", b"hidden prompt\r\n"),
        (b"~/p $ ", b"\r\n"),
    ):
        session.feed(typed)
        session.mark(Typing())
        session.feed(shown)
        session.mark(Begun("/p", None, 0))
        session.mark(Ended(0, "/p"))
    assert [entry["command"] for entry in entries(log)] == [
        "echo $HOME", "cat <<E\n> x\n> E", None, None,
    ]  # fmt: skip


def test_a_command_line_that_was_too_long_says_so(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    session.mark(Begun("/", "echo aaa", 500))
    session.mark(Ended(0, "/"))
    assert entries(log)[0]["command"] == "echo aaa [500 characters more]"


def test_raw_bytes_are_those_between_the_marks(tmp_path: Path) -> None:
    session, log = session_in(tmp_path)
    session.feed(b"$ echo\r\n")
    session.mark(Begun("/", "echo", 0))
    session.feed(b"\x1b[31mred\x1b[0m\r\n")
    session.mark(Ended(0, "/"))
    assert entries(log)[0]["raw_bytes"] == 14
