"""A record that is longer than a file: whole over several, and what makes room is counted."""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path

import pytest

from understudy.app.terminals.listing import LAST_FAILED, listed, read_in
from understudy.app.terminals.wait import WaitWish, wait_in
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import SIZE, Header
from understudy.terminal.log.text import records
from understudy.workspace.workers import Workers

STATES = Path(__file__).parent.parent / "data" / "states"
START = "2026-11-26T08:00:00Z"
LINES = [f"request {number:05} took {number % 97} ms\n" for number in range(2000)]


def log_in(folder: Path, kept_bytes: int = 1_000_000) -> LogFile:
    header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
    return LogFile(folder, "1", header, max_file_bytes=5000, kept_bytes=kept_bytes)


def serve(log: LogFile, lines: list[str], seed: int = 0) -> None:
    """Write lines as a terminal does: in pieces of any size, with what may still change behind."""
    text, pieces = "".join(lines), random.Random(seed)
    while text:
        cut = pieces.randrange(1, 700)
        log.write(text[:cut])
        log.show(["still changing"])
        text = text[cut:]


def files_of(folder: Path) -> list[Path]:
    return log_rotation.files(folder / "1.txt")


def output_in(folder: Path) -> list[str]:
    """All lines of output in the files, one file after the other."""
    texts = (path.read_bytes()[SIZE:].decode() for path in files_of(folder))
    return [
        line for text in texts for line in text.splitlines(keepends=True) if line[:2] != "#|"
    ]  # fmt: skip


def difference(found: list[str], expected: list[str]) -> str | None:
    """Where two long texts part: a comparison of thousands of lines is nothing to read."""
    for number, (one, other) in enumerate(zip(found, expected, strict=False)):
        if one != other:
            return f"line {number}: {one!r}, not {other!r}"
    return None if len(found) == len(expected) else f"{len(found)} lines, not {len(expected)}"


def last_entry(folder: Path) -> dict[str, object]:
    return json.loads((folder / "1.cmds.jsonl").read_text().splitlines()[-1])


