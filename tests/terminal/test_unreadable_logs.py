"""A terminal's log of which a part cannot be read, or that takes too long to be looked through."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.sessions import open_session
from understudy.app.context import stored_text as stored_module
from understudy.app.context.stored_text import StoredWish, stored_text
from understudy.app.terminals import wait as wait_module
from understudy.app.terminals.listing import read_in
from understudy.app.terminals.wait import WaitWish, wait
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.log.spans import Span
from understudy.values.errors import OutsideFailure

START = "2026-11-26T08:00:00Z"


def log_in(folder: Path, n_lines: int = 0) -> LogFile:
    """A log with a command that has ended, and one that serves."""
    header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
    log = LogFile(folder, "1", header, max_file_bytes=4000, kept_bytes=1_000_000)
    log.begin("before", "/p", START)
    log.end(End(0, 0.1, 0, 0))
    log.begin("serve", "/p", START)
    serve(log, n_lines)
    return log


def serve(log: LogFile, n_lines: int) -> None:
    for number in range(n_lines):
        log.write(f"request {number} {'x' * 60}\n")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of logs stands for its workspace."""
    monkeypatch.setattr(wait_module, "folder_of", lambda root: root)


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_an_older_file_that_cannot_be_read_is_told(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    log_in(tmp_path, 200).close()
    (tmp_path / "1.2.txt").unlink()
    make(tmp_path / "1.2.txt")
    for look in (
        lambda: read_in(tmp_path, "1", None, None),
        lambda: wait(tmp_path, "1", WaitWish("^never$", seconds=0)),
    ):
        with pytest.raises(OutsideFailure) as caught:
            look()
        assert caught.value.code == "state-unreadable"


def test_a_newest_file_that_never_comes_is_not_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_folder, "TRIES", 3)
    with (tmp_path / "1.next.txt").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OutsideFailure) as caught:
            log_folder.log_of(tmp_path, "1")
    assert caught.value.code == "state-unreadable"


def test_a_wait_whose_time_is_over_before_all_is_looked_at_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_in(tmp_path, 200).close()
    wish = WaitWish("^never$", seconds=0)
    assert wait(tmp_path, "1", wish).ended == "exited"
    monkeypatch.setattr(wait_module, "PIECE_BYTES", 1000)
    monkeypatch.setattr(wait_module, "SEARCH_S", 0.0)
    assert wait(tmp_path, "1", wish).ended == "timeout"


def test_what_lies_in_older_files_is_read_however_fast_new_ones_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, read, text = log_in(tmp_path, 200), list[Path](), Span.text

    def text_meanwhile(span: Span) -> str:
        read.append(span.path)
        serve(log, 100)
        return text(span)

    monkeypatch.setattr(Span, "text", text_meanwhile)
    found = read_in(tmp_path, "1", None, 1).text.splitlines()
    assert [line[:4] for line in found] == ["#| 1", "#| 1"]
    assert [path.name for path in read] == ["1.1.txt"]


async def test_all_files_of_a_log_have_one_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_session(tmp_path, {"a.py": "x = 1\n"}, {}) as session:
        logs = session.layout.terminals
        logs.mkdir(parents=True)
        log_in(logs, 200).close()
        wish = StoredWish("grep", pattern="^never$")
        (head,) = await stored_text(session, "terminals/1.txt", wish)
        assert "; 0 match, 0 shown" in head
        with monkeypatch.context() as short:
            short.setattr(stored_module, "LOG_SECONDS", 0.0)
            with pytest.raises(OutsideFailure) as caught:
                await stored_text(session, "terminals/1.txt", wish)
        assert caught.value.code == "work-too-long"
        (logs / "1.9.txt").mkdir()
        with pytest.raises(OutsideFailure) as caught:
            await stored_text(session, "terminals/1.txt", wish)
        assert caught.value.code == "state-unreadable"
