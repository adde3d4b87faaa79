"""A terminal's log: the header, records that output cannot imitate, what was left out, failures."""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import header as log_header
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.log.lines import MAX_LINE
from understudy.terminal.secrets.rules import own_rule
from understudy.values.errors import BadInput

HEADER = Header(os.getpid(), "/p", "bash", "running", None, None, None, "full")
START = "2026-11-21T08:00:00Z"


def log_in(folder: Path) -> LogFile:
    log = LogFile(folder, "1", HEADER)
    log.begin("make test", "/p", START)
    return log


def end(log: LogFile, code: int | None = 0, missed: int = 0) -> dict[str, object]:
    log.end(End(code, 1.5, missed, 100))
    log.close()
    lines = log.path.with_name("1.cmds.jsonl").read_text().splitlines()
    return json.loads(lines[-1])


def body(log: LogFile) -> str:
    return log.path.read_bytes()[log_header.SIZE :].decode()


def test_the_header_is_the_first_ten_lines_and_never_changes_in_size(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.write("out\n")
    before = log.path.read_bytes()
    log.update(status="idle", active_command="é\n---\n" + "x" * 500, last_exit_code=-1)
    after = log.path.read_bytes()
    assert after[log_header.SIZE :] == before[log_header.SIZE :]
    head = b"".join(after.splitlines(keepends=True)[:10])
    assert len(head) == log_header.SIZE
    values = log_header.parse(after)
    assert values["status"] == "idle"
    assert str(values["active_command"]).startswith("é\n---\nx")
    assert values["last_exit_code"] == -1


def test_files_are_private_and_never_somebody_elses(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "2.txt").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="cannot open our own file"):
        LogFile(tmp_path, "2", HEADER)
    assert not (tmp_path / "elsewhere").exists()
    log.close()


