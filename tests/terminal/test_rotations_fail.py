"""A writer is killed, or refused a step, while its log goes on in a new file: at every step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.log_rotations import FILE_BYTES, KEPT_BYTES, after_each_step

pytestmark = pytest.mark.ring
N_FIRST = 40
"""Lines of the first file that surely are in it."""


def is_whole(numbers: list[int], n_written: int) -> bool:
    """Whether each line is there once, in order, but for one gap behind the first file."""
    at = next((at for at, number in enumerate(numbers) if number != at), len(numbers))
    rest = numbers[at:]
    in_order = rest == list(range(rest[0], rest[0] + len(rest))) if rest else True
    is_recent = numbers[-1] >= n_written - 1 and len(rest) > FILE_BYTES // 100
    return at >= N_FIRST and in_order and is_recent


@pytest.mark.parametrize("mode", ["kill", "kill-unlinked"])
def test_a_writer_that_is_killed_at_any_step_loses_nothing_that_it_had_written(
    tmp_path: Path, mode: str
) -> None:
    found = after_each_step(mode, tmp_path)
    assert len(found) > 20
    for one in found:
        assert is_whole(one["numbers"], one["written"]), one
        assert one["status"] == "lost"
        assert_first_command(one)
        assert one["read"].startswith("#| 2 start="), "where it begins, not the one before"
        assert one["left"] == ["1.cmds.jsonl", "1.txt"], "a next log works, and this one made room"


@pytest.mark.parametrize("mode", ["kill-early", "kill-unlinked-early"])
def test_a_command_that_has_ended_is_there_whatever_step_its_file_is_left_at(
    tmp_path: Path, mode: str
) -> None:
    found = after_each_step(mode, tmp_path)
    assert len(found) > 5
    for one in found:
        assert_first_command(one)
        assert one["numbers"] == list(range(len(one["numbers"]))), one


def assert_first_command(one: dict[str, Any]) -> None:
    assert one["ids"] == [1], one
    assert [line[:4] for line in one["first"]] == ["#| 1", "#| 1"], one


def test_a_step_that_the_disk_refuses_is_tried_again(tmp_path: Path) -> None:
    found = after_each_step("refuse", tmp_path)
    assert len(found) > 20
    for one in found:
        assert is_whole(one["numbers"], one["written"]), one
        assert (one["status"], one["ids"], one["strays"]) == ("running", [1, 2], [])
        assert one["more"] > 4, "it goes on in new files"
        assert one["size"] <= KEPT_BYTES
        assert one["missed"] == [], "no step of these takes output away"
