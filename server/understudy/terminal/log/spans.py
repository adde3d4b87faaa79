"""The text of a log, which may lie in several files: of all of it, or of one command."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.terminal.log.folder import Log
from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK
from understudy.terminal.log.rotation import number_of
from understudy.values.frozen import frozen


@frozen
class Span:
    """A part of a file, between two places in bytes; None: its end."""

    path: Path
    start: int = SIZE
    end: int | None = None
    before: str = ""
    """What is said of the text before it, which has made room for newer output."""

    inode: int = 0
    """What the file was found by; 0: any, as its name never becomes another's."""

    def text(self) -> str:
        """What stands there."""
        return self._data().decode("utf-8", "replace")

    def n_lines(self) -> int:
        """How many lines that are."""
        return self._data().count(b"\n")

    def _data(self) -> bytes:
        """What stands there; raises FileNotFoundError where another file has got its name."""
        with self.path.open("rb") as file:
            if self.inode and os.fstat(file.fileno()).st_ino != self.inode:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self.path))
            file.seek(self.start)
            return file.read(-1 if self.end is None else self.end - self.start)


def all_of(log: Log) -> list[Span]:
    """All that is kept of a terminal."""
    spans = [Span(path) for path in log.files]
    first = number_of(spans[0].path) or log.number
    return [replace(spans[0], before=_made_room(1, first - 1)), *spans[1:]]


def of_ended(log: Log, path: Path, entry: dict[str, Any]) -> list[Span]:
    """A command that has ended in this file; it may have begun in an earlier one."""
    offset, end = int(entry["offset"]), int(entry["end"])
    if "from" not in entry:
        return [Span(path, offset, end)]
    first, last = number_of(path.with_name(str(entry["from"]))), number_of(path)
    between = [
        other for other in log.files
        if first <= number_of(other) and (last == 0 or number_of(other) < last)
    ]  # fmt: skip
    spans = [Span(other, offset if number_of(other) == first else SIZE) for other in between]
    spans.append(Span(path, SIZE, end))
    here = number_of(spans[0].path) or log.number
    return [replace(spans[0], before=_made_room(first, here - 1)), *spans[1:]]


def from_last(log: Log) -> list[Span]:
    """From where the command that runs now begins, or the one that ran last, to the end.

    That is also one that ran when the recorder was killed.
    """
    ended = log.ended
    is_open = log.header.get("status") == "running"
    if not ended:
        spans = all_of(log)
        # What a running command began with never makes room.
        return [replace(spans[0], before=""), *spans[1:]] if is_open else spans
    path, entry = ended[-1]
    first = Span(path, int(entry["end"]))
    if not is_open or entry.get("id") == log.record:
        first = of_ended(log, path, entry)[0]
    if first.path not in log.files:  # it is being left behind, and is the newest as well
        first = Span(log.path, first.start)
    at = list(log.files).index(first.path)
    return [Span(first.path, first.start), *(Span(other) for other in log.files[at + 1 :])]


def lines_of(spans: Sequence[Span], tail: int | None = None) -> tuple[list[str], int]:
    """The lines, or the last ones of them, and how many stand before these.

    Where files between two spans have made room for newer ones, a line says so.
    """
    kept: list[str] = []
    left_out = 0
    for index in range(len(spans) - 1, -1, -1):
        if tail is not None and len(kept) >= tail:
            left_out += spans[index].n_lines()
            continue
        lines = spans[index].text().split("\n")
        if lines[-1] == "":
            lines.pop()
        kept[:0] = [*_gap(spans, index), *lines]
    if tail is not None and len(kept) > tail:
        left_out += len(kept) - tail
        kept = kept[-tail:]
    return kept, left_out


def _gap(spans: Sequence[Span], index: int) -> list[str]:
    """The line that stands for what has made room, before this span."""
    said = spans[index].before
    before = number_of(spans[index - 1].path) if index else 0
    if before:
        # The newest file has no number, and follows the last that has one.
        said = _made_room(before + 1, number_of(spans[index].path) - 1)
    return [f"{MARK}   {said}"] if said else []


def _made_room(first: int, last: int) -> str:
    return f"left out here: the files {first} to {last} made room for newer ones" * (first <= last)
