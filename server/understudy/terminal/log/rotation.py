"""The numbered files that a long log leaves behind: `1.1.txt`, `1.2.txt`, …, the oldest first."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK
from understudy.terminal.log.lock import is_locked
from understudy.values.frozen import frozen

_NEXT = "next"
"""Stands where a number is while a file is not the newest yet."""


@frozen
class Gone:
    """A file that made room for newer ones: its number, and what it held of output."""

    number: int
    n_bytes: int
    n_lines: int


def older(path: Path) -> list[Path]:
    """The files that a terminal's log has left behind, the oldest first."""
    found = (other for other in path.parent.glob(f"{path.stem}.*.txt") if number_of(other) > 0)
    return sorted(found, key=number_of)


def files(path: Path, left: Sequence[Path] | None = None) -> list[Path]:
    """All files of a terminal's log, the newest last; `left`: what `older` has found."""
    found = older(path) if left is None else list(left)
    # While one is being left, it has both names.
    with suppress(OSError):
        if found and found[-1].samefile(path):
            found.pop()
    return [*found, path]


def numbered(path: Path, number: int) -> Path:
    """What the file is called once it is left behind."""
    return path.with_name(f"{path.stem}.{number}.txt")


def next_of(path: Path) -> Path:
    """Where the file lies that is about to be the newest; none is there."""
    found = _next(path)
    remove(found)
    return found


def leave(path: Path, number: int) -> None:
    """Put the file of `next_of` in the place of the newest, which keeps its index and a number.

    Whoever looks meanwhile finds a newest file, and no record twice. Raises OSError; then all is as
    it was.
    """
    kept, following = numbered(path, number), _next(path)
    has_links = _link(path, kept)
    try:
        index_of(path).rename(index_of(kept))
        index_of(following).rename(index_of(path))
        if not has_links:
            path.rename(kept)
        following.replace(path)
    except OSError:
        with suppress(OSError):
            if index_of(kept).exists():
                index_of(kept).replace(index_of(path))
        with suppress(OSError):
            kept.unlink() if has_links else kept.rename(path)
        raise


def finish(path: Path) -> bool:
    """Whether the newest file is, or is about to be, in its place, where it was missing.

    On a file system without links nothing stands there for a moment, and a writer may end in it.
    """
    following = _next(path)
    try:
        with following.open("rb") as file:
            if not is_locked(file.fileno(), None):
                following.replace(path)
            return True
    except FileNotFoundError:
        return path.exists()


def make_room(path: Path, n_bytes: int, spared: int | None) -> Iterator[Gone]:
    """Remove the oldest of the files that are left behind until they take so many bytes at most.

    Never the newest of them, nor the one with the number `spared`. Raises OSError.
    """
    sizes = {other: other.stat().st_size for other in older(path)}
    total = sum(sizes.values())
    for other in list(sizes)[:-1]:
        if total <= n_bytes:
            break
        if number_of(other) != spared:
            lines = other.read_bytes()[SIZE:].splitlines(keepends=True)
            output = [len(line) for line in lines if not line.startswith(MARK.encode())]
            index_of(other).unlink(missing_ok=True)
            other.unlink()
            total -= sizes[other]
            yield Gone(number_of(other), sum(output), len(output))


def words(path: Path, removed: int) -> str:
    """What the header says of the older files."""
    there = older(path)
    found = [f"older={there[0].name}..{there[-1].name}"] if there else []
    return " ".join([*found, *([f"removed={removed} bytes"] if removed else [])])


def remove(path: Path) -> None:
    """Remove a log and its index; what somebody else has removed is fine."""
    for gone in (index_of(path), path):
        with suppress(OSError):
            gone.unlink(missing_ok=True)


def index_of(path: Path) -> Path:
    """The index of a log's file."""
    return path.with_suffix(".cmds.jsonl")


def number_of(path: Path) -> int:
    """The number of a file that was left behind; 0 for all others."""
    name, _, number = path.stem.rpartition(".")
    return int(number) if name and number.isdigit() else 0


def _next(path: Path) -> Path:
    return path.with_name(f"{path.stem}.{_NEXT}.txt")


def _link(path: Path, kept: Path) -> bool:
    """Give the file a second name; False where the file system has no links."""
    try:
        os.link(path, kept)
    except FileExistsError:  # somebody could not take it back
        if not kept.samefile(path):
            raise
    except OSError:
        return False
    return True
