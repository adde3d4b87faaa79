"""Paths in a tree: joined, matched with patterns, and the keys by which files are found."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import cast

from understudy.syntax.script.grammar import SUFFIXES

TYPED = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".d.mts", ".d.cts")
"""Suffixes of files that are taken before a folder of the same name."""

Pattern = tuple[str, tuple[str, ...]]
"""A name with at most one `*`, and the paths that it leads to."""


def joined(folder: str, path: str) -> str | None:
    """A path from a folder, as the tree spells it; None where it leads out of the tree.

    The slash at the end of a path that means a folder is kept.
    """
    is_folder = path.rpartition("/")[2] in ("", ".", "..")
    found = posixpath.normpath(posixpath.join(folder, path))
    if found == ".":
        return "/"
    if found.startswith(("../", "/")) or found == "..":
        return None
    return f"{found}/" if is_folder else found


def inside(folder: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the paths from a folder that stay in the tree."""
    return tuple(found for path in paths if (found := joined(folder, path)) is not None)


def within(path: str, folder: str) -> str | None:
    """The rest of a path below a folder; None where it is not below it."""
    folder = folder.strip("/")
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def without_suffix(path: str) -> str:
    """The path without the suffix of a script."""
    for suffix in SUFFIXES:
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def key_of(path: str) -> str:
    """The last segment up to its first dot: what all spellings of a file have in common."""
    name = path.rstrip("/").rpartition("/")[2]
    rest = name.lstrip(".")
    return name[: len(name) - len(rest)] + rest.partition(".")[0]


def matched(name: str, pattern: str) -> str | None:
    """What the `*` of a pattern stands for in a name, "" where it has none; None if it differs."""
    head, star, tail = pattern.partition("*")
    if not star:
        return "" if name == pattern else None
    if len(name) < len(head) + len(tail) or not (name.startswith(head) and name.endswith(tail)):
        return None
    return name[len(head) : len(name) - len(tail)]


def best_match(name: str, patterns: Iterable[Pattern]) -> tuple[str, ...]:
    """Where the pattern that fits best leads: the name itself, or the longest start before `*`."""
    best = -1
    found: list[str] = []
    for pattern, targets in patterns:
        head, star, _ = pattern.partition("*")
        if not name.startswith(head):
            continue
        middle = matched(name, pattern)
        rank = len(head) if star else len(name) + 1
        if middle is None or rank < best:
            continue
        found = [] if rank > best else found
        best = rank
        found += [target.replace("*", middle) for target in targets]
    return tuple(dict.fromkeys(found))


def folders_above(path: str) -> Iterator[str]:
    """The folders that hold a path, the nearest first; "" is the root."""
    while path:
        path = path.rpartition("/")[0]
        yield path


def package_and_rest(name: str) -> tuple[str, str]:
    """The package that a module is of, and what it is called in it, "" for the package itself."""
    parts = name.split("/")
    n_name = 2 if name.startswith("@") else 1
    return "/".join(parts[:n_name]), "/".join(parts[n_name:])


def mapping(value: object) -> dict[str, object]:
    """A JSON object, or an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """What a JSON list holds, or nothing."""
    return cast("list[object]", value) if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """A string, or the strings of a JSON list."""
    return [value] if isinstance(value, str) else [s for s in items(value) if isinstance(s, str)]


def leaves(value: object) -> Iterator[str]:
    """All strings in a JSON value, whatever condition leads to them."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        else:
            inner = (*mapping(one).values(), *items(one))
            pending.extend(reversed(inner))
