"""The numbered files that a long session's log leaves behind: `1.1.txt`, `1.2.txt`, …"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

MAX_OLDER = 4
"""Older files of one terminal that are kept."""


def older(path: Path) -> list[Path]:
    """The files that a terminal's log has left behind, the oldest first."""
    found = (other for other in path.parent.glob(f"{path.stem}.*.txt") if _number(other) > 0)
    return sorted(found, key=_number)


def move_away(path: Path) -> int:
    """Give the log and its index the next number; returns how many bytes were removed for it."""
    before = older(path)
    number = _number(before[-1]) + 1 if before else 1
    for kept in (path, path.with_suffix(".cmds.jsonl")):
        kept.rename(kept.with_name(f"{path.stem}.{number}{kept.name[len(path.stem) :]}"))
    removed = 0
    for gone in before[: -MAX_OLDER + 1]:
        removed += gone.stat().st_size
        remove(gone)
    return removed


def words(path: Path, removed: int) -> str:
    """What the header says of the older files."""
    there = older(path)
    text = f"older={there[0].name}..{there[-1].name}"
    return text + (f" removed={removed} bytes" if removed else "")


def remove(path: Path) -> None:
    """Remove a log and its index; what somebody else has removed is fine."""
    for gone in (path.with_suffix(".cmds.jsonl"), path):
        with suppress(OSError):
            gone.unlink(missing_ok=True)


def _number(path: Path) -> int:
    _, _, number = path.stem.rpartition(".")
    return int(number) if number.isdigit() else 0
