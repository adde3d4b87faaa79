"""The blast radius: the files whose findings an edit can change."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping
from dataclasses import dataclass

from understudy.dependents.mentions import affected, changed_names
from understudy.dependents.onlookers import kind_of
from understudy.dependents.places import namesakes, spoken_names, turned_folders
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.workspace.import_index import ImportIndex
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.settings import Scope

WHOLE_UP_TO = 50
"""So many dependents are all judged; of more, those that a changed name can reach."""


@dataclass(frozen=True)
class Radius:
    """The changed files, and the others in scope with their distance (imports on the way).

    `origins`: renamed path -> its path before, where no file is left. `placed`: files whose own
    imports may lead elsewhere because files came or went. `onlookers` are the dependents that no
    server of the catalogue judges.
    """

    changed: frozenset[str]
    distance: Mapping[str, int]
    origins: Mapping[str, str]
    placed: frozenset[str] = frozenset()
    onlookers: frozenset[str] = frozenset()

    def ordered(self) -> list[str]:
        """All files to judge, nearest first: where a cap falls, the likeliest are judged.

        A path that was renamed away is judged with its new one.
        """
        gone = set(self.origins.values())
        near = sorted(path for path in self.changed if path not in gone)
        far = sorted(self.distance, key=lambda path: (self.distance[path], path))
        return near + [path for path in far if path not in self.changed]

    def path_before(self, path: str) -> str:
        """Where the file was in the snapshot before."""
        return self.origins.get(path, path)

    def reaches(self, path: str, choice: ServerChoice) -> bool:
        """Whether a server can answer differently for an untouched file: if it sees others."""
        if choice.sees_project:
            return path in self.distance
        return choice.profile.looks_up_modules and path in self.placed


async def blast_radius(
    imports: ImportIndex, before: Snapshot, after: Snapshot, scope: Scope
) -> Radius:
    """The files in scope of the difference between two snapshots over one folder scan."""
    changed = changed_paths(before, after)
    origins = {
        new: old for new, old in after.origins.items() if new in changed and not after.exists(old)
    }
    moved = {path for path in changed if before.exists(path) != after.exists(path)}
    turned = turned_folders(moved, before.paths(), after.paths())
    placing = moved | {f"{folder}/__init__.py" for folder in turned}
    distance: dict[str, int] = {}
    placed: set[str] = set()
    if scope != "edited":
        distance = dict(await imports.distances([before, after], changed | placing))
        for path in placing:
            for snapshot in (before, after):
                placed |= await imports.importers_of(snapshot, path)
        distance = await _narrowed(before, after, changed, distance, placed)
    onlookers = frozenset(path for path in distance if kind_of(path) is not None)
    if scope == "workspace":
        distance, placed = dict.fromkeys(after.paths(), 0), set()
    return Radius(changed, distance, origins, frozenset(placed), onlookers)


async def _narrowed(
    before: Snapshot,
    after: Snapshot,
    changed: frozenset[str],
    distance: dict[str, int],
    placed: Container[str],
) -> dict[str, int]:
    """The dependents that are judged; of onlookers always those alone that a name reaches."""
    onlookers = {path for path in distance if kind_of(path) is not None}
    is_whole = len(distance) - len(onlookers) <= WHOLE_UP_TO
    if is_whole and not onlookers:
        return distance
    reached = await asyncio.to_thread(_reached_by_name, before, after, changed, distance)
    return {
        path: far
        for path, far in distance.items()
        if path in reached or path in placed or (is_whole and path not in onlookers)
    }


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """The paths whose text or existence differs between two snapshots over one folder scan."""
    candidates = before.overlay.keys() | after.overlay.keys()
    changed = {path for path in candidates if _digest(before, path) != _digest(after, path)}
    return frozenset(changed | before.forgotten | after.forgotten)


def _digest(snapshot: Snapshot, path: str) -> str | None:
    """The text's digest; for what is no text (binary, too large), why."""
    try:
        return snapshot.digest(path)
    except BadInput as error:
        return error.code


def _reached_by_name(
    before: Snapshot, after: Snapshot, changed: frozenset[str], dependents: Mapping[str, int]
) -> Container[str]:
    """The dependents that mention what has changed, by name; all where that is not known."""
    names: set[str] = set()
    texts: dict[str, list[str]] = {}
    unreadable: set[str] = set()
    for path in changed:
        try:
            sides = [_content(snapshot, path) for snapshot in (before, after)]
        except BadInput:  # no text: nobody knows what has changed in it
            return dependents
        if path in before.forgotten | after.forgotten:
            return dependents
        found = changed_names(path, *sides)
        if before.exists(path) != after.exists(path):
            hidden = _names_hidden(before, after, path)
            found = None if found is None or hidden is None else found | hidden
        if found is None:
            return dependents
        names |= found
        texts[path] = sides
    for path in dependents:
        if path not in texts:
            # Unpinned: hundreds of texts are looked at once, and the closing scan sees a change.
            try:
                data = after.base.folder.reader.read(path) if path not in after.overlay else None
            except BadInput:  # too large, or forbidden: nobody knows what it mentions
                unreadable.add(path)
                continue
            text = _content(after, path) if data is None else data.decode("utf-8", "replace")
            kind = kind_of(path)
            texts[path] = [text if kind is None else kind.code(text)]
    return affected(names, texts) | unreadable


def _names_hidden(before: Snapshot, after: Snapshot, path: str) -> frozenset[str] | None:
    """The names that go with a file that comes or goes: its own, and those of files it hides."""
    names = spoken_names(path)
    for other in namesakes(path):
        sides = [_content(snapshot, other) for snapshot in (before, after)]
        if any(sides):
            found = changed_names(other, max(sides, key=len), "")
            if found is None:
                return None
            names |= found
    return names


def _content(snapshot: Snapshot, path: str) -> str:
    text = snapshot.read(path)
    return "" if text is None else text.content
