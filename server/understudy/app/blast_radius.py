"""The blast radius: the files whose findings an edit can change."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping
from dataclasses import dataclass

from understudy.app.import_index import ImportIndex
from understudy.app.settings import Scope
from understudy.dependents.mentions import affected, changed_names
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput

WHOLE_UP_TO = 50
"""So many dependents are all judged; of more, those that a changed name can reach."""


@dataclass(frozen=True)
class Radius:
    """The changed files, and the others in scope with their distance (imports on the way)."""

    changed: frozenset[str]
    distance: Mapping[str, int]
    origins: Mapping[str, str]

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


async def blast_radius(
    imports: ImportIndex, before: Snapshot, after: Snapshot, scope: Scope
) -> Radius:
    """The files in scope of the difference between two snapshots over one folder scan."""
    changed = changed_paths(before, after)
    origins = {new: old for new, old in after.origins.items() if new in changed}
    distance: dict[str, int] = {}
    if scope == "affected":
        distance = dict(await imports.distances([before, after], changed))
        if len(distance) > WHOLE_UP_TO:
            reached = await asyncio.to_thread(_reached_by_name, before, after, changed, distance)
            distance = {path: far for path, far in distance.items() if path in reached}
    elif scope == "workspace":
        distance = dict.fromkeys(after.paths(), 0)
    return Radius(changed, distance, origins)


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """The paths whose text or existence differs between two snapshots over one folder scan."""
    candidates = before.overlay.keys() | after.overlay.keys()
    return frozenset(path for path in candidates if before.digest(path) != after.digest(path))


def _reached_by_name(
    before: Snapshot, after: Snapshot, changed: frozenset[str], dependents: Mapping[str, int]
) -> Container[str]:
    """The dependents that mention what has changed, by name; all where that is not known."""
    names: set[str] = set()
    texts: dict[str, list[str]] = {}
    unreadable: set[str] = set()
    for path in changed:
        sides = [_content(snapshot, path) for snapshot in (before, after)]
        found = changed_names(path, *sides)
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
            texts[path] = [text]
    return affected(names, texts) | unreadable


def _content(snapshot: Snapshot, path: str) -> str:
    text = snapshot.read(path)
    return "" if text is None else text.content
