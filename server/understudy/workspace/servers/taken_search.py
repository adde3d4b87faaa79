"""Where the files lie that configuration names, by the rules of those who read it."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from functools import cached_property
from pathlib import PurePath

from understudy.dependents import named_configuration as named
from understudy.dependents.resolvers.script import paths
from understudy.dependents.resolvers.script.packages import Package
from understudy.shadow.folder import Fingerprint, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.json_input import loads_with_comments

_MOST, _MOST_PLACES = 1000, 20_000
"""More files than this nobody takes, and of more places nobody makes sure."""

_MOST_EXPORTED = 200
_INSTALLED, _DESCRIPTION = "node_modules/", "package.json"


class TakenSearch:
    """What has been found so far of what the configuration of one server takes."""

    def __init__(self, root: str, snapshot: Snapshot, own: set[str]) -> None:
        self.marks: dict[str, Fingerprint | None] = {}
        self._root = root
        self._snapshot = snapshot
        self._own = own
        self._entered = set(own)
        self._fresh: list[str] = []
        self._n_there = 0
        self._depth = len(PurePath(root).parts) - 1
        self.is_by_listing = False
        """Whether another file of the folder would let it find other ones."""
        self._packages: dict[str, bool] = {}
        self._listed: dict[str, list[str]] | None = None

    @cached_property
    def _paths(self) -> frozenset[str]:
        self.is_by_listing = True
        return self._snapshot.paths()

    @property
    def is_too_much(self) -> bool:
        """Whether there is more than anybody takes: only what was looked at so far is known."""
        return self._n_there > _MOST or len(self.marks) > _MOST_PLACES

    def fresh(self) -> list[str]:
        """What is there and has not been given: it may name more."""
        found, self._fresh = self._fresh, []
        return found

    def follow(self, path: str, names: Iterable[named.Name]) -> None:
        """Note all places that the names in one file may mean."""
        for name in names:
            if not self._has_one(path, name) and name.how == "read":
                for place in self._called_so(name.text):
                    self.note(place, name.how)

    def _has_one(self, path: str, name: named.Name) -> bool:
        if name.text.startswith("#"):
            self._follow_private_name(path, name)
            return True
        for group in named.places(path, name):
            if self.is_too_much or self._is_outermost(group[0]):
                break
            # All of them, whatever is found: which of them counts is the reader's affair.
            there = [place for place in self._possible(group) if self.note(place, name.how)]
            for place in there:
                if place.endswith(_DESCRIPTION):
                    rest = paths.package_and_rest(name.text)[1] if place == group[0] else ""
                    self._follow_description(self._described(place), rest, name.how)
            if there:
                return True
        if name.how == "module":
            self._follow_own_name(path, name)
        return False

    def _possible(self, group: tuple[str, ...]) -> tuple[str, ...]:
        """Those to be noted: of a package that is not there its description alone.

        Of one that is installed, what is there; what comes later comes with another description.
        """
        if _INSTALLED not in group[0]:
            return group
        package = f"{self._root}/{named.package_of(group[0])}"
        if not self._packages.setdefault(package, os.path.isdir(package)):  # noqa: PTH112 - a text
            return group[:1]
        return group[:1] + tuple(filter(self._snapshot.exists, group[1:]))

    def _follow_private_name(self, path: str, name: named.Name) -> None:
        """What the nearest package says that `#name` means in its files."""
        place = self._nearest_description(path)
        if place is not None:
            self.note(place, "module")
            for target in self._described(place).imported(name.text):
                if not target.startswith("#"):
                    self._has_one(place, named.Name(target, name.how))

    def _follow_own_name(self, path: str, name: named.Name) -> None:
        """A package may import by its own name what it exports."""
        place = self._nearest_description(path)
        if place is not None:
            package, rest = self._described(place), paths.package_and_rest(name.text)[1]
            if f"{package.name}/{rest}".rstrip("/") == name.text:
                self._follow_description(package, rest, name.how)

    def _nearest_description(self, path: str) -> str | None:
        above = (posixpath.join(folder, _DESCRIPTION) for folder in paths.folders_above(path))
        return next(filter(self._is_there, above), None)

    def _follow_description(self, package: Package, rest: str, how: str) -> None:
        """Note what a package says stands for a name in it."""
        inside = package.exported(rest) if rest else (*package.entries, *package.exported(""))
        for place in inside[:_MOST_EXPORTED]:
            self.note(place, how)
        if not rest and isinstance(package.tsconfig, str):
            for place in paths.inside(package.folder, [package.tsconfig]):
                self.note(place, how)

    def _described(self, place: str) -> Package:
        try:
            text = self._snapshot.read(place)
            fields = {} if text is None else paths.mapping(loads_with_comments(text.content))
        except (BadInput, Moved, ValueError):
            fields = {}
        return Package(place.rpartition("/")[0], fields)

    def _called_so(self, name: str) -> list[str]:
        """The files whose paths end so: a program may put the folder before it."""
        tail = "/" + name.lstrip("./")
        if self._listed is None:
            self._listed = {}
            for path in self._paths:
                self._listed.setdefault(path.rpartition("/")[2], []).append(path)
        return [p for p in self._listed.get(tail.rpartition("/")[2], ()) if f"/{p}".endswith(tail)]

    def note(self, place: str, how: str) -> bool:
        """Note a place where a file may be; gives whether it is there."""
        place = self._within(place)
        if place not in self.marks and (place not in self._own or how == "module"):
            # Of its own configuration a change is known, by the keys that are the server's.
            self.marks[place] = self._snapshot.base.folder.reader.fingerprint(place)
        is_there = self._is_there(place)
        if is_there and place not in self._entered:
            self._entered.add(place)
            self._n_there += 1
            self._enter(place, how)
        return is_there

    def _is_there(self, place: str) -> bool:
        mark = self.marks.get(place)
        if place not in self._snapshot.shown and place in self.marks:
            return mark is not None
        return self._snapshot.exists(place)

    def _enter(self, place: str, how: str) -> None:
        """Go on from a file that is there, by its real path, as programs do."""
        real = self._within(os.path.realpath(f"{self._root}/{place}"))
        if _INSTALLED in real:  # what is installed is the environment's
            self._fresh += [] if named.is_program(place) else [place]
            return
        if real != place:
            self._entered.add(real)
            self.marks.setdefault(real, self._snapshot.base.folder.reader.fingerprint(real))
        self._fresh.append(real)
        if _INSTALLED in place and how == "module":
            self._enter_package(place)

    def _enter_package(self, place: str) -> None:
        """Take all of a package that is linked to the folder's own: its description says what."""
        package = os.path.realpath(f"{self._root}/{named.package_of(place)}")
        inside = self._within(package) + "/"
        for path in sorted(path for path in self._paths if path.startswith(inside)):
            if _INSTALLED not in path and not self.is_too_much:
                self.note(path, "module")

    def _within(self, place: str) -> str:
        """The path from the root."""
        if place.startswith("~/"):
            place = os.path.expanduser(place)  # noqa: PTH111 - a text, as all paths are here
        if not place.startswith("/"):
            surplus = place.count("../") - self._depth  # above all folders there is no other
            return place[3 * surplus :] if surplus > 0 else place
        return os.path.relpath(place, self._root).replace(os.sep, "/")

    def _is_outermost(self, place: str) -> bool:
        """Whether a place is above all folders."""
        return _INSTALLED in place and place.count("../") > self._depth
