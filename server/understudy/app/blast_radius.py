"""The blast radius: the files whose findings an edit can change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from understudy.app.import_index import ImportIndex
from understudy.app.settings import Scope
from understudy.shadow.snapshot import Snapshot


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
    elif scope == "workspace":
        distance = dict.fromkeys(after.paths(), 0)
    return Radius(changed, distance, origins)


def changed_paths(before: Snapshot, after: Snapshot) -> frozenset[str]:
    """The paths whose text or existence differs between two snapshots over one folder scan."""
    candidates = before.overlay.keys() | after.overlay.keys()
    return frozenset(path for path in candidates if before.digest(path) != after.digest(path))
