"""Edits in short, and what becomes of a branch when the base moves under it."""

from __future__ import annotations

from tests.support.workspace import Workspace, text_of
from understudy.workspace.branches.book import BranchBook


def write(path: str, text: str) -> dict[str, str]:
    return {"kind": "write", "path": path, "text": text}


def replace(path: str, old: str, new: str) -> dict[str, str]:
    return {"kind": "replace", "path": path, "old": old, "new": new}


def delete(path: str) -> dict[str, str]:
    return {"kind": "delete", "path": path}


def rename(path: str, to: str) -> dict[str, str]:
    return {"kind": "rename", "path": path, "to": to}


async def content(book: BranchBook, space: Workspace, branch_id: str) -> dict[str, str | None]:
    """What the branch makes of the paths it touches."""
    snapshot = await book.snapshot(branch_id, space.base)
    return {path: text_of(text) for path, text in sorted(snapshot.edits.items())}


BASE = "".join(f"line {n}\n" for n in range(1, 10))


def swapped(old: str, new: str, text: str = BASE) -> str:
    assert old in text
    return text.replace(old, new)


MOVES = {
    # branch's edits, user's text of a.py and b.py (None: deleted), what the branch reads, conflicts
    "other lines": (
        [replace("a.py", "line 1", "ONE")],
        {"a.py": swapped("line 9", "NINE")},
        {"a.py": swapped("line 9", "NINE", swapped("line 1", "ONE"))},
        [],
    ),
    "the same line": (
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": swapped("line 5", "V")},
        {"a.py": swapped("line 5", "FIVE")},
        ["a.py"],
    ),
    "the same change": (
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": swapped("line 5", "FIVE")},
        {},
        [],
    ),
    "both made the file": (
        [write("b.py", "mine\n")],
        {"b.py": "user's\n"},
        {"b.py": "mine\n"},
        ["b.py"],
    ),
    "both made the same file": ([write("b.py", "same\n")], {"b.py": "same\n"}, {}, []),
    "deleted here, changed there": (
        [delete("a.py")],
        {"a.py": swapped("line 5", "FIVE")},
        {"a.py": None},
        ["a.py"],
    ),
    "changed here, deleted there": (
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": None},
        {"a.py": swapped("line 5", "FIVE")},
        ["a.py"],
    ),
    "deleted by both": ([delete("a.py")], {"a.py": None}, {}, []),
    "renamed here, changed there": (
        [rename("a.py", "b.py"), replace("b.py", "line 1", "ONE")],
        {"a.py": swapped("line 9", "NINE")},
        {"a.py": None, "b.py": swapped("line 9", "NINE", swapped("line 1", "ONE"))},
        [],
    ),
    "renamed here, the same line changed": (
        [rename("a.py", "b.py"), replace("b.py", "line 1", "ONE")],
        {"a.py": swapped("line 1", "I")},
        {"a.py": None, "b.py": swapped("line 1", "ONE")},
        ["b.py"],
    ),
    "renamed here, deleted there": (
        [rename("a.py", "b.py")],
        {"a.py": None},
        {"a.py": None, "b.py": BASE},
        ["b.py"],
    ),
    "renamed by both": ([rename("a.py", "b.py")], {"a.py": None, "b.py": BASE}, {}, []),
    "renamed onto the user's new file": (
        [rename("a.py", "b.py")],
        {"b.py": "user's\n"},
        {"a.py": None, "b.py": BASE},
        ["b.py"],
    ),
    "the user's file is no text any more": (
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": "\0"},
        {"a.py": swapped("line 5", "FIVE")},
        ["a.py"],
    ),
}
