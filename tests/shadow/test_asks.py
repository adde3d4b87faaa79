"""An ask keeps its place while other lines change, and is settled by an edit of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from understudy.shadow.asks import Ask
from understudy.shadow.branch import Branch, BranchFile, asks_after
from understudy.values.texts import PackedText, Text

ASK = Ask(1, 1, "a.py", 2, 4, "shorter, please")
LINES = [f"line {number}\n" for number in range(6)]


def file(lines: list[str] | None, origin: str | None = None) -> BranchFile:
    after = None if lines is None else PackedText.pack(Text("".join(lines)))
    return BranchFile(PackedText.pack(Text("before\n")), after, origin)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["new\n", *LINES], (3, 5)),
        ([*LINES, "new\n"], (2, 4)),
        (LINES[1:], (1, 3)),
        ([*LINES[:3], "other\n", *LINES[4:]], None),
        ([*LINES[:3], "between\n", *LINES[3:]], None),
        (LINES[:2], None),
        (None, None),
    ],
)
def test_lines_move_or_are_settled(lines: list[str] | None, place: tuple[int, int] | None) -> None:
    left = asks_after([ASK], {"a.py": file(LINES)}, {"a.py": file(lines)})
    assert [(one.start, one.end) for one in left] == ([] if place is None else [place])
    assert all((one.number, one.text) == (ASK.number, ASK.text) for one in left)


def test_a_renamed_file_takes_its_asks_along() -> None:
    after = {"a.py": file(None), "b.py": file(LINES, origin="a.py")}
    (left,) = asks_after([ASK], {"a.py": file(LINES)}, after)
    assert (left.path, left.start) == ("b.py", 2)


def test_a_file_that_the_branch_only_reaches_keeps_it_until_it_is_edited() -> None:
    assert asks_after([ASK], {}, {}) == (ASK,)
    base = PackedText.pack(Text("".join(LINES)))
    near = PackedText.pack(Text("".join(["new\n", *LINES])))
    (left,) = asks_after([ASK], {}, {"a.py": BranchFile(base, near)})
    assert (left.start, left.end) == (3, 5)
    seen = replace(ASK, seen=PackedText.pack(Text("".join(LINES[1:]))))
    (left,) = asks_after([seen], {}, {"a.py": BranchFile(base, near)})
    assert left == replace(ASK, start=4, end=6), "from the text that it was made about"


def test_what_leaves_the_branch_settles_it_and_the_content_is_as_before() -> None:
    files = {"a.py": file(LINES), "b.py": file(LINES)}
    branch = Branch("b1", "", 0.0, 0.0).with_files(files, 1.0)
    asked = Branch("b1", "", 0.0, 1.0, branch.files, branch.revision, (ASK,))
    assert asked.stamp == branch.stamp
    assert asked.with_files({"b.py": file(["other\n"])}, 2.0).asks == (ASK,)
    own = PackedText.pack(Text("".join(LINES)))
    assert asked.with_files({"a.py": BranchFile(own, own)}, 2.0).asks == ()
