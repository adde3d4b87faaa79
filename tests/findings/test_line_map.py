"""Line maps: unchanged lines are found again, changed ones are not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import understudy.values.lines as lines_module
from tests.support.texts import text_pairs
from understudy.findings.line_map import ChangedBlock, line_map
from understudy.values.lines import line_texts, matching_blocks, split_lines
from understudy.values.texts import Text


def test_a_change_in_the_middle() -> None:
    lines = line_map("a\nb\nc\nd\n", "a\nx\ny\nc\nd\n")
    assert lines.blocks == (ChangedBlock(1, 2, 1, 3),)
    assert [lines.to_after(line) for line in range(5)] == [0, None, 3, 4, 5]
    assert [lines.to_before(line) for line in range(6)] == [0, None, None, 2, 3, 4]
    assert (lines.block_before(1), lines.block_after(2), lines.block_after(3)) == (0, 0, None)


def test_line_ends_do_not_count() -> None:
    assert line_map("a\nb\rc\r\n", "a\r\nb\nc\r").blocks == ()


def test_an_insertion_changes_no_line_before() -> None:
    lines = line_map("a\nb", "new\na\nb")
    assert lines.blocks == (ChangedBlock(0, 0, 0, 1),)
    assert [lines.to_after(line) for line in range(2)] == [1, 2]
    assert [lines.to_before(line) for line in range(3)] == [None, 0, 1]


@settings(max_examples=300)
@given(text_pairs())
def test_both_directions_agree_and_lines_are_equal(pair: tuple[Text, Text]) -> None:
    before, after = (text.content for text in pair)
    lines = line_map(before, after)
    old, new = line_texts(before), line_texts(after)
    for number, text in enumerate(old):
        there = lines.to_after(number)
        assert (there is None) == (lines.block_before(number) is not None)
        if there is not None:
            assert new[there] == text
            assert lines.to_before(there) == number
    for number in range(len(new)):
        there = lines.to_before(number)
        assert (there is None) == (lines.block_after(number) is not None)
        if there is not None:
            assert lines.to_after(there) == number
    assert list(lines.blocks) == sorted(lines.blocks)


@given(text_pairs())
def test_lines_joined_are_the_text(pair: tuple[Text, Text]) -> None:
    content = pair[0].content
    lines = split_lines(content)
    assert "".join(lines) == content
    assert [line.rstrip("\r\n") for line in lines] == line_texts(content)[: len(lines)]


LINES = st.lists(st.sampled_from("aab}x"), max_size=40)


@pytest.mark.parametrize("most_pairs", [-1, 10**9], ids=["few edits", "difflib"])
@given(LINES, LINES)
def test_repeated_lines_match_rightly(most_pairs: int, old: list[str], new: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "_MOST_PAIRS", most_pairs)
        matches = matching_blocks(old, new)
        copies = matching_blocks(old, list(old))
    at = other = 0
    for start, other_start, size in matches:
        assert start >= at
        assert other_start >= other
        assert old[start : start + size] == new[other_start : other_start + size]
        at, other = start + size, other_start + size
    assert (at, other) <= (len(old), len(new))
    assert sum(match.size for match in copies) == len(old)


def test_few_edits_are_found_in_a_periodic_text() -> None:
    old = [str(number % 7) for number in range(7_000)]
    new = [*old[:3_000], "x", *old[3_000:5_000], *old[5_003:], "0", "0"]
    new[0] = "start"
    assert sum(match.size for match in matching_blocks(old, new)) == 7_000 - 1 - 3


class CountedLine(str):
    """A line that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedLine.comparisons += 1
        return str.__eq__(self, other) is True

    __hash__ = str.__hash__


def test_a_long_file_costs_about_its_length() -> None:
    chance = random.Random(7)
    old = [f"line {chance.randrange(5000)}" if chance.random() < 0.7 else "" for _ in range(50_000)]
    new = list(old)
    for at in chance.sample(range(50_000), 100):
        new[at] = f"changed {at}"
    CountedLine.comparisons = 0
    matches = matching_blocks([CountedLine(line) for line in old], [CountedLine(n) for n in new])
    assert sum(match.size for match in matches) == 49_900
    assert CountedLine.comparisons < 10 * len(old)


def test_repeated_lines_do_not_explode() -> None:
    old = ["", "}"] * 10_000
    new = ["start", *old[:9_000], "x", *old[9_000:], "end"]
    CountedLine.comparisons = 0
    matching_blocks([CountedLine(line) for line in old], [CountedLine(line) for line in new])
    assert CountedLine.comparisons < 40 * len(old)
