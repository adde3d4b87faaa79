"""Logs on a real disk: what a crash leaves is mended and counted, all other damage is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.context_kills import run_context_kills
from tests.support.histories import history_of
from understudy.context.events import Event
from understudy.context.twin import twin_head, twin_of
from understudy.disk.store.history_log import HistoryLog, log_names
from understudy.values.errors import BadInput, OutsideFailure


def filled(folder: Path) -> HistoryLog:
    log = HistoryLog(folder, "s")
    log.append(lambda _: history_of(2, 2).events, 0)
    return log


def test_appended_and_read_by_others(tmp_path: Path) -> None:
    log = filled(tmp_path)
    other = HistoryLog(tmp_path, "s")
    assert other.read() == log.read()
    other.append(lambda history: [Event(0, "user", text=f"{len(history.events)}")], 7)
    last = log.read().events[-1]
    assert (last.seq, last.at) == (len(log.read().events), 7)
    log.append(lambda _: [Event(0, "assistant")], 0)
    assert [event.seq for event in other.read().events] == [*range(1, last.seq + 2)]
    assert log_names(tmp_path) == ["s"]
    assert log.twin.read_text() == twin_head("s") + twin_of(log.read().events)


def test_a_half_written_line_is_cut_and_counted(tmp_path: Path) -> None:
    log = filled(tmp_path)
    whole = log.file.read_bytes()
    for cut in (1, 10, 100):
        log.file.write_bytes(whole + whole.split(b"\n")[3][:cut])
        fresh = HistoryLog(tmp_path, "s")
        assert fresh.read() == HistoryLog(tmp_path, "s").read()
        assert len(fresh.read().events) == len(whole.split(b"\n")) - 1
        (made,) = fresh.append(lambda _: [Event(0, "user", text="on")], 0)
        repair = fresh.read().events[-2]
        assert (repair.kind, made.kind) == ("repair", "user")
        assert repair.text == f"{cut} bytes of a half written line were cut"
        assert HistoryLog(tmp_path, "s").read() == fresh.read()


@pytest.mark.parametrize("damage", ["flip", "drop", "swap", "zeros", "junk"])
def test_damage_in_the_midst_is_an_error_that_names_the_line(tmp_path: Path, damage: str) -> None:
    log = filled(tmp_path)
    lines = log.file.read_bytes().split(b"\n")
    if damage == "flip":
        lines[4] = lines[4].replace(b"check", b"chock", 1)
    elif damage == "drop":
        del lines[4]
    elif damage == "swap":
        lines[4], lines[5] = lines[5], lines[4]
    elif damage == "zeros":
        lines[4] = b"\0" * len(lines[4])
    else:
        lines[4] = b"[" * 5000
    raw = b"\n".join(lines)
    log.file.write_bytes(raw)
    fresh = HistoryLog(tmp_path, "s")
    for attempt in (fresh.read, lambda: fresh.append(lambda _: [Event(0, "user")], 0)):
        with pytest.raises(OutsideFailure) as caught:
            attempt()
        assert caught.value.code == "log-damaged"
        assert "line 5 " in caught.value.text
    assert log.file.read_bytes() == raw


def test_lines_that_are_gone_are_noticed(tmp_path: Path) -> None:
    log = filled(tmp_path)
    log.file.write_bytes(log.file.read_bytes()[:500])
    with pytest.raises(OutsideFailure, match="gone"):
        log.read()


def test_a_lost_or_shortened_twin_is_made_again(tmp_path: Path) -> None:
    log = filled(tmp_path)
    for text in (None, "short"):
        log.twin.unlink() if text is None else log.twin.write_text(text)
        log.append(lambda _: [Event(0, "user", text="x")], 0)
        assert log.twin.read_text() == twin_head("s") + twin_of(log.read().events)


def test_what_cannot_be_made_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    log = filled(tmp_path)
    before = log.file.read_bytes()

    def refuse(_: object) -> list[Event]:
        raise BadInput("bad-event", "no")

    with pytest.raises(BadInput):
        log.append(refuse, 0)
    assert log.file.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["", "../s", "a/b", "a\\b", ".hidden", "a" * 101, "x.md", "nul", "COM1.x", "a\n", "ä"]
)
def test_names_that_no_log_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput) as caught:
        HistoryLog(tmp_path, name)
    assert caught.value.code == "bad-log-name"


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as caught:
        HistoryLog(tmp_path, "s").read()
    assert caught.value.code == "no-such-log"
    assert not re.findall("s.*", "".join(log_names(tmp_path)))


def test_kills_lose_nothing(tmp_path: Path) -> None:
    """The benchmark does this two hundred times."""
    counts = run_context_kills(tmp_path, 8, seed=1)
    assert (counts.lost, counts.without_bytes, counts.wrong_twins) == (0, 0, 0)
    assert counts.restored >= counts.acknowledged > 0
