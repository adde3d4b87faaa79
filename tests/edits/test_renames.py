"""Pairs of deleted and new files: equal first, then alike, each file in one pair at most."""

import pytest

from understudy.edits.renames import renamed

LONG = "".join(f"line {number}\n" for number in range(10))
HALF = "".join(f"line {number}\n" for number in range(5)) + "other\n" * 5
LESS = "".join(f"line {number}\n" for number in range(4)) + "other\n" * 6

CASES = [
    ("equal", {"a": LONG}, {"b": LONG}, {"b": "a"}),
    ("half", {"a": LONG}, {"b": HALF}, {"b": "a"}),
    ("less than half", {"a": LONG}, {"b": LESS}, {}),
    ("grown beyond likeness", {"a": "x\n"}, {"b": "x\n" + LONG}, {}),
    ("equal before alike", {"a": LONG, "b": HALF}, {"c": HALF}, {"c": "b"}),
    ("name decides", {"p/x": LONG, "q/y": LONG}, {"r/y": LONG}, {"r/y": "q/y"}),
    ("then the path", {"p/a": LONG, "q/b": LONG}, {"r/y": LONG}, {"r/y": "p/a"}),
    ("one to one", {"a": LONG}, {"b": LONG, "c": LONG}, {"b": "a"}),
    ("swap", {"a": LONG, "b": "else\n"}, {"c": "else\n", "d": LONG}, {"c": "b", "d": "a"}),
    ("empty files are not alike", {"a": ""}, {"b": ""}, {}),
    ("blank lines do not count", {"a": "n\n\n\n\n"}, {"b": "m\n\n\n\n"}, {}),
    ("line ends do not count", {"a": LONG}, {"b": LONG.replace("\n", "\r\n")}, {"b": "a"}),
    ("nothing", {}, {"b": LONG}, {}),
]


@pytest.mark.parametrize(
    ("gone", "new", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_pairs(gone, new, expected):
    assert renamed(gone, new) == expected


def test_of_very_many_only_those_that_kept_their_name():
    gone = {f"old/{number}": f"text {number}\n" for number in range(60)}
    new = {f"new/{number}": f"text {number}\n" for number in range(60)}
    assert renamed(gone, new) == {f"new/{n}": f"old/{n}" for n in range(60)}
    others = {f"new/x{number}": f"text {number}\n" for number in range(60)}
    assert renamed(gone, others) == {}
