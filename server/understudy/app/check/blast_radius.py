"""The blast radius: the files whose findings an edit can change, and how its lines moved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from understudy.dependents.onlookers import kind_of
from understudy.dependents.places import turned_folders
from understudy.dependents.reach import Reach
from understudy.findings.line_map import LineMap, line_map
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.binding_index import anybody

if TYPE_CHECKING:  # who only asks for the files need not load what judges them
    from understudy.findings.judgement import LineMaps
    from understudy.workspace.binding_index import BindingIndex
    from understudy.workspace.servers.choice import ServerChoice
    from understudy.workspace.settings import Scope
    from understudy.workspace.workers import Workers


@frozen
class Radius:
    """The changed files, and the others in scope with their distance (imports on the way).

    `origins`: renamed path -> its path before, where no file is left. `placed`: files whose own
    imports may lead elsewhere because files came or went. `onlookers` are the dependents that no
    server of the catalogue judges. `reach` says how the change gets to each. `affected` is the
    radius of that scope, where the scope is the whole workspace.
    """

    changed: frozenset[str]
    distance: Mapping[str, int]
    origins: Mapping[str, str]
    placed: frozenset[str] = frozenset()
    onlookers: frozenset[str] = frozenset()
    reach: Mapping[str, Reach] = field(default_factory=dict[str, Reach])
    affected: Radius | None = None

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

    def distance_of(self, path: str) -> int:
        """How many imports lie between the edit and a file; 0 where nobody has counted."""
        return 0 if path in self.changed else self.distance.get(path, 0)

    def reaches(self, path: str, choice: ServerChoice) -> bool:
        """Whether a server can answer differently for an untouched file: if it sees others."""
        if choice.sees_project:
            return path in self.distance
        return choice.profile.looks_up_modules and path in self.placed


async def blast_radius(
    index: BindingIndex,
    before: Snapshot,
    after: Snapshot,
    scope: Scope,
    infers: Callable[[], Awaitable[bool]] = anybody,
) -> Radius:
    """The files in scope of the difference between two snapshots over one folder scan.

    `infers` says whether a server that is asked infers the result of a function from its body.
    """
    changed = changed_paths(before, after)
    origins = {
        new: old for new, old in after.origins.items() if new in changed and not after.exists(old)
    }
    if scope == "edited":
        return Radius(changed, {}, origins)
    placed = await _placed(index, before, after, changed)
    reach = dict(await index.reached(before, after, changed, infers))
    distance = {path: one.distance for path, one in reach.items() if path not in changed}
    distance.update((path, 1) for path in placed if path not in changed)
    onlookers = frozenset(path for path in distance if kind_of(path) is not None)
    affected = Radius(changed, distance, origins, placed, onlookers, reach)
    return _whole(affected, after.paths()) if scope == "workspace" else affected


def _whole(affected: Radius, paths: Iterable[str]) -> Radius:
    """All files, those that the edit affects first; that it does, is no matter."""
    near = affected.distance
    farthest = max(near.values(), default=0) + 1
    distance = {path: near.get(path, farthest) for path in paths}
    return Radius(
        affected.changed,
        distance,
        affected.origins,
        onlookers=affected.onlookers,
        affected=affected,
    )


async def _placed(
    index: BindingIndex, before: Snapshot, after: Snapshot, changed: Iterable[str]
) -> frozenset[str]:
    """The files whose own imports may lead elsewhere, as files come or go.

    A folder without an `__init__` is a package to some as soon as it is there.
    """
    moved = {path for path in changed if before.exists(path) != after.exists(path)}
    if not moved:
        return frozenset()
    turned = turned_folders(moved, before.paths(), after.paths())
    found: set[str] = set()
    for snapshot in (before, after):
        places = {*moved, *(f"{folder}/__init__.py" for folder in turned)}
        found.update(*(await index.importers_of(snapshot, places)).values())
    return frozenset(found)


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """The paths whose text or existence differs between two snapshots over one folder scan."""
    candidates = before.shown.keys() | after.shown.keys()
    changed = {
        path
        for path in candidates
        if not (before.is_another_path(path) or after.is_another_path(path))
        and _digest(before, path) != _digest(after, path)
    }
    return frozenset(changed | before.forgotten | after.forgotten)


def _digest(snapshot: Snapshot, path: str) -> str | None:
    """The text's digest; for what is no text (binary, too large), why."""
    try:
        return snapshot.digest(path)
    except BadInput as error:
        return error.code


async def line_maps(
    workers: Workers, before: Snapshot, after: Snapshot, radius: Radius
) -> LineMaps:
    """How the lines of every changed file on both sides moved; big texts beside the loop."""
    made: dict[str, LineMap] = {}
    for path in radius.changed:
        try:
            old, new = before.read(radius.path_before(path)), after.read(path)
        except BadInput:  # no text on one side, and so no lines
            continue
        if old is not None and new is not None:
            size = len(old.content) + len(new.content)
            made[path] = await workers.run(line_map, old.content, new.content, size=size)

    def maps(path: str) -> tuple[str, LineMap | None]:
        return radius.path_before(path), made.get(path)

    return maps