def test_a_long_record_is_whole(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.begin("echo before", "/p", START)
    log.write("before\n")
    log.end(End(0, 0.1, 0, 7))
    log.begin("serve", "/p", START)
    serve(log, LINES)
    running = read_in(tmp_path, "1", None, 2)
    log.end(End(3, 9.0, 0, 1))
    log.begin("echo after", "/p", START)
    log.write("after\n")
    log.end(End(0, 0.1, 0, 6))
    log.close()
    assert difference(output_in(tmp_path), ["before\n", *LINES, "after\n"]) is None
    found = log_folder.log_of(tmp_path, "1")
    assert len(found.files) > 10
    (entry,) = (one for _, one in found.ended if one["id"] == 2)
    assert (entry["lines"], entry["complete"], entry["dropped_bytes"]) == (len(LINES), True, 0)
    whole = read_in(tmp_path, "1", None, 2).text.splitlines(keepends=True)
    assert difference([line for line in whole if line[:2] != "#|"], LINES) is None
    assert whole[0].startswith("#| 2 start=")
    assert whole[-1].startswith("#| 2 exit=3")
    shown = [line for line in running.text.splitlines(keepends=True) if line[:2] != "#|"]
    assert difference(shown, [*LINES, "still changing\n"]) is None
    # Each file can be read alone, by whoever finds a line in it.
    for path in found.files[1:]:
        (first, *_) = records(path.read_text())
        assert (first.number, first.command, first.first) == (2, "serve", 10)
    (terminal,) = listed(tmp_path)
    assert (terminal.complete, terminal.n_commands) == (True, 2)
    assert terminal.failed is not None
    place = terminal.failed.path.read_text().splitlines()[terminal.failed.line - 1]
    assert place == read_in(tmp_path, "1", None, LAST_FAILED).text.splitlines()[0]


@pytest.mark.parametrize("tail", [1, 7, 500, 10_000])
def test_the_last_lines_are_those_of_all_files(tmp_path: Path, tail: int) -> None:
    log = log_in(tmp_path)
    log.begin("serve", "/p", START)
    serve(log, LINES)
    log.end(End(0, 9.0, 0, 1))
    for command in (None, 1):
        every = read_in(tmp_path, "1", None, command).text.splitlines(keepends=True)
        some = read_in(tmp_path, "1", tail, command)
        assert difference(some.text.splitlines(keepends=True), every[-tail:]) is None
        assert some.left_out == max(len(every) - tail, 0)


def test_what_made_room_is_counted_and_the_beginning_stays(tmp_path: Path) -> None:
    log = log_in(tmp_path, kept_bytes=30_000)
    log.begin("echo before", "/p", START)
    log.end(End(0, 0.1, 0, 0))
    log.begin("serve", "/p", START)
    serve(log, LINES)
    log.end(End(0, 9.0, 0, 1))
    log.close()
    kept, entry = output_in(tmp_path), last_entry(tmp_path)
    gap = next(index for index, line in enumerate(kept) if line != LINES[index])
    n_lost = len(LINES) - len(kept)
    assert difference(kept, [*LINES[:gap], *LINES[gap + n_lost :]]) is None
    assert gap > 50
    assert entry["dropped_bytes"] == sum(map(len, LINES[gap : gap + n_lost]))
    assert (entry["complete"], entry["lines"]) == (False, len(LINES))
    assert sum(path.stat().st_size for path in files_of(tmp_path)) <= 35_000
    newest = (tmp_path / "1.txt").read_text()
    left_out = f"{entry['dropped_bytes']} bytes, {n_lost} lines, behind 1.1.txt"
    assert f"#|   left out by now: {left_out}\n" in newest
    assert f"removed={entry['dropped_bytes']} bytes" in newest[:SIZE]
    read = read_in(tmp_path, "1", None, 2).text
    assert read.count("#|   left out here: the files 2 to ") == 1
    assert listed(tmp_path)[0].complete is False


def test_a_command_whose_beginning_has_made_room_says_so(tmp_path: Path) -> None:
    log = log_in(tmp_path, kept_bytes=40_000)
    for lines in (LINES[:600], LINES):
        log.begin("serve", "/p", START)
        serve(log, lines)
        log.end(End(0, 9.0, 0, 1))
        if lines is not LINES:
            whole = read_in(tmp_path, "1", None, 1)
            assert whole.record is not None
            assert whole.record["complete"] is True
    files = [log_rotation.number_of(path) for path in files_of(tmp_path)]
    first = read_in(tmp_path, "1", None, None).text.splitlines()[0]
    assert first == f"#|   left out here: the files 1 to {files[0] - 1} made room for newer ones"
    log.begin("more", "/p", START)
    serve(log, LINES)
    log.end(End(0, 9.0, 0, 1))
    log.begin("more", "/p", START)
    later = read_in(tmp_path, "1", None, 3)
    assert later.record is not None
    begins = files_of(tmp_path)[0].name == str(later.record["from"])
    assert later.text.startswith("#| 3 start=") is begins
    assert later.record["complete"] is False


def test_between_commands_nothing_is_left_out(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.begin("serve &", "/p", START)
    log.end(End(0, 0.1, 0, 0))
    serve(log, LINES)
    log.begin("next", "/p", START)
    log.end(End(0, 0.1, 0, 0))
    log.close()
    assert difference(output_in(tmp_path), LINES) is None
    assert [entry["complete"] for _, entry in log_folder.log_of(tmp_path, "1").ended] == [True] * 2
    assert listed(tmp_path)[0].complete


async def test_a_line_is_found_wherever_it_comes_meanwhile(tmp_path: Path) -> None:
    log, workers = log_in(tmp_path, kept_bytes=100_000), Workers()
    log.begin("serve", "/p", START)
    serve(log, LINES[:400])
    try:
        early = await wait_in(tmp_path, "1", WaitWish(r"request 00003 "), workers)
        assert early.line == LINES[3].strip()
        for number in range(5):
            log.show([f"step {number}"])
            wish = WaitWish(f"^(found {number}|step {number}1)$")
            waiting = asyncio.create_task(wait_in(tmp_path, "1", wish, workers))
            found = random.Random(number).randrange(400)
            serve(log, [*LINES[:found], f"found {number}\n", *LINES[found:400]], number)
            assert (await waiting).line == f"found {number}"
        log.show(["step 1", "step 2"])
        waiting = asyncio.create_task(wait_in(tmp_path, "1", WaitWish("^step 3$"), workers))
        log.show(["step 1", "step 3"])  # what a program draws anew is looked at again
        assert (await waiting).line == "step 3"
    finally:
        await workers.close()


def test_a_disk_that_takes_no_new_file_leaves_the_log_where_it_is(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.begin("serve", "/p", START)
    (tmp_path / "1.next.txt").mkdir()
    (tmp_path / "1.next.txt" / "in the way").touch()
    serve(log, LINES)
    log.end(End(0, 9.0, 0, 1))
    log.close()
    assert files_of(tmp_path) == [tmp_path / "1.txt"]
    assert difference(output_in(tmp_path), LINES) is None
    assert log.failure is not None
    assert last_entry(tmp_path)["complete"] is False


def test_logs_of_the_form_before_are_read_as_they_were(tmp_path: Path) -> None:
    for path in (STATES / "terminals-1").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (terminal,) = listed(tmp_path)
    assert (terminal.status, terminal.command, terminal.complete) == ("lost", "serve", False)
    assert [path.name for path in terminal.older] == ["1.1.txt"]
    assert terminal.failed is not None
    assert (terminal.failed.command, terminal.failed.path.name) == (4, "1.1.txt")
    middle = read_in(tmp_path, "1", None, 5).text
    assert "5: line 000\n" in middle
    assert "#|   left out here: " in middle
    assert "5: line 079\n" in middle
    assert read_in(tmp_path, "1", None, 12).text.count("12: line ") == 6
    assert read_in(tmp_path, "1", 2, None).text == "request 049\nlistening\n"
    assert "1: line 000\n" in read_in(tmp_path, "1", None, None).text, "searched as one"
