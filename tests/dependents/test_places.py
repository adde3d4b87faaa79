"""What comes and goes with a file: folders, names, the files that it hides."""

from __future__ import annotations

import pytest

from understudy.dependents.places import folders_of, namesakes, spoken_names, turned_folders


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


@pytest.mark.parametrize(
    ("path", "others"),
    [
        ("pkg/m.py", {"pkg/m.pyi", "pkg/m/__init__.py", "pkg/m/__init__.pyi"}),
        ("pkg/m/__init__.py", {"pkg/m.py", "pkg/m.pyi", "pkg/m/__init__.pyi"}),
        ("README.md", set()),
    ],
)
def test_namesakes(path: str, others: set[str]) -> None:
    assert set(namesakes(path)) == others


def test_namesakes_of_scripts() -> None:
    assert {"src/m.d.ts", "src/m/index.ts", "src/m.js"} <= {*namesakes("src/m.ts")}
    assert {"src/m.ts", "src/m.tsx"} <= {*namesakes("src/m/index.ts")}


def test_spoken_names() -> None:
    assert spoken_names("pkg/deep/m.py") == {"deep", "m"}
    assert spoken_names("pkg/deep/__init__.py") == {"deep"}
    assert spoken_names("src/core/index.ts") == {"core"}
