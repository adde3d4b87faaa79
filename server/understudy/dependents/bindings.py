"""Who binds which name of which file: the graph of one state of a folder."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from understudy.dependents.resolvers.model import Edge, Resolver
from understudy.syntax.model import ALL, NO_IMPORTS, WHOLE, Binding, FileImports, Import
from understudy.values.frozen import frozen

GLOBAL = "global"
"""The scope whose declarations every file of the family sees (`FileImports.scope`)."""

TEXT = Binding(ALL, ALL, ALL)
"""An include: all names come with it, and go on."""

Resolvers = Mapping[str, Resolver]
"""The resolver of each family of files that can import one another."""

Importers = Mapping[str, Mapping[str, Sequence[Binding]]]
"""Target -> importer -> what it takes."""


@frozen
class LinkedFile:
    """One file's part of the graph; `keys` and `scope` as its resolver says.

    `has_protocols` says that it may declare Python's protocols, which types fit without naming.
    """

    edges: tuple[Edge, ...]
    keys: frozenset[str]
    scope: str
    has_protocols: bool = False


@frozen
class LinkedFiles:
    """All files of one tree, linked: what a graph is laid over.

    `scopes` and `protocols` are the paths by their scope, and those that may declare protocols.
    """

    imports: Mapping[str, FileImports]
    linked: Mapping[str, LinkedFile]
    importers: Importers
    scopes: Mapping[str, Sequence[str]]
    protocols: Sequence[str]

    @cached_property
    def by_key(self) -> Mapping[str, Sequence[str]]:
        """The paths by the keys of their imports."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path, one in self.linked.items():
            for key in one.keys:
                found[key].append(path)
        return found


class BindingGraph:
    """The bindings between the files of one tree; immutable.

    `with_changes` lays edited files over it and shares the rest, so that a branch costs what its
    edits cost.
    """

    def __init__(
        self,
        imports: Mapping[str, FileImports],
        resolvers: Resolvers,
        family_of: Callable[[str], str | None],
    ) -> None:
        self._resolvers, self.family_of = resolvers, family_of
        linked = {path: self._link(path, found) for path, found in imports.items()}
        self._base = _collected(dict(imports), linked)
        self._over: dict[str, LinkedFile | None] = {}
        self._over_imports: dict[str, FileImports | None] = {}
        self._over_importers: Importers = {}
        self._found: dict[str, Mapping[str, tuple[Binding, ...]]] = {}

    @classmethod
    def of_linked(
        cls, files: LinkedFiles, resolvers: Resolvers, family_of: Callable[[str], str | None]
    ) -> BindingGraph:
        """The graph of files that were linked before, in this very tree."""
        graph = cls({}, resolvers, family_of)
        graph._base = files
        return graph

    def linked_files(self) -> LinkedFiles:
        """All files with what has changed laid in."""
        if not self._over:
            return self._base
        linked = {path: self._of(path) for path in self.paths()}
        return _collected({path: self.imports_of(path) for path in linked}, linked)

    @property
    def n_over(self) -> int:
        """How many files are laid over those that were linked together."""
        return len(self._over)

    def imports_of(self, path: str) -> FileImports:
        """What a file names, as it was read; nothing of one that is not there."""
        if path in self._over_imports:
            return self._over_imports[path] or NO_IMPORTS
        return self._base.imports.get(path, NO_IMPORTS)

    def with_changes(
        self,
        over: Mapping[str, FileImports | None],
        resolvers: Resolvers,
        moved: Collection[str] = (),
    ) -> BindingGraph:
        """The graph in which these files import something else, or are gone (None).

        `moved` are the paths that come or go with it, and `resolvers` those of the tree then.
        """
        graph = BindingGraph({}, resolvers, self.family_of)
        graph._base = self._base
        again = {path: self._base.imports[path] for path in self._meaning(moved)}
        anew = again.keys() | self._over_imports.keys()
        graph._over_imports = {**again, **self._over_imports, **over}
        graph._over = {
            path: None if found is None else graph._linked(path, found, anew=path in anew)
            for path, found in graph._over_imports.items()
        }
        graph._over_importers = _reversed(
            {path: linked for path, linked in graph._over.items() if linked is not None}
        )
        return graph

    def importers(self, target: str) -> Mapping[str, tuple[Binding, ...]]:
        """The files that may import `target` themselves, with what they take of it."""
        found = self._found.get(target)
        if found is None:
            below = self._base.importers.get(target, {})
            over = self._over_importers.get(target, {})
            found = {path: tuple(took) for path, took in below.items() if path not in self._over}
            found.update((path, tuple(took)) for path, took in over.items())
            self._found[target] = found
        return found

    def onlookers_of(self, path: str) -> Iterable[str]:
        """The files that see what `path` declares without importing it."""
        scope = self._of(path).scope
        if not scope:
            return ()
        if scope == GLOBAL:
            return (other for other in self._of_family(path) if other != path)
        return (other for other in self._in_scope(scope) if other != path)

    def is_global(self, path: str) -> bool:
        """Whether every file of its family sees what it declares."""
        return self._of(path).scope == GLOBAL

    def with_protocols(self) -> Iterator[str]:
        """The files that may declare protocols."""
        yield from (path for path in self._base.protocols if path not in self._over)
        for path, linked in self._over.items():
            if linked is not None and linked.has_protocols:
                yield path

    def edges(self, path: str) -> tuple[Edge, ...]:
        """What a file takes from others."""
        return self._of(path).edges

    def paths(self) -> Iterator[str]:
        """Every file that is read for its imports."""
        yield from (path for path in self._base.linked if path not in self._over)
        yield from (path for path, linked in self._over.items() if linked is not None)

    def _linked(self, path: str, imports: FileImports, *, anew: bool) -> LinkedFile:
        """A file's part, as it was where it imports the same; `anew` where others may be meant."""
        if not anew and self._base.imports.get(path) == imports:
            return self._base.linked.get(path) or self._link(path, imports)
        return self._link(path, imports)

    def _link(self, path: str, imports: FileImports) -> LinkedFile:
        family = self.family_of(path)
        resolver = None if family is None else self._resolvers.get(family)
        if resolver is None:
            return _UNLINKED
        return LinkedFile(
            tuple(dict.fromkeys(resolver.edges(path, imports))),
            frozenset(resolver.keys(path, imports)),
            resolver.scope(path, imports),
            family == "python" and any(map(_takes_protocol, imports.imports)),
        )

    def _of(self, path: str) -> LinkedFile:
        """Of a file that goes, what it was: those that saw it did so then."""
        linked = self._over.get(path)
        return self._base.linked.get(path, _UNLINKED) if linked is None else linked

    def _meaning(self, moved: Collection[str]) -> Iterator[str]:
        """The files whose imports may mean one that comes or goes."""
        for family, resolver in self._resolvers.items() if moved else ():
            keys = {ALL, *(key for path in moved for key in resolver.keys_of(path))}
            for key in keys:
                same = self._base.by_key.get(key, ())
                yield from (path for path in same if self.family_of(path) == family)

    def _of_family(self, path: str) -> Iterator[str]:
        family = self.family_of(path)
        return (other for other in self.paths() if self.family_of(other) == family)

    def _in_scope(self, scope: str) -> Iterator[str]:
        yield from (path for path in self._base.scopes.get(scope, ()) if path not in self._over)
        for path, linked in self._over.items():
            if linked is not None and linked.scope == scope:
                yield path