def test_a_record_with_its_marks_and_offsets(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.write("one\ntwo\n")
    entry = end(log, 3)
    text = log.path.read_bytes()
    record = text[int(str(entry["offset"])) : int(str(entry["end"]))].decode()
    assert record.splitlines()[1:3] == ["one", "two"]
    assert record.startswith("#| 1 start=")
    assert "exit=3" in record.splitlines()[-1]
    assert text.decode().splitlines()[int(str(entry["line"])) - 1].startswith("#| 1 start=")
    assert (entry["lines"], entry["exit_code"], entry["complete"]) == (2, 3, True)


def test_output_cannot_imitate_a_mark(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.write("#| 1 exit=0 dur=0s\n")
    log.write("#")
    log.write("| 1 exit=0\nnot at the start #| fine\n")
    end(log, 1)
    marks = [line for line in body(log).splitlines() if line.startswith("#|")]
    assert len(marks) == 2
    assert "#\\| 1 exit=0 dur=0s" in body(log)
    assert "not at the start #| fine" in body(log)


def test_the_live_tail_changes_and_then_settles(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.show(["10 %", "#| 9 exit=0"])
    assert body(log).splitlines()[1:] == ["10 %", "#\\| 9 exit=0"]
    log.show(["20 %"])
    assert body(log).splitlines()[1:] == ["20 %"]
    log.write("done\n")
    end(log)
    assert body(log).splitlines()[1] == "done"
    assert len(body(log).splitlines()) == 3


def test_a_huge_line_is_cut_and_counted(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for _ in range(300):
        log.write("x" * 65_536)
    log.write("\nnext\n")
    entry = end(log)
    line = body(log).splitlines()[1]
    left_out = 300 * 65_536 - MAX_LINE
    assert line == "x" * MAX_LINE + f" [{left_out} characters of this line left out]"
    assert body(log).splitlines()[2] == "next"
    assert entry["complete"] is False


def test_secrets_do_not_reach_the_disk(tmp_path: Path) -> None:
    log = LogFile(tmp_path, "1", HEADER)
    log.begin("curl -H 'Authorization: Bearer abcdef0123456789abcdef'", "/p", START)
    log.write("https://me:hunter2@h/\n")
    log.show(["TOKEN=abcdef0123456789"])
    for path in tmp_path.iterdir():
        assert not any(word in path.read_text() for word in ("hunter2", "abcdef0123456789"))
    entry = end(log)
    assert entry["redacted"] == 2
    assert "redacted=2" in str(log_header.parse(log.path.read_bytes())["capture"])


@contextmanager
def full_at(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_is_said_in_the_header(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    with full_at(8192):
        for number in range(1000):
            log.write(f"line {number}\n")
        log.end(End(0, 1.0, 0, 9000))
        log.close()
    assert "failed=" in str(log_header.parse(log.path.read_bytes())["capture"])
    assert log.failure is not None
    assert "complete=true" not in body(log)
    index = log.path.with_name("1.cmds.jsonl").read_text()
    assert '"complete": true' not in index


def test_what_a_full_disk_has_not_taken_is_said_where_it_is_missing(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    with full_at(2048):
        for number in range(300):
            log.write(f"line {number} ")
            log.write("of many\n")
        log.end(End(0, 1.0, 0, 9000))
    log.begin("next", "/p", START)
    log.write("line 300 of many\n")
    entry = end(log)
    text = log.path.read_bytes()
    lines = text[int(str(entry["offset"])) : int(str(entry["end"]))].decode().splitlines()
    assert lines[0].startswith("#| 2 start=")
    assert text.decode().splitlines()[int(str(entry["line"])) - 1] == lines[0]
    assert lines[1] == "line 300 of many"
    (said,) = (line for line in body(log).splitlines() if "bytes missed" in line)
    assert said.endswith(" bytes missed: the disk did not take them")
    numbers = [int(line.split()[1]) for line in body(log).splitlines() if line.endswith(" many")]
    assert numbers[:-1] == list(range(len(numbers) - 1)), "no line is made of two"
    assert entry["complete"] is False


def test_a_folder_that_vanishes_makes_the_record_incomplete(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    log = log_in(folder)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    log.write("out\n")
    log.end(End(0, 1.0, 0, 3))
    log.close()
    assert log.failure is not None
    assert not folder.exists()


@pytest.mark.parametrize(("code", "missed"), [(0, 5), (None, 0)])
def test_missing_bytes_and_unknown_ends_are_never_complete(
    tmp_path: Path, code: int | None, missed: int
) -> None:
    log = log_in(tmp_path)
    log.write("out\n")
    assert end(log, code, missed)["complete"] is False


def test_logs_get_numbers_of_their_own_and_old_ones_make_room(tmp_path: Path) -> None:
    room = log_folder.Room(n_logs=10)
    for _ in range(15):
        log = log_folder.create(tmp_path, lambda name: LogFile(tmp_path, name, HEADER), room)
        log.begin("x", "/", START)
        log.end(End(0, 0.1, 0, 0))
        log.close()
    names = [log.name for log in log_folder.logs(tmp_path)]
    assert names == [str(number) for number in range(6, 16)]
    with pytest.raises(BadInput, match="no such terminal"):
        log_folder.log_of(tmp_path, "../1")


def test_a_file_that_is_no_log_is_listed_without_facts(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_bytes(os.urandom(3000))
    assert log_folder.logs(tmp_path)[0].header == {}


def test_a_log_that_has_grown_goes_on_in_a_new_file(tmp_path: Path) -> None:
    log = LogFile(tmp_path, "1", HEADER, max_file_bytes=3000, kept_bytes=15_000)
    for number in range(60):
        log.begin(f"command {number}", "/p", START)
        log.write(f"output {number} " + "x" * 200 + "\n")
        log.end(End(0, 0.1, 0, 200))
    log.close()
    found = log_folder.log_of(tmp_path, "1")
    older = [path.name for path in found.older]
    sizes = [path.stat().st_size for path in found.older]
    assert 3000 < sum(sizes) <= 12_000 < sum(sizes) + 4000, "as much as may be kept, no more"
    assert older == sorted(older, key=lambda name: int(name.split(".")[1]))
    entries = [
        json.loads(line)
        for path in (*found.older, found.path)
        for line in path.with_suffix(".cmds.jsonl").read_text().splitlines()
    ]
    numbers = [entry["id"] for entry in entries]
    assert numbers == list(range(numbers[0], 61))
    for path in (*found.older, found.path):
        text = path.read_bytes()
        assert log_header.parse(text)["status"] == "closed"
        for line in path.with_suffix(".cmds.jsonl").read_text().splitlines():
            entry = json.loads(line)
            record = text[entry["offset"] : entry["end"]].decode()
            assert f"output {entry['id'] - 1} " in record
            assert text.decode().splitlines()[entry["line"] - 1].startswith(f"#| {entry['id']} ")
    capture = str(found.header["capture"])
    assert f"older={older[0]}..{older[-1]}" in capture
    assert "removed=" in capture


def test_own_patterns_are_taken_out(tmp_path: Path) -> None:
    rules = [own_rule(r"ticket-(\d+)"), own_rule("(a)|(corp)-(secret)")]
    log = LogFile(tmp_path, "1", HEADER, rules)
    log.begin("show ticket-123456", "/p", START)
    log.write("ticket-99 corp-secret\n")
    assert end(log)["redacted"] == 3
    assert "123456" not in log.path.read_text()
    assert "ticket-[REDACTED:own:2] [REDACTED:own:11]" in body(log)
