"""What the configuration of each server takes from other files: all that it extends or imports.

Servers read that when they start, or with the first file that they judge, and of a change only few
take notice. So a process belongs to one state of these files on disk: with another one, another
process starts. Whether one is as it was, its fingerprint says; only what has moved is read again.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import PurePath

from understudy.dependents import named_configuration as named
from understudy.dependents.programs_reading import computes_names, is_data
from understudy.langserver.profile import Profile
from understudy.langserver.spec import ServerSpec
from understudy.shadow.folder import Fingerprint, FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.stamps import stamp_of
from understudy.values.texts import PackedText
from understudy.workspace.servers.configuration_files import ConfigurationFiles
from understudy.workspace.workers import Workers

_MOST, _MOST_PLACES = 1000, 20_000
"""More files than this nobody takes, and of more places nobody makes sure."""

_KEPT_READINGS, _KEPT_STATES = 4096, 16
_SECONDS = 10.0
_A_PAUSE = 20
"""Files between two turns of the event loop."""

_MANY = 200
"""Places whose state is better looked up beside the event loop."""

_INSTALLED = "node_modules/"
_PATTERN = frozenset("*?[/")
_Names = tuple[named.Name, ...] | None
"""What a file names; None: it may be anything."""


@frozen
class TakenSet:
    """The files that a configuration takes, or would if they were there, as they are on disk.

    `is_any`: nobody can say which, so that every file of the folder counts. `others` names the
    state of those that may be taken without being named: all, or all data where a program of the
    configuration computes what it reads.
    """

    marks: Mapping[str, Fingerprint | None] = field(default_factory=dict[str, "Fingerprint | None"])
    is_any: bool = False
    others: str = ""

    def __contains__(self, path: object) -> bool:
        return self.is_any or path in self.marks

    @property
    def state(self) -> str:
        """Names the state of all of them; empty where there are none."""
        if not self.marks and not self.others:
            return ""
        parts = (part for path in sorted(self.marks) for part in (path, repr(self.marks[path])))
        return stamp_of([self.others, *parts])


_NOTHING = TakenSet()


@frozen
class _Known:
    """What was found of a snapshot: while neither the folder nor what lies over it is another."""

    folder: object
    over: Mapping[str, str | None]
    taken: TakenSet


class TakenFiles:
    """Finds them for each server and snapshot; what was read of a text is kept."""

    def __init__(self, root: Root, workers: Workers, configuration: ConfigurationFiles) -> None:
        self._root = str(root.path)
        self._workers = workers
        self._configuration = configuration
        self._readings: OrderedDict[tuple[str, str, str], _Names] = OrderedDict()
        self._known: dict[str, deque[_Known]] = {}

    async def fitted(self, spec: ServerSpec, snapshot: Snapshot) -> ServerSpec:
        """The process for what the configuration takes now. Raises Moved."""
        return spec.configured_by((await self.of(spec.profile, snapshot)).state)

    async def of(self, profile: Profile, snapshot: Snapshot) -> TakenSet:
        """What the configuration of a server takes in a snapshot, with that above the folder.

        Raises Moved.
        """
        if not profile.config_files:
            return _NOTHING
        folder = snapshot.base.folder
        kept = self._known.setdefault(profile.name, deque(maxlen=_KEPT_STATES))
        for known in kept:
            if known.folder is folder and known.over == _over(profile, snapshot, known.taken):
                if await _still(folder, known.taken.marks):
                    return known.taken
                kept.remove(known)
                break
        taken = await self._found(profile, snapshot)
        kept.append(_Known(folder, _over(profile, snapshot, taken), taken))
        return taken

    async def _found(self, profile: Profile, snapshot: Snapshot) -> TakenSet:
        own = [path for path in self._configuration.of(snapshot) if profile.is_config(path)]
        search = _Search(self._root, snapshot, set(own))
        for place in _above(profile, self._root):
            search.note(place, "file")
        pending = own + search.fresh()
        n_read, computes = 0, False
        while pending:
            n_read += 1
            if n_read % _A_PAUSE == 0:
                await asyncio.sleep(0)
            path = pending.pop()
            names = await self._named(profile, snapshot, path)
            if names is not None and len(names) > _A_PAUSE:
                await asyncio.to_thread(search.follow, path, names)
            elif names is not None:
                search.follow(path, names)
            if names is None or search.is_too_much:
                return TakenSet({}, is_any=True, others=snapshot.base.folder.stamp)
            pending += search.fresh()
            computes = computes or self._computes(snapshot, path)
        return TakenSet(search.marks, others=_data(snapshot) if computes else "")

    @staticmethod
    def _computes(snapshot: Snapshot, path: str) -> bool:
        """Whether a program of the configuration, which has been read, computes what it reads."""
        text = snapshot.read(path) if named.is_program(path) else None
        return text is not None and computes_names(text.content)

    async def _named(self, profile: Profile, snapshot: Snapshot, path: str) -> _Names:
        """What one file names."""
        extends = named.USUAL if profile.config_extends is None else profile.config_extends
        if not (extends or named.is_program(path)):
            return ()
        folder = snapshot.base.folder
        try:
            text = snapshot.packed(path)
        except BadInput as error:
            return None if error.code == "too-large" else ()
        except Moved:
            if folder.on_disk is folder.files:
                raise
            return ()  # of a former moment nobody knows it; a process sees it as it is by now
        return () if text is None else await self._names(path, text, extends)

    async def _names(self, path: str, packed: PackedText, extends: named.Extends) -> _Names:
        key = (path, packed.digest, repr(extends))
        if key in self._readings:
            self._readings.move_to_end(key)
            return self._readings[key]
        text = packed.unpack().content.encode("utf-8", "replace")
        if not named.may_name(path, text, extends):
            names: _Names = ()
        elif named.is_read_at_once(text):
            names = named.names_in(path, text, extends)
        else:
            names = await self._read_elsewhere(path, text, extends)
        self._readings[key] = names
        if len(self._readings) > _KEPT_READINGS:
            self._readings.popitem(last=False)
        return names

    async def _read_elsewhere(self, path: str, text: bytes, extends: named.Extends) -> _Names:
        plain = {glob: tuple(keys) for glob, keys in extends.items()}
        try:
            return await self._workers.run_elsewhere(
                named.names_in, path, text[: named.LONGEST + 1], plain, seconds=_SECONDS
            )
        except OutsideFailure:  # nobody writes such a text for a server to read
            return None


def _data(snapshot: Snapshot) -> str:
    """The state of all files of data that a scan lists."""
    files = snapshot.base.folder.files
    data = sorted(filter(is_data, files))
    return stamp_of(part for path in data for part in (path, repr(files[path])))


def _above(profile: Profile, root: str) -> Iterator[str]:
    """Where configuration may lie above the folder: servers look for it there, too."""
    names = {*profile.config_files, *profile.root_markers}
    plain = sorted(name for name in names if _PATTERN.isdisjoint(name))
    for number in range(1, len(PurePath(root).parts)):
        yield from ("../" * number + name for name in plain)


class _Search:
    """What has been found so far of what the configuration of one server takes."""

    def __init__(self, root: str, snapshot: Snapshot, own: set[str]) -> None:
        self.marks: dict[str, Fingerprint | None] = {}
        self._root = root
        self._snapshot = snapshot
        self._own = own
        self._entered = set(own)
        self._fresh: list[str] = []
        self._n_there = 0
        self._listed: dict[str, list[str]] | None = None

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
        for group in named.places(path, name):
            if self.is_too_much or self._is_outermost(group[0]):
                return False
            # All of them, whatever is found: which of them counts is the reader's affair.
            if [place for place in group if self.note(place, name.how)]:
                return True
        return False

    def _called_so(self, name: str) -> list[str]:
        """The files whose paths end so: a program may put the folder before it."""
        tail = "/" + name.lstrip("./")
        if self._listed is None:
            self._listed = {}
            for path in self._snapshot.paths():
                self._listed.setdefault(path.rpartition("/")[2], []).append(path)
        return [p for p in self._listed.get(tail.rpartition("/")[2], ()) if f"/{p}".endswith(tail)]

    def note(self, place: str, how: str) -> bool:
        """Note a place where a file may be; gives whether it is there."""
        place = self._within(place)
        if place not in self.marks and (place not in self._own or how == "module"):
            # Of its own configuration a change is known, by the keys that are the server's.
            self.marks[place] = self._snapshot.base.folder.reader.fingerprint(place)
        is_there = self._snapshot.exists(place)
        if is_there and place not in self._entered:
            self._entered.add(place)
            self._n_there += 1
            self._enter(place, how)
        return is_there

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
        for path in sorted(self._snapshot.paths()):
            if path.startswith(inside) and _INSTALLED not in path and not self.is_too_much:
                self.note(path, "module")

    def _within(self, place: str) -> str:
        """The path from the root."""
        if not place.startswith("/"):
            return place
        return os.path.relpath(place, self._root).replace(os.sep, "/")

    def _is_outermost(self, place: str) -> bool:
        """Whether a place is above all folders."""
        return place.count("../") >= len(PurePath(self._root).parts)


async def _still(folder: FolderView, marks: Mapping[str, Fingerprint | None]) -> bool:
    def is_so() -> bool:
        return all(folder.reader.fingerprint(path) == mark for path, mark in marks.items())

    return await asyncio.to_thread(is_so) if len(marks) > _MANY else is_so()


def _over(profile: Profile, snapshot: Snapshot, taken: TakenSet) -> dict[str, str | None]:
    """What lies over the folder and counts."""
    return {
        path: None if text is None else text.digest
        for path, text in snapshot.overlay.items()
        if path in taken or profile.is_config(path)
    }
