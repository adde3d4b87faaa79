"""What every form of diff is read into: patches of files, made of hunks."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from understudy.values.frozen import frozen

PatchKind = Literal["modify", "create", "delete", "rename", "copy"]
Tag = Literal[" ", "-", "+"]


@frozen(slots=True)
class DiffLine:
    """A line of a hunk: kept, removed or added; `end` is empty where no newline follows it."""

    tag: Tag
    text: str
    end: str = "\n"


@frozen
class Hunk:
    """A run of lines and what becomes of it.

    `start` is the 0-based line it is said to stand at, None if it is said nowhere. `anchors` are
    lines that stand somewhere above it. `at_end`: the last line is the file's last.
    """

    lines: tuple[DiffLine, ...]
    start: int | None = None
    anchors: tuple[str, ...] = ()
    at_end: bool = False

    @cached_property
    def old(self) -> list[DiffLine]:
        """The kept and removed lines: what must be in the file."""
        return [line for line in self.lines if line.tag != "+"]

    @property
    def new(self) -> list[DiffLine]:
        """The kept and added lines: what is there afterwards."""
        return [line for line in self.lines if line.tag != "-"]

    @cached_property
    def changed(self) -> tuple[int, int]:
        """The part of `old` between the kept lines at its head and tail."""
        tags = [line.tag for line in self.lines]
        head = next((at for at, tag in enumerate(tags) if tag != " "), len(tags))
        tail = next((at for at, tag in enumerate(reversed(tags)) if tag != " "), 0)
        return min(head, len(self.old)), max(head, len(self.old) - tail)


@frozen
class FilePatch:
    """The change of one file. `paths` are the spellings its name allows, likeliest first.

    `to` is the new name of a rename or copy. `says_only_path`: it deletes without the lines.
    """

    kind: PatchKind
    paths: tuple[str, ...]
    hunks: tuple[Hunk, ...] = ()
    to: str | None = None
    says_only_path: bool = False
