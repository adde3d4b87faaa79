"""A command's output on disk: whole, private, or with a middle that is counted."""

from __future__ import annotations

import random
import stat
from pathlib import Path

import pytest

from understudy.disk import output_file
from understudy.disk.output_file import OutputFile
from understudy.values.errors import OutsideFailure


def test_all_of_it(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "runs")
    pieces = [b"first\n", b"", b"\xff\x00 second", b"\nthird"]
    for piece in pieces:
        file.write(piece)
    output = file.finish()
    assert output.path.read_bytes() == b"".join(pieces)
    assert stat.S_IMODE(output.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(output.path.parent.stat().st_mode) == 0o700
    assert (output.size, output.lines, output.left_out) == (21, 3, 0)
    assert (output.head, output.tail) == (b"".join(pieces), b"")


def test_none(tmp_path: Path) -> None:
    output = OutputFile(tmp_path).finish()
    assert (output.size, output.lines, output.head, output.tail) == (0, 0, b"", b"")
    assert output.path.read_bytes() == b""


def test_head_and_tail_do_not_overlap(tmp_path: Path) -> None:
    data = b"".join(b"line %d\n" % number for number in range(1000))
    file = OutputFile(tmp_path)
    file.write(data)
    output = file.finish()
    assert output.head + output.tail == data
    long = data * 10
    file = OutputFile(tmp_path)
    file.write(long)
    output = file.finish()
    assert long.startswith(output.head)
    assert long.endswith(output.tail)
    assert len(output.head) + len(output.tail) < len(long)


@pytest.mark.parametrize("seed", range(20))
def test_the_middle_is_left_out_and_counted(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    cap, tail = 1000, 300
    data = bytes(chance.choices(b"abcdefgh\n", k=chance.randrange(900, 5000)))
    file = OutputFile(tmp_path, cap, tail)
    at = 0
    while at < len(data):
        step = chance.choice((1, 7, 299, 300, 301, 1500))
        file.write(data[at : at + step])
        at += step
    output = file.finish()
    kept = output.path.read_bytes()
    assert output.size == len(data)
    assert output.lines == len(data.splitlines())
    if len(data) <= cap:
        assert (kept, output.left_out) == (data, 0)
        return
    assert output.left_out == len(data) - cap
    note = f"\n[understudy: {output.left_out} bytes left out here]\n".encode()
    assert kept == data[: cap - tail] + note + data[-tail:]


def test_numbers_go_on_and_old_ones_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_file, "MAX_FILES", 3)
    for number in range(1, 6):
        file = OutputFile(tmp_path)
        assert file.path.name == f"{number}.log"
        file.finish()
        file.path.with_suffix(".patch").write_bytes(b"")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["3.log", "3.patch", "4.log", "4.patch", "5.log", "5.patch"]


def test_an_output_that_is_being_written_makes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_file, "MAX_FILES", 1)
    service = OutputFile(tmp_path)
    OutputFile(tmp_path).finish()
    OutputFile(tmp_path).finish()
    service.write(b"still here\n")
    assert service.finish().path.read_bytes() == b"still here\n"
    OutputFile(tmp_path).finish()
    assert [path.name for path in tmp_path.iterdir()] == ["4.log"]


def test_a_full_disk(tmp_path: Path) -> None:
    file = OutputFile(tmp_path)
    file.close()
    with Path("/dev/full").open("wb") as full:
        file._file = full.fileno()
        with pytest.raises(OutsideFailure) as caught:
            file.write(b"x")
    assert caught.value.code == "state-unwritable"
