"""Marks in a stream: only those with the nonce, in chunks of any size, whatever stands around."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.terminal.marks import MAX_MARK, Begun, Ended, Mark, MarkSplitter, Typing

NONCE = "0123456789abcdef"
START = b"\x1b]7717;" + NONCE.encode() + b";"
C = START + b"C;/a%3Bb;7;echo%20%25;\x07"
D = START + b"D;3;/x\x07"
B = START + b"B\x07"
MARKS = {C: Begun("/a;b", "echo %;", 0), D: Ended(3, "/x"), B: Typing()}


def split(*chunks: bytes, nonce: str | None = NONCE) -> list[bytes | Mark]:
    """Pieces with neighbouring bytes joined, and what is left at the end."""
    splitter = MarkSplitter(nonce)
    pieces = [piece for chunk in chunks for piece in splitter.split(chunk)]
    pieces.append(splitter.rest())
    joined: list[bytes | Mark] = []
    for piece in pieces:
        if isinstance(piece, bytes) and joined and isinstance(joined[-1], bytes):
            joined[-1] += piece
        elif piece != b"":
            joined.append(piece)
    return joined


def test_marks_are_taken_out() -> None:
    stream = b"a" + C + b"out\r\n" + D + B + b"z"
    assert split(stream) == [b"a", MARKS[C], b"out\r\n", MARKS[D], MARKS[B], b"z"]
    assert split(stream, nonce=None) == [stream]


@given(st.lists(st.sampled_from([C, D, B, b"text", b"\x1b", b"\x1b]7717;", b"\xc3"])), st.data())
def test_chunks_make_no_difference(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    at, chunks = 0, []
    while at < len(stream):
        step = data.draw(st.integers(1, 9))
        chunks.append(stream[at : at + step])
        at += step
    assert split(*chunks) == split(stream)


@pytest.mark.parametrize(
    "fake",
    [
        b"\x1b]7717;D;0;/x\x07",
        b"\x1b]7717;wrong;D;0;/x\x07",
        b"\x1b]633;D;0\x07",
        b"\x1b]7717;" + NONCE.encode()[:-1] + b"x;D;0\x07",
    ],
)
def test_without_the_nonce_it_is_output(fake: bytes) -> None:
    assert split(fake) == [fake]


@pytest.mark.parametrize("body", [b"", b"X;1", b"C;/a", b"D", b"B;1"])
def test_what_our_scripts_never_say_is_dropped(body: bytes) -> None:
    assert split(b"a" + START + body + b"\x07" + D) == [b"a", MARKS[D]]


def test_an_unknown_exit_code_and_command() -> None:
    assert split(START + b"D;?;\x07") == [Ended(None, "")]
    assert split(START + b"C;/a;-;\x07") == [Begun("/a", None, 0)]
    assert split(START + b"C;/a;9;abc\x07") == [Begun("/a", "abc", 6)]


def test_an_unfinished_string_does_not_hide_a_mark() -> None:
    assert split(b"\x1b]0;title" + D) == [b"\x1b]0;title", MARKS[D]]


def test_a_mark_without_end_is_given_up() -> None:
    endless = START + b"C;/" + b"a" * (2 * MAX_MARK)
    assert split(endless) == [endless]
