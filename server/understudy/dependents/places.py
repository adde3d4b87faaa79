"""What else changes when a file comes or goes: the folders around it, and files it hides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from understudy.dependents import python_imports, script_imports
from understudy.dependents.imports import is_index, stem_of


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


def namesakes(path: str) -> tuple[str, ...]:
    """The paths that are imported by the same name as a file: it hides one, or is hidden by it."""
    stem = stem_of(path)
    folder, _, name = stem.rpartition("/")
    if is_index(name) and folder:
        stem = folder
    if path.endswith(python_imports.SUFFIXES):
        suffixes, index = python_imports.SUFFIXES, "__init__"
    elif path.endswith(script_imports.SUFFIXES):
        suffixes, index = script_imports.SUFFIXES, "index"
    else:
        return ()
    spelled = (f"{start}{suffix}" for start in (stem, f"{stem}/{index}") for suffix in suffixes)
    return tuple(other for other in spelled if other != path)


def spoken_names(path: str) -> frozenset[str]:
    """The words that name a file in an import: its own, or its folder's for an index."""
    parts = stem_of(path).split("/")
    return frozenset(part for part in parts[-2:] if part and not is_index(part))
