"""Secrets out of a program's output, piece by piece, whatever the pieces; nothing else changes."""

from __future__ import annotations

import random

import pytest

from understudy.terminal.secrets.stream import LONGEST_LINE, OutputRedactor

KEY = "AKIA2OGYBAH6" + "STMMNXNN"  # in two, so that nobody's scanner takes it for a key
TEXT = f"one\nkey={KEY} end\n\u00e4\u00f6 \u2026\r\nthree".encode()
SHOWN = "one\nkey=[REDACTED:aws:20] end\n\u00e4\u00f6 \u2026\r\nthree".encode()


def redacted(*pieces: bytes) -> tuple[bytes, int]:
    redactor = OutputRedactor()
    shown = b"".join([*map(redactor.feed, pieces), redactor.end()])
    return shown, redactor.count


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_any_size(size: int) -> None:
    assert redacted(*(TEXT[at : at + size] for at in range(0, len(TEXT), size))) == (SHOWN, 1)


def test_all_other_bytes_stay_as_they_are() -> None:
    """Also control characters that mean something inside, and what is no UTF-8."""
    chance = random.Random(7)
    for size in (0, 1, 100, 5000):
        data = bytes(range(256)) + chance.randbytes(size)
        assert redacted(data[:50], data[50:]) == (data, 0)


def test_a_private_key_on_many_lines() -> None:
    lines = ["-----BEGIN RSA PRIVATE " + "KEY-----", *["MIIE" + "ab3Z" * 15] * 4]
    data = "\n".join([*lines, "-----END RSA PRIVATE " + "KEY-----", "after", ""]).encode()
    shown, count = redacted(data[:100], data[100:])
    assert count == 1
    assert b"ab3Z" not in shown
    assert shown.endswith(b"\nafter\n")


def test_a_line_without_an_end_is_not_held_for_ever() -> None:
    redactor = OutputRedactor()
    assert redactor.feed(b"x" * (LONGEST_LINE - 1)) == b""
    assert redactor.feed(b"y") == b"x" * (LONGEST_LINE - 1) + b"y"


def test_own_patterns() -> None:
    redactor = OutputRedactor(["house-[0-9]{3}"])
    assert b"house-" not in redactor.feed(b"it is house-123\n")
    assert redactor.count == 1
