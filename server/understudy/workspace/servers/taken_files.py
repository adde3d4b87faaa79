"""What the configuration of each server takes from other files: all that it extends or imports.

Servers read that when they start, or with the first file that they judge, and of a change only few
take notice. So a process belongs to one state of these files on disk: with another one, another
process starts. Whether one is as it was, its fingerprint says; only what has moved is read again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
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
from understudy.workspace.servers.taken_search import TakenSearch
from understudy.workspace.workers import Workers

_KEPT_READINGS, _KEPT_STATES = 4096, 16
_SECONDS = 10.0
_MANY_NAMES, _MANY = 20, 200
"""What is better looked up beside the event loop: names of files, and the state of places."""

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

    @cached_property
    def state(self) -> str:
        """Names the state of all of them; empty where there are none."""
        if not self.marks and not self.others:
            return ""
        parts = (part for path in sorted(self.marks) for part in (path, repr(self.marks[path])))
        return stamp_of([self.others, *parts])


_NOTHING = TakenSet()


@frozen
class _Known:
    """What was found of a snapshot, with what it was found by.

    own: the configuration in the folder, as it was. folder: None where no other file counts.
    """

    own: Mapping[str, Fingerprint | None]
    folder: object
    over: Mapping[str, str | None]
    taken: TakenSet

    def is_of(self, own: Mapping[str, Fingerprint | None], folder: object) -> bool:
        """Whether it may be of another moment, too."""
        return self.own == own and self.folder in (None, folder)


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
        paths = [path for path in self._configuration.of(snapshot) if profile.is_config(path)]
        own = {path: folder.files.get(path) for path in paths}
        kept = self._known.setdefault(profile.name, deque(maxlen=_KEPT_STATES))
        for known in tuple(kept):
            if known.is_of(own, folder) and known.over == _over(profile, snapshot, known.taken):
                if await _still(folder, known.taken.marks):
                    return known.taken
                if known in kept:
                    kept.remove(known)
                break
        taken, is_by_listing = await self._found(profile, snapshot, paths)
        over = _over(profile, snapshot, taken)
        kept.append(_Known(own, folder if is_by_listing or taken.others else None, over, taken))
        return taken

    async def _found(
        self, profile: Profile, snapshot: Snapshot, own: list[str]
    ) -> tuple[TakenSet, bool]:
        """What is taken, and whether another file of the folder might let it be more."""
        search = TakenSearch(self._root, snapshot, set(own))
        for place in (*profile.config_beside, *_above(profile, self._root)):
            search.note(place, "file")
        pending, computes = own + search.fresh(), False
        while pending:
            await asyncio.sleep(0)  # each may take some hundredths of a second: let others in
            path = pending.pop()
            names = await self._named(profile, snapshot, path)
            if names is None:
                return TakenSet({}, is_any=True, others=snapshot.base.folder.stamp), True
            if len(names) > _MANY_NAMES:
                await asyncio.to_thread(search.follow, path, names)
            else:
                search.follow(path, names)
            if search.is_too_much:  # of all others none is known to be configuration
                return TakenSet(search.marks, others=snapshot.base.folder.stamp), True
            pending += search.fresh()
            computes = computes or self._computes(snapshot, path)
        others = _readable(snapshot) if computes else ""
        return TakenSet(search.marks, others=others), search.is_by_listing

    @staticmethod
    def _computes(snapshot: Snapshot, path: str) -> bool:
        """Whether a program of the configuration, which has been read, computes what it reads."""
        try:
            text = snapshot.read(path) if named.is_program(path) else None
        except (BadInput, Moved):  # nor could it be read for what it names
            return False
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
        elif named.is_read_at_once(path, text):
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


def _readable(snapshot: Snapshot) -> str:
    """The state of all that a program may read or list: each file's name, and all data."""
    files = snapshot.base.folder.files
    parts = ((path, repr(files[path]) if is_data(path) else "") for path in sorted(files))
    return stamp_of(part for pair in parts for part in pair)


def _above(profile: Profile, root: str) -> Iterator[str]:
    """Where configuration may lie above the folder: servers look for it there, too."""
    names = {*profile.config_files, *profile.root_markers}
    plain = sorted(name for name in names if _PATTERN.isdisjoint(name))
    for number in range(1, len(PurePath(root).parts)):
        yield from ("../" * number + name for name in plain)


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
