"""What a full spool has no room for: the last of it is kept, the rest is counted."""

from __future__ import annotations

from understudy.terminal.overflow import Overflow


def test_what_fits_comes_out_in_its_order() -> None:
    overflow = Overflow(10)
    assert not overflow
    overflow.add(b"one", has_mark=False)
    overflow.tell({"columns": 80, "rows": 24})
    overflow.add(b"two", has_mark=True)
    assert overflow
    assert list(overflow.take()) == [b"one", {"columns": 80, "rows": 24}, b"two"]
    assert not overflow
    assert list(overflow.take()) == []


def test_what_is_pushed_out_is_counted_and_sizes_are_not_forgotten() -> None:
    overflow = Overflow(10)
    overflow.add(b"first", has_mark=True)
    overflow.tell({"columns": 1, "rows": 1})
    overflow.tell({"clock": 5, "time": 6})
    overflow.tell({"columns": 2, "rows": 2})
    overflow.add(b"second", has_mark=False)
    overflow.add(b"third", has_mark=True)
    overflow.tell({"clock": 7, "time": 8})
    overflow.add(b"last", has_mark=False)
    assert list(overflow.take()) == [
        {"missed": 11, "marks": 1},
        {"columns": 2, "rows": 2},
        b"third",
        {"clock": 7, "time": 8},
        b"last",
    ]


def test_it_can_be_used_again() -> None:
    overflow = Overflow(3)
    overflow.add(b"abc", has_mark=True)
    overflow.add(b"def", has_mark=True)
    assert list(overflow.take()) == [{"missed": 3, "marks": 1}, b"def"]
    overflow.add(b"ghi", has_mark=False)
    assert list(overflow.take()) == [b"ghi"]
