"""Which files a Python import may mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from understudy.dependents.resolvers.model import Edge, FolderTree, Resolver
from understudy.dependents.resolvers.python_roots import NAMES, Roots, roots_in
from understudy.syntax.model import ALL, LOADED, WHOLE, Binding, FileImports, Import

CONFIGURATION: tuple[str, ...] = NAMES

SUFFIXES = (".py", ".pyi")
_STUBS = "-stubs"

Name = tuple[str, ...]


def resolver(tree: FolderTree) -> Resolver:
    """The resolver of Python for a tree."""
    return PythonResolver(tree)


class PythonResolver:
    """Resolves relative names by folders, and absolute ones against the ends of all paths.

    Any folder may be on the search path of an installation, a run or a checker (`src`, `typings`, a
    `site-packages`), so an absolute name starts in each, but in none that is itself a package: a
    name does not reach into a package from its middle, unless from a file inside it, for which
    checkers walk up folder by folder, or where a configuration names the folder.
    """

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree

    def edges(self, importer: str, imports: FileImports) -> Iterable[Edge]:
        """The files that the imports load, with the packages that are loaded on the way."""
        found: dict[Edge, None] = {}
        for one in imports.imports:
            for edge in self._edges(importer, one):
                if edge.target != importer:
                    found[edge] = None
        return found

    def keys(self, importer: str, imports: FileImports) -> Iterable[str]:
        """All segments of all names: a package on the way counts as well as what is named."""
        found: set[str] = set()
        for one in imports.imports:
            found.update(segment for segment in one.target.split(".") if segment)
            found.update(binding.name for binding in one.bindings)
            if one.target.startswith("."):
                found.update(importer.split("/")[:-1])
        return found - {ALL, WHOLE, LOADED, ""}

    def keys_of(self, path: str) -> Iterable[str]:
        """Its module's name; an `__init__` has that of its folder, and those of all beside it.

        A folder that becomes a package, or ceases to be one, opens or hides what is inside.
        """
        if not path.endswith(SUFFIXES):
            return ()
        folder, _, name = path.rpartition("/")
        stem = name.rpartition(".")[0]
        if stem != "__init__":
            return (stem,)
        inside = map(_module_of, self._modules.get(folder, {}))
        renamed = (name for name, found in self._roots.renamed.items() if folder in found)
        return {_module_of(folder.rpartition("/")[2]), *inside, *renamed} - {""}

    def scope(self, path: str, imports: FileImports) -> str:
        """`global` for a `__builtins__.pyi`, which every file sees."""
        return imports.scope if path.endswith(SUFFIXES) else ""

    def _edges(self, importer: str, one: Import) -> Iterator[Edge]:
        name = one.target.lstrip(".")
        depth = len(one.target) - len(name)
        segments = tuple(segment for segment in name.split(".") if segment)
        if not depth:
            yield from self._at(self._absolute(importer, segments), one, SUFFIXES)
            return
        folders = tuple(importer.split("/")[:-1])
        if depth - 1 > len(folders):
            return
        base = folders[: len(folders) - depth + 1]
        yield from self._at([(base, segments)], one, SUFFIXES)
        is_package = "/".join(base) in self._packages and importer.endswith(".py")
        twins = dict.fromkeys(twin for twin in self._twins(base) if twin != base)
        yield from self._at(
            ((twin, segments) for twin in twins), one, (".pyi",) if is_package else SUFFIXES
        )

    def _at(
        self, places: Iterable[tuple[Name, Name]], one: Import, suffixes: tuple[str, ...]
    ) -> Iterator[Edge]:
        """The edges to a module below each of the starts, and to the packages on the way."""
        passed = _passed(one)
        for start, module in places:
            for count in range(1, len(module)):
                for path in self._files("/".join((*start, *module[:count])), suffixes):
                    yield Edge(path, passed)
            stem = "/".join((*start, *module))
            for binding in one.bindings:
                for path in self._files(stem, suffixes):
                    yield Edge(path, binding)
                if binding.name in (ALL, WHOLE, LOADED):
                    continue
                whole = Binding(WHOLE, binding.local, binding.exported)
                for path in self._files(f"{stem}/{binding.name}".lstrip("/"), suffixes):
                    yield Edge(path, whole)

    def _twins(self, base: Name) -> Iterator[Name]:
        """Other folders of the same dotted name: stubs of a package, and parts of a namespace."""
        for depth in range(len(base)):
            for start, found in self._starts(base[depth].removesuffix(_STUBS)):
                whole = (*start, found, *base[depth + 1 :])
                if "/".join(whole) in self._folders:
                    yield whole
            if "/".join(base[: depth + 1]) in self._packages:
                return  # the name starts here

    def _absolute(self, importer: str, segments: Name) -> Iterator[tuple[Name, Name]]:
        if not segments:
            return
        inside = f"{importer.rpartition('/')[0]}/"
        for start, found in self._starts(segments[0]):
            folder = "/".join(start)
            if folder in self._closed and not inside.startswith(f"{folder}/"):
                continue
            yield start, (found, *segments[1:])

    def _starts(self, first: str) -> tuple[tuple[Name, str], ...]:
        """The folders that hold a module of this name, with the name that it has there."""
        return self._by_first.get(first, ())

    def _files(self, stem: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        return (path for path in self._by_stem.get(stem, ()) if path.endswith(suffixes))

    @cached_property
    def _by_stem(self) -> dict[str, tuple[str, ...]]:
        """The files of a module by its path: source and stub, as a file and as a folder."""
        found: dict[str, tuple[str, ...]] = {}
        for path in self._tree.files:
            if not path.endswith(SUFFIXES):
                continue
            stem = path.rpartition(".")[0]
            if stem == "__init__":
                stem = ""
            elif stem.endswith("/__init__"):
                stem = stem[: -len("/__init__")]
            found[stem] = (*found.get(stem, ()), path)
        return found

    @cached_property
    def _modules(self) -> dict[str, dict[str, None]]:
        """The last segments of modules and of folders that hold some, by their folder."""
        found: dict[str, dict[str, None]] = {}
        for stem in self._by_stem:
            rest = stem
            while rest:
                folder, _, name = rest.rpartition("/")
                inside = found.setdefault(folder, {})
                if name in inside:
                    break
                inside[name] = None
                rest = folder
        return found

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(self._modules)

    @cached_property
    def _by_first(self) -> dict[str, tuple[tuple[Name, str], ...]]:
        found: dict[str, list[tuple[Name, str]]] = {}
        for folder, names in self._modules.items():
            start = tuple(folder.split("/")) if folder else ()
            for name in names:
                found.setdefault(_module_of(name), []).append((start, name))
        for module, folders in self._roots.renamed.items():
            for folder in folders:
                start, _, name = folder.rpartition("/")
                found.setdefault(module, []).append(
                    (tuple(start.split("/")) if start else (), name)
                )
        return {name: tuple(starts) for name, starts in found.items()}

    @cached_property
    def _packages(self) -> frozenset[str]:
        """The folders that have an `__init__`."""
        return frozenset(
            path.rpartition("/")[0]
            for name in ("__init__.py", "__init__.pyi")
            for path in self._tree.by_name.get(name, ())
        )

    @cached_property
    def _closed(self) -> frozenset[str]:
        """The packages that no configuration makes a start of names."""
        return self._packages - self._roots.opened - {""}

    @cached_property
    def _roots(self) -> Roots:
        return roots_in(self._tree.texts)


def _passed(one: Import) -> Binding:
    """How an importer takes the packages on the way to what it names: `import a.b` binds `a`."""
    head = one.target.partition(".")[0]
    for binding in one.bindings:
        if one.kind == "import" and binding.local == head:
            return binding
    return Binding(WHOLE)


def _module_of(name: str) -> str:
    """The name of a module that a folder of stubs stands for."""
    return name.removesuffix(_STUBS)
