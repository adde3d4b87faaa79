"""Receipts: totals first, numbered lines, everything that is cut is counted, never too long."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.context.policy import Policy
from understudy.context.receipt import notice, receipt_text, totals_of
from understudy.context.telling_lines import plain, telling, weight
from understudy.disk.store.pretty_json import pretty


def receipt(data: bytes, exit_status: int | None = None) -> list[str]:
    return receipt_text(data, totals_of(data, "tool/x.txt", exit_status)).split("\n")


def test_short_lines_are_shown_from_both_ends() -> None:
    data = "".join(f"line {n}\n" for n in range(1, 101)).encode()
    first, *lines = receipt(data, 3)
    assert first == ("[understudy] 792 bytes, 100 lines, exit status 3; the whole is in tool/x.txt")
    head = [f"{n}| line {n}" for n in range(1, 6)]
    tail = [f"{n}| line {n}" for n in range(86, 101)]
    assert lines == [*head, "[80 lines left out]", *tail]


def test_the_line_that_tells_is_shown_wherever_it_stands() -> None:
    lines = [f"test_{n} PASSED" for n in range(1000)]
    lines[500] = "src/shop.py:12: error: Incompatible types in assignment"
    lines[700] = "0 errors, 0 failed so far"
    shown = receipt("\n".join(lines).encode())
    assert "501| src/shop.py:12: error: Incompatible types in assignment" in shown
    assert not any("701|" in line for line in shown)
    assert "[495 lines left out]" in shown


def test_a_very_long_line_is_cut_in_its_middle_and_counted() -> None:
    data = b"a" * 50_000_000
    first, line = receipt(data)
    assert first.startswith("[understudy] 50000000 bytes, 1 lines; ")
    cut = re.fullmatch(r"1\| (a+) \[(\d+) bytes left out\] (a+)", line)
    assert cut is not None
    assert len(cut[1]) + int(cut[2]) + len(cut[3]) == 50_000_000


def test_bytes_that_are_no_text_are_not_shown() -> None:
    assert receipt(b"\x00\x01" * 3000) == [
        "[understudy] 6000 bytes, not text; the whole is in tool/x.txt"
    ]
    assert receipt(b"") == ["[understudy] 0 bytes, 0 lines; the whole is in tool/x.txt"]


def test_colours_progress_bars_and_controls_are_as_a_terminal_leaves_them() -> None:
    data = b"\x1b[31mred\x1b[0m\n 10%\r 50%\rdone\r\nbell\x07\n"
    assert receipt(data)[1:] == ["1| red", "2| done", "3| bell\ufffd"]


@given(st.binary(max_size=5000), st.integers(400, 3000))
def test_never_longer_than_allowed_and_lines_add_up(data: bytes, limit: int) -> None:
    policy = Policy(receipt_bytes=limit)
    totals = totals_of(data, "tool/x.txt")
    text = receipt_text(data, totals, policy)
    assert len(text.encode()) <= limit
    first, *lines = text.split("\n")
    assert first == notice(totals)
    if totals.is_text and totals.lines:
        left_out = sum(int(m[1]) for line in lines if (m := re.match(r"\[(\d+) lines? left", line)))
        assert left_out + sum(1 for line in lines if re.match(r"\d+\| ", line)) == totals.lines


@pytest.mark.parametrize(
    "line",
    [
        "E       assert 6 == 7",
        "a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
        "error[E0308]: mismatched types",
        "./main.go:5:2: undefined: missing",
        "  3:7  error  'x' is not defined  no-undef",
        "npm ERR! code ELIFECYCLE",
        "make: *** [Makefile:2: all] Error 1",
        "ValueError: bad total",
        "run.sh: line 3: foo: command not found",
        "thread 'main' panicked at src/lib.rs:10:5:",
        "not ok 2 - sums",
    ],
)
def test_telling_lines(line: str) -> None:
    assert telling(["all fine", line], 5) == [1]


def test_harmless_lines_are_not_telling() -> None:
    harmless = ("0 errors", "test_error_handling PASSED", "compiled with no errors", "ok")
    assert all(weight(plain(line)) < 3 for line in harmless)


def test_pretty_json_keeps_every_token() -> None:
    inner = '"big":12345678901234567890,"price":1.10,"price":2e0,"text":"a, {b} \\" \\u00e9"'
    raw = '{"list":[' + ",".join("{" + inner + "}" for _ in range(50)) + '],"none":{},"e":[]}'
    laid_out = pretty(raw.encode())
    assert laid_out is not None
    assert max(map(len, laid_out.split(b"\n"))) < 100
    squeezed = re.sub(r"\n *", "", laid_out.decode()).replace(": ", ":")
    assert squeezed == raw
    assert json.loads(laid_out) == json.loads(raw)


def test_pretty_json_is_for_long_lines_of_json_only() -> None:
    assert pretty(b'{"a": 1}') is None
    assert pretty(b"[1" * 3000) is None
    assert pretty(b"[" * 100_000 + b"]" * 100_000) is None
