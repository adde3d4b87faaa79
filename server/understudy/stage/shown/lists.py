"""The lists of what a stage shows of the machine: `shown.toml`, looked up by parts of paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from fnmatch import fnmatchcase, translate
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from understudy.values import toml
from understudy.values.frozen import frozen

_PATTERN = frozenset("*?[")


@frozen
class PlaceTree:
    """Listed places below a folder, as a tree of their parts; a part may be a pattern."""

    listed: tuple[str, ...]
    _found: dict[Path, tuple[tuple[int, ...], tuple[Path, ...]]] = field(
        default_factory=dict[Path, Any], compare=False, repr=False
    )

    def below(self, folder: Path) -> tuple[Path, ...]:
        """Those that are there now, by the path that the list gives them.

        What is in a folder changes with the folder's time: until then, the last answer holds.
        """
        times = tuple(_time_of(f"{folder}/{above}") for above in self._above)
        known = self._found.get(folder)
        if known is None or known[0] != times:
            known = self._found[folder] = times, tuple(_walk(folder, self._tree))
        return known[1]

    def has(self, place: str) -> bool:
        """Whether a place (relative, or absolute as the list is) is listed itself."""
        tree = self._tree
        for part in place.strip("/").split("/"):
            found = tree.get(part)
            if found is None:
                found = next((t for name, t in tree.items() if fnmatchcase(part, name)), None)
            if found is None:
                return False
            tree = found
        return not tree

    def has_below(self, place: str) -> bool:
        """Whether anything below a place is listed, but not the place itself."""
        return place.strip("/") in self._above

    @cached_property
    def _above(self) -> frozenset[str]:
        """Every folder that something listed lies in."""
        found = {""}
        for place in self.listed:
            parts = place.strip("/").split("/")
            found |= {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        return frozenset(found)

    @cached_property
    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        for place in self.listed:
            node = tree
            for part in place.strip("/").split("/"):
                node = node.setdefault(part, {})
        return tree


def _walk(folder: Path, tree: Mapping[str, Any]) -> Iterator[Path]:
    names: list[str] | None = None
    for part, deeper in tree.items():
        if _PATTERN.isdisjoint(part):
            found = [part]
        else:
            names = _names(folder) if names is None else names
            found = [name for name in names if fnmatchcase(name, part)]
        for name in found:
            path = folder / name
            if deeper:
                if os.path.isdir(path):
                    yield from _walk(path, deeper)
            elif os.path.lexists(path):
                yield path


def _time_of(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:  # not there, or another user's
        return 0


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:  # not there, or another user's: nothing of it can be shown
        return []


@frozen
class Lists:
    """What `shown.toml` says; see there for what each list means."""

    machine: PlaceTree
    machine_hidden: tuple[str, ...]
    home: PlaceTree
    project: PlaceTree
    moved: Mapping[str, str]
    files: Mapping[str, tuple[str, ...]]
    above: PlaceTree
    variables: frozenset[str]
    prefixes: tuple[str, ...]
    places: tuple[str, ...]
    _below: dict[str, PlaceTree] = field(default_factory=dict[str, PlaceTree], compare=False)

    def home_below(self, place: str) -> PlaceTree | None:
        """The home's list below one of its places; None where that is listed itself."""
        if self.home.has(place):
            return None
        if place not in self._below:
            prefix = place + "/"
            inner = (p.removeprefix(prefix) for p in self.home.listed if p.startswith(prefix))
            self._below[place] = PlaceTree(tuple(inner))
        return self._below[place]


@cache
def shown_lists() -> Lists:
    """The lists of this package."""
    table = toml.loads(files("understudy.stage.shown").joinpath("shown.toml").read_text("utf-8"))
    machine, home, environment = table["machine"], table["home"], table["environment"]
    names: list[str] = environment["pass"]
    return Lists(
        machine=PlaceTree(tuple(machine["show"])),
        machine_hidden=tuple(machine["hide"]),
        home=PlaceTree(tuple(home["show"])),
        project=PlaceTree(tuple(home["project"])),
        moved=home["moved"],
        files={path: tuple(keys) for path, keys in table["files"].items()},
        above=PlaceTree(tuple(table["above"]["show"])),
        variables=frozenset(name for name in names if not name.endswith("*")),
        prefixes=tuple(name[:-1] for name in names if name.endswith("*")),
        places=tuple(environment["places"]),
    )


def matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Matches what any of the patterns does, in letters of any size."""
    return re.compile("|".join(map(translate, patterns)), re.IGNORECASE)