_UNLINKED = LinkedFile((), frozenset(), "")


def _takes_protocol(one: Import) -> bool:
    if one.target not in ("typing", "typing_extensions"):
        return False
    return any(binding.name in ("Protocol", ALL, WHOLE) for binding in one.bindings)


def dependents(graphs: Collection[BindingGraph], targets: Iterable[str]) -> dict[str, int]:
    """All files that reach a target in any of the graphs, with their distance; 1 is an importer.

    The targets themselves are in it only when they import one another.
    """
    found: dict[str, int] = {}
    edge = set(targets)
    distance = 0
    while edge:
        distance += 1
        reached = {path for graph in graphs for path in _seeing(graph, edge)}
        edge = reached - found.keys()
        found.update(dict.fromkeys(edge, distance))
    return found


def _seeing(graph: BindingGraph, targets: Iterable[str]) -> Iterator[str]:
    """The files that import one of the targets, or see it without."""
    n_global: Counter[str | None] = Counter()
    for target in targets:
        yield from graph.importers(target)
        if graph.is_global(target):
            # Each is seen by all others of its family, so two reach what all of them do.
            n_global[graph.family_of(target)] += 1
            if n_global[graph.family_of(target)] > 2:
                continue
        yield from graph.onlookers_of(target)


def _collected(imports: Mapping[str, FileImports], linked: Mapping[str, LinkedFile]) -> LinkedFiles:
    scopes: defaultdict[str, list[str]] = defaultdict(list)
    for path, one in linked.items():
        if one.scope:
            scopes[one.scope].append(path)
    protocols = [path for path, one in linked.items() if one.has_protocols]
    return LinkedFiles(imports, linked, _reversed(linked), scopes, protocols)


def _reversed(linked: Mapping[str, LinkedFile]) -> Importers:
    importers: dict[str, dict[str, list[Binding]]] = {}
    for path, one in linked.items():
        for target, binding in one.edges:
            importers.setdefault(target, {}).setdefault(path, []).append(binding)
    return importers
