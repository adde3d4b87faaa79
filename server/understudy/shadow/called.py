"""What a branch is called by, for people: what it is for, in one line."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from understudy.shadow.branch import BranchFile
from understudy.values.printable import printable

MAX_TITLE = 200
"""Characters."""
_MOST_READ = 20 * MAX_TITLE
"""Characters of what somebody says of a branch: no title needs more, whatever they are."""
_SAY_NOTHING = frozenset(("", "an agent's edits", "edits of the editor's AI"))
"""Titles that name no purpose; the last two stand in journals of earlier versions."""


def called(title: str, files: Mapping[str, BranchFile]) -> str:
    """The title, else the file that changes most and how many others; "" without either.

    How much a file changes is told by sizes alone: texts stay packed, and equal branches are
    called the same.
    """
    if not is_untitled(title):
        return title
    paths = own_paths(files)
    if not paths:
        return ""
    main = min(paths, key=lambda path: (-_change(files[path]), path))
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return as_title(posixpath.basename(main)) + more


def own_paths(files: Mapping[str, BranchFile]) -> list[str]:
    """The files of a branch as people count them: a renamed one is one, by its new name."""
    sources = {file.origin for file in files.values()}
    return [path for path, file in files.items() if path not in sources or file.after is not None]


def is_untitled(title: str) -> bool:
    """Whether a title says nothing of what its branch is for."""
    return title.strip() in _SAY_NOTHING


def as_title(words: str) -> str:
    """What somebody says of a branch as its title: one line, cut with an ellipsis."""
    line = printable(" ".join(words[:_MOST_READ].split()))
    line = "".join(char if char.isprintable() else "\ufffd" for char in line)
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1]}…"


def _change(file: BranchFile) -> int:
    """Characters by which the file grows or shrinks; of a new or deleted one, all."""
    before, after = (0 if text is None else text.size for text in (file.base, file.after))
    return abs(after - before)
