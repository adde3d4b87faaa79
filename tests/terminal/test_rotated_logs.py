"""A session that has left files behind is answered for as a whole: what it lacks, what failed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from understudy.app.terminals.listing import LAST_FAILED, listed, read_in
from understudy.app.terminals.wait import WaitWish, wait_in
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import Header
from understudy.values.errors import BadInput
from understudy.workspace.workers import Workers

N_COMMANDS, FAILED, OUTPUT = 20, 4, "x" * 200


def run(log: LogFile, command: str, output: str, code: int = 0, missed: int = 0) -> None:
    log.begin(command, "/p", "2026-11-21T08:00:00Z")
    log.write(f"{output}\n")
    log.end(End(code, 0.1, missed, len(output)))


def rotated(folder: Path, missed: int = 0) -> LogFile:
    """A log with older files; the fourth command, in the first of them, has failed."""
    header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
    log = LogFile(folder, "1", header, max_file_bytes=3000)
    for number in range(1, N_COMMANDS + 1):
        is_bad = number == FAILED
        run(log, f"c{number}", OUTPUT, int(is_bad), missed if is_bad else 0)
    return log


@pytest.mark.parametrize(("missed", "is_complete"), [(0, True), (5, False)])
def test_what_an_older_file_lacks_is_not_forgotten(
    tmp_path: Path, missed: int, is_complete: bool
) -> None:
    rotated(tmp_path, missed).close()
    (terminal,) = listed(tmp_path)
    assert len(terminal.older) > 1
    assert terminal.complete is is_complete
    assert terminal.raw_bytes == N_COMMANDS * len(OUTPUT)


def test_commands_are_found_in_the_file_they_lie_in(tmp_path: Path) -> None:
    log = rotated(tmp_path)
    failed = read_in(tmp_path, "1", None, LAST_FAILED)
    assert failed.record is not None
    assert (failed.record["id"], failed.text.splitlines()[1]) == (FAILED, OUTPUT)
    place = failed.terminal.failed
    assert place is not None
    assert (place.command, place.path) == (FAILED, failed.terminal.older[0])
    assert place.path.read_text().splitlines()[place.line - 1] == failed.text.splitlines()[0]
    assert read_in(tmp_path, "1", None, 1).text.startswith("#| 1 start=")
    n_older = len(listed(tmp_path)[0].older)
    for number in range(N_COMMANDS + 1, 2 * N_COMMANDS):
        log.begin("live", "/p", "2026-11-21T08:00:00Z")
        running = read_in(tmp_path, "1", None, number)
        assert running.text.startswith(f"#| {number} start=")
        if len(listed(tmp_path)[0].older) > n_older:
            break  # nothing has ended in the newest file
        log.write(f"{OUTPUT}\n")
        log.end(End(0, 0.1, 0, 0))
    else:
        pytest.fail("the log has not gone on in a new file")
    with pytest.raises(BadInput, match=f"there are 1 to {number - 1}"):
        read_in(tmp_path, "1", None, number + 1)


async def test_a_line_is_waited_for_in_the_file_that_comes_next(tmp_path: Path) -> None:
    log = rotated(tmp_path)
    n_older, workers = len(listed(tmp_path)[0].older), Workers()
    try:
        waiting = asyncio.create_task(
            wait_in(tmp_path, "1", WaitWish("^come$", seconds=60), workers)
        )
        await asyncio.sleep(0)  # it has looked once
        while len(listed(tmp_path)[0].older) == n_older:
            run(log, "more", OUTPUT)
        run(log, "echo come", "come")
        assert ((await waiting).ended, (await waiting).line) == ("matched", "come")
    finally:
        await workers.close()
