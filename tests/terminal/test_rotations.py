"""A log goes on in a new file while it is read, waited for, searched, and full of secrets."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.log_rotations import after_each_step
from tests.support.sessions import open_session
from understudy.app.context.stored_text import StoredWish, stored_text
from understudy.app.terminals import wait as wait_module
from understudy.app.terminals.listing import listed, read_in
from understudy.app.terminals.wait import WaitWish, wait_in
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import SIZE, Header
from understudy.terminal.log.session import SessionLog
from understudy.terminal.screen.transcript import Transcript
from understudy.workspace.workers import Workers

START = "2026-11-26T08:00:00Z"
TOKEN = "ghp_0123456789abcdefABCDEF0123456789abcd"
FILE_BYTES, KEPT_BYTES = 4000, 20_000


def log_in(folder: Path, kept_bytes: int = KEPT_BYTES) -> LogFile:
    header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
    return LogFile(folder, "1", header, max_file_bytes=FILE_BYTES, kept_bytes=kept_bytes)


def run(log: LogFile, command: str) -> None:
    log.begin(command, "/p", START)
    log.write("x" * 200 + "\n")
    log.end(End(0, 0.1, 0, 200))


def serve(log: LogFile, n_lines: int, word: str = "request") -> None:
    for number in range(n_lines):
        log.write(f"{word} {number} {'x' * 60}\n")
        log.show(["still changing"])


def missing(numbers: list[int]) -> list[int]:
    return [n for n in range(numbers[0], numbers[-1]) if n not in numbers]


async def test_a_command_keeps_its_number_when_all_before_it_makes_room(tmp_path: Path) -> None:
    log, workers = log_in(tmp_path), Workers()
    while not log_folder.log_of(tmp_path, "1").older or log_folder.log_of(tmp_path, "1").commands:
        run(log, "before")
        log.begin("serve", "/p", START)
        if log_folder.log_of(tmp_path, "1").commands:
            log.end(End(0, 0.1, 0, 0))
        else:
            break
    number = log_folder.log_of(tmp_path, "1").record
    assert number > 1
    try:
        waiting = asyncio.create_task(
            wait_in(tmp_path, "1", WaitWish("^never$", seconds=0.5), workers)
        )
        await asyncio.sleep(0)  # it knows what runs
        serve(log, 600)
        assert log_folder.log_of(tmp_path, "1").ended == ()
        assert (await waiting).ended == "timeout"
        found = read_in(tmp_path, "1", None, number)
        assert found.record is not None
        assert (found.record["id"], found.record["command"]) == (number, "serve")
        assert found.text.startswith(f"#| {number} start=")
        waiting = asyncio.create_task(wait_in(tmp_path, "1", WaitWish(), workers))
        await asyncio.sleep(0)
        log.end(End(3, 0.1, 0, 0))
        log.begin("next", "/p", START)
        assert (await waiting).ended == "exited"
        assert log_folder.log_of(tmp_path, "1").record == number + 1
        assert read_in(tmp_path, "1", None, number).text.splitlines()[-1].startswith("#| ")
    finally:
        await workers.close()


def test_a_reader_that_meets_a_new_file_at_any_step_finds_all(tmp_path: Path) -> None:
    found = after_each_step("read", tmp_path)
    assert len(found) > 20
    assert {one["reader"] for one in found} == {"list", "read", "wait"}
    for one in found:
        expected = {"list": [["running", "serve"]], "read": [], "wait": "timeout"}
        assert one["found"] == expected[one["reader"]], one


def test_what_the_disk_does_not_show_is_not_taken_for_deleted(tmp_path: Path) -> None:
    (found,) = after_each_step("deny", tmp_path)
    assert (found["gone"], found["code"], found["complete"]) == (False, "state-unreadable", True)
    ((name, status, capture),) = found["listed"]
    assert (name, status) == ("1", "lost")
    assert "Permission denied" in capture
    assert found["gone later"] is True


def test_a_disk_that_takes_no_new_file_is_not_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, way = log_in(tmp_path), tmp_path / "1.next.txt"
    tried, next_of = list[Path](), log_rotation.next_of
    monkeypatch.setattr(log_rotation, "next_of", lambda path: tried.append(path) or next_of(path))
    log.begin("serve", "/p", START)
    (way / "in the way").mkdir(parents=True)
    serve(log, 600)
    assert log.path.stat().st_size < KEPT_BYTES + 2000
    assert len(tried) < 100, "not at each line"
    (way / "in the way").rmdir()
    way.rmdir()
    serve(log, 20, "later")
    log.end(End(0, 1.0, 0, 0))
    log.close()
    first, second = (path.read_text() for path in log_rotation.files(log.path))
    assert first.endswith("\n#|   goes on in the next file\n"), "nothing of what was shown last"
    text = read_in(tmp_path, "1", None, 1).text
    assert " bytes not kept: no new file could be made\n" in text
    assert f"later 19 {'x' * 60}\n" in text
    whole = [line for line in text.splitlines() if not line.startswith("#|")]
    assert all(line.endswith("x" * 60) for line in whole), "no line is a part of one"
    assert len(first) + len(second) < 2 * KEPT_BYTES
    assert listed(tmp_path)[0].complete is False


async def test_only_what_may_have_changed_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_module, "PIECE_BYTES", 1000)
    log, workers = log_in(tmp_path, 10_000_000), Workers()
    log.begin("serve", "/p", START)
    serve(log, 600)
    n_bytes = sum(path.stat().st_size - SIZE for path in log_rotation.files(log.path))
    looked, all_looked_at = list[int](), asyncio.Event()
    run_elsewhere = workers.run_elsewhere

    async def counted(*args: Any, **more: Any) -> Any:
        looked.append(len(args[1]))
        if sum(looked) >= n_bytes:
            all_looked_at.set()
        return await run_elsewhere(*args, **more)

    monkeypatch.setattr(workers, "run_elsewhere", counted)
    try:
        waiting = asyncio.create_task(wait_in(tmp_path, "1", WaitWish("^later 3 "), workers))
        await all_looked_at.wait()
        assert max(looked) < 1200, "piece by piece"
        for number in range(4):
            serve(log, 1, f"later {number}")
        assert (await waiting).line == f"later 3 0 {'x' * 60}"
        assert sum(looked) - n_bytes < 1000
    finally:
        await workers.close()


async def test_an_agent_finds_a_line_in_any_file_by_its_number(tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.py": "x = 1\n"}, {}) as session:
        logs = session.layout.terminals
        logs.mkdir(parents=True)
        log = log_in(logs, 10_000_000)
        log.begin("serve", "/p", START)
        serve(log, 600)
        n_files = len(log_rotation.files(log.path))
        for number in (0, 300, 599):
            wish = StoredWish("grep", pattern=f"^request {number} x")
            head, found = await stored_text(session, "terminals/1.txt", wish)
            assert f"of {n_files} files; 1 match, 1 shown" in head
            *name, line, text = found.split(":", 2)
            place = f"terminals/{name[0] if name else '1.txt'}"
            at = StoredWish("read", lines=(int(line), int(line)))
            assert (await stored_text(session, place, at))[1] == f"{line}:{text}"
        tail = await stored_text(session, "terminals/1.txt", StoredWish("tail", count=300))
        shown = [line.split(": ", 1)[1] for line in tail[1:]]
        served = [line for line in shown if not line.startswith("#|")]
        assert len(shown) == 300
        assert served[-1] == "still changing"
        assert served[-2] == f"request 599 {'x' * 60}"
        assert missing([int(line.split()[1]) for line in served[:-1]]) == []


def test_secrets_are_taken_out_wherever_a_file_ends(tmp_path: Path) -> None:
    log = log_in(tmp_path, 10_000_000)
    session = SessionLog(log, has_marks=False)
    session.transcript = Transcript(
        60, 12, session.write, on_alternate=session.on_alternate, find=log.find
    )
    log.begin("serve", "/p", START)
    for number in range(150):
        line = f"{'y' * (number % 61)} {TOKEN}\r\n".encode()
        for at in (slice(0, number % 37), slice(number % 37, None)):
            session.feed(line[at])
            session.show()
            text = "".join(path.read_text() for path in tmp_path.glob("*"))
            assert not any(TOKEN[n : n + 12] in text for n in range(0, 28, 4))
    session.finish(0)
    log.close()
    assert len(log_rotation.files(log.path)) > 2
