"""What else changes when a file comes or goes: the folders around it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator


def folders_of(path: str) -> Iterator[str]:
    """All folders that a file lies in, nearest first; not the root."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def turned_folders(
    moved: Iterable[str], before: Collection[str], after: Collection[str]
) -> set[str]:
    """The folders that hold files on one side only; `moved` are the files that come or go.

    A folder without an `__init__` is a package to some importers as soon as it is there.
    """
    around = {folder for path in moved for folder in folders_of(path)}
    if not around:
        return set()
    held = [
        {f for path in side for f in folders_of(path) if f in around} for side in (before, after)
    ]
    return held[0] ^ held[1]
