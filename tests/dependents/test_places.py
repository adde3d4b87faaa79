"""What comes and goes with a file: folders, names, the files that it hides."""

from __future__ import annotations

import pytest

from understudy.dependents.places import folders_of, turned_folders


def test_folders() -> None:
    assert [*folders_of("a/b/c.py")] == ["a/b", "a"]
    assert [*folders_of("c.py")] == []


@pytest.mark.parametrize(
    ("before", "after", "turned"),
    [
        ({"a.py"}, {"a.py", "new/deep/b.py"}, {"new", "new/deep"}),
        ({"a.py", "old/b.py"}, {"a.py"}, {"old"}),
        ({"old/b.py"}, {"new/b.py"}, {"old", "new"}),
        ({"pkg/a.py"}, {"pkg/a.py", "pkg/b.py"}, set()),
        ({"pkg/a.py", "pkg/sub/b.py"}, {"pkg/a.py"}, {"pkg/sub"}),
        ({"pkg/a.py"}, {"pkgs/a.py", "pkg/b.py"}, {"pkgs"}),
        ({"a.py"}, {"b.py"}, set()),
    ],
)
def test_turned_folders(before: set[str], after: set[str], turned: set[str]) -> None:
    assert turned_folders(before ^ after, before, after) == turned
