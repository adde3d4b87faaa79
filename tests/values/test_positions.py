"""Positions: the protocol's characters to offsets and back, in every encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.texts import contents
from understudy.values.errors import BadInput
from understudy.values.positions import LineIndex, Position, PositionEncoding, column_of, width_of

ENCODINGS: list[PositionEncoding] = ["utf-8", "utf-16", "utf-32"]
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@given(contents(), st.sampled_from(ENCODINGS), st.data())
def test_round_trip(content: str, encoding: PositionEncoding, data: st.DataObject) -> None:
    index = LineIndex(content)
    offset = data.draw(st.integers(0, len(content)))
    position = index.position(offset)
    line = index.line(position.line)
    if position.column > len(line):
        return  # inside a line's end: no position of the protocol
    character = index.character(position, encoding)
    codec, size = CODECS[encoding]
    assert character == len(line[: position.column].encode(codec)) // size
    assert index.offset(position.line, character, encoding) == offset
    assert index.clamped(position.line, character, encoding) == position


@given(contents())
def test_lines_are_those_of_the_protocol(content: str) -> None:
    index = LineIndex(content)
    plain = content.replace("\r\n", "\n").replace("\r", "\n")
    assert len(index.starts) == len(plain.split("\n"))
    assert index.line(len(index.starts)) == ""
    assert index.line(-1) == ""
    for number, start in enumerate(index.starts):
        assert content.startswith(index.line(number), start)
        assert not set(index.line(number)) & {"\r", "\n"}


@pytest.mark.parametrize(
    ("line", "character", "encoding", "text"),
    [
        (2, 0, "utf-16", "2 lines"),
        (-1, 0, "utf-16", "2 lines"),
        (0, 3, "utf-16", "utf-16"),
        (0, -1, "utf-16", "utf-16"),
        (1, 2, "utf-16", "utf-16"),
        (1, 4, "utf-16", "utf-16"),
        (1, 3, "utf-8", "utf-8"),
        (1, 3, "utf-32", "utf-32"),
    ],
)
def test_positions_that_do_not_exist(
    line: int, character: int, encoding: PositionEncoding, text: str
) -> None:
    with pytest.raises(BadInput) as caught:
        LineIndex("ab\ne😀").offset(line, character, encoding)
    assert (caught.value.code, caught.value.where) == ("bad-range", f"{line + 1}:{character + 1}")
    assert text in caught.value.text


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [
        (-1, 0, (0, 0)),
        (9, 0, (1, 0)),
        (0, 9, (0, 2)),
        (0, -1, (0, 0)),
        (1, 2, (1, 2)),
        (1, 99, (1, 2)),
    ],
)
def test_a_server_is_taken_at_the_nearest_place(
    line: int, character: int, expected: tuple[int, int]
) -> None:
    assert LineIndex("ab\ne😀").clamped(line, character, "utf-16") == Position(*expected)


@given(st.characters(exclude_categories=["Cs"]), st.sampled_from(ENCODINGS))
def test_width(char: str, encoding: PositionEncoding) -> None:
    codec, size = CODECS[encoding]
    assert width_of(char, encoding) == len(char.encode(codec)) // size
    assert column_of(char, width_of(char, encoding), encoding) == 1
