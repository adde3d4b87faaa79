"""Which blank lines go with removed ones."""

from __future__ import annotations

import pytest

from understudy.app.check.fixes.holes import left_blank


@pytest.mark.parametrize(
    ("old", "new", "tidied"),
    [
        ("import a\n\nx", "\nx", "x"),
        ("import a\nimport b\n\n\nx", "\n\nx", "x"),
        ("doc\n\nimport a\n\n\nx", "doc\n\n\n\nx", "doc\n\n\nx"),
        ("def f():\n  import a\n\n  x", "def f():\n\n  x", "def f():\n  x"),
        ("a\n\nb\n\nc\n\nd\n\ne", "a\n\n\nc\n\n\ne", "a\n\nc\n\ne"),
        ("import a\nimport b\n\nx", "import b\n\nx", "import b\n\nx"),
        ("x = 1\n\ny = 2\n", "x = 1\n\nz\n", "x = 1\n\nz\n"),
        ("a\n\n\n\nb", "a\n\nb", "a\n\nb"),
        ("a\n\nb\n", "a\n\n", "a\n"),
        ("a\n", "", ""),
    ],
)
def test_of_two_runs_the_longer_one_stays(old: str, new: str, tidied: str) -> None:
    lines = new.split("\n")
    for first, end in reversed(left_blank(old.split("\n"), lines)):
        del lines[first:end]
    assert "\n".join(lines) == tidied
