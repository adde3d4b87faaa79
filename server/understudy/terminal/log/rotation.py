"""The numbered files that a long log leaves behind: `1.1.txt`, `1.2.txt`, …, the oldest first."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK

_NEXT = "next"
"""Stands where a number is while a file is not the newest yet."""


@dataclass(frozen=True)
class Gone:
    """A file that made room for newer ones: its number, and what it held of output."""

    number: int
    n_bytes: int
    n_lines: int


def older(path: Path) -> list[Path]:
    """The files that a terminal's log has left behind, the oldest first."""
    found = (other for other in path.parent.glob(f"{path.stem}.*.txt") if number_of(other) > 0)
    return sorted(found, key=number_of)


def files(path: Path) -> list[Path]:
    """All files of a terminal's log, the newest last."""
    found = older(path)
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
    found = path.with_name(f"{path.stem}.{_NEXT}.txt")
    remove(found)
    return found


def leave(path: Path, number: int) -> None:
    """Put the file of `next_of` in the place of the newest, which keeps its index and a number.

    Whoever looks meanwhile finds a newest file, and no record twice.
    """
    kept, following = numbered(path, number), path.with_name(f"{path.stem}.{_NEXT}.txt")
    try:
        os.link(path, kept)
    except OSError:  # a file system without links
        path.rename(kept)
    index_of(path).rename(index_of(kept))
    following.replace(path)
    index_of(following).rename(index_of(path))


def make_room(path: Path, n_bytes: int, spared: int | None) -> list[Gone]:
    """Remove the oldest of the files that are left behind until they take so many bytes at most.

    Never the newest of them, nor the one with the number `spared`.
    """
    there = older(path)
    sizes = {other: other.stat().st_size for other in there}
    total, gone = sum(sizes.values()), list[Gone]()
    for other in there[:-1]:
        if total <= n_bytes:
            break
        if number_of(other) != spared:
            lines = other.read_bytes()[SIZE:].splitlines(keepends=True)
            output = [len(line) for line in lines if not line.startswith(MARK.encode())]
            gone.append(Gone(number_of(other), sum(output), len(output)))
            total -= sizes[other]
            remove(other)
    return gone


def words(path: Path, removed: int) -> str:
    """What the header says of the older files."""
    there = older(path)
    text = f"older={there[0].name}..{there[-1].name}"
    return text + (f" removed={removed} bytes" if removed else "")


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
