"""The import graph of one state of a folder, and the files that an edit can reach through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from understudy.dependents.imports import NOTHING, Imports, family_of, imports_target, target_keys
from understudy.dependents.onlookers import kind_of


class ImportGraph:
    """Finds a file's importers; immutable. `with_changes` lays a few edited files over it."""

    def __init__(self, imports: Mapping[str, Imports]) -> None:
        self._imports = imports
        self._packages = _packages(imports)
        self._by_key: dict[str, list[str]] = {}
        self._over: Mapping[str, Imports] = {}
        self._onlookers = [path for path in imports if kind_of(path)]
        self._over_by_key: dict[str, list[str]] = {}
        _index(imports, self._by_key)

    def with_changes(self, over: Mapping[str, Imports], gone: Collection[str] = ()) -> ImportGraph:
        """The graph in which these files import something else; shares everything else.

        `gone` are those of them that are deleted: they still have importers.
        """
        graph = ImportGraph({})
        graph._imports, graph._packages = self._imports, self._packages
        if lost := _packages(gone):
            others = _packages(path for path in self._imports if path not in gone)
            graph._packages = self._packages - (lost - others)
        graph._by_key, graph._over = self._by_key, over
        graph._onlookers = self._onlookers
        _index(over, graph._over_by_key)
        return graph

    def importers(self, target: str) -> set[str]:
        """The files that may import `target` directly, whether or not it exists."""
        if self._of(target).ambient:
            everything = {*self._imports, *self._over}
            return {path for path in everything if path != target and _kin(path, target)}
        candidates = {
            path
            for key in target_keys(target)
            for by_key in (self._by_key, self._over_by_key)
            for path in by_key.get(key, ())
        }
        candidates.discard(target)
        return {
            path
            for path in candidates
            if imports_target(path, self._of(path), target, self._packages)
        }

    def onlookers(self) -> dict[str, Imports]:
        """The onlookers, with what they import and mention."""
        over = {path: found for path, found in self._over.items() if kind_of(path)}
        return {**{path: self._imports[path] for path in self._onlookers}, **over}

    def is_ambient(self, target: str) -> bool:
        """Whether all files of its language see it without importing it."""
        return self._of(target).ambient

    def _of(self, path: str) -> Imports:
        found = self._over.get(path)
        return found if found is not None else self._imports.get(path, NOTHING)


def dependents(graphs: Iterable[ImportGraph], targets: Iterable[str]) -> dict[str, int]:
    """All files that reach a target through imports in any of the graphs, with their distance.

    The targets themselves are in it only when they import one another. Distance 1 is a direct
    importer.
    """
    listed = list(graphs)
    found: dict[str, int] = {}
    edge = set(targets)
    distance = 0
    while edge:
        distance += 1
        reached = {
            path
            for graph in listed
            for target in _distinct(graph, edge)
            for path in graph.importers(target)
        }
        edge = reached - found.keys()
        found.update(dict.fromkeys(edge, distance))
    return found


def _distinct(graph: ImportGraph, targets: Iterable[str]) -> Iterator[str]:
    """The targets, but of ambient ones two a language: together they reach what all of them do."""
    n_seen: Counter[str | None] = Counter()
    for target in targets:
        if graph.is_ambient(target):
            family = family_of(target)
            n_seen[family] += 1
            if n_seen[family] > 2:
                continue
        yield target


def _index(imports: Mapping[str, Imports], by_key: dict[str, list[str]]) -> None:
    for path in sorted(imports):
        for key in set(imports[path].keys()):
            by_key.setdefault(key, []).append(path)


def _packages(paths: Iterable[str]) -> set[str]:
    """The folders that have an `__init__`."""
    return {p.rpartition("/")[0] for p in paths if p.endswith(("__init__.py", "__init__.pyi"))}


def _kin(path: str, target: str) -> bool:
    """Whether two files are of one language family, so that an ambient one is seen by the other."""
    return family_of(path) == family_of(target)
