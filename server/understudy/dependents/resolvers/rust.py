"""Which files a Rust file takes from: its modules, what it includes, and other packages.

Rust is judged package by package, so all files of one share a scope; between packages, edges go
from the files that crates begin with to the libraries of the packages that the manifest names.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Final

from understudy.dependents.resolvers import cargo
from understudy.dependents.resolvers.model import Edge, FolderTree, Resolver
from understudy.syntax.model import ALL, Binding, FileImports, Import
from understudy.syntax.rust.imports import BELOW_PACKAGE, GENERATED

CONFIGURATION: Final = cargo.CONFIGURATION

_EVERYTHING: Final = Binding(ALL, ALL, ALL)
_INCLUSIONS: Final = ("include", "include_str", "include_bytes")
_NAMING_FOLDERS: Final = ("mod.rs", "lib.rs", "main.rs", "build.rs")
"""Names of files whose modules lie beside them; those of others lie in a folder of their name."""


def resolver(tree: FolderTree) -> Resolver:
    """The resolver of a tree's Rust files."""
    return RustResolver(tree)


class RustResolver:
    """Resolves modules by their places, and other crates by the manifests."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._packages = cargo.CargoPackages(tree)

    def edges(self, importer: str, imports: FileImports) -> Iterable[Edge]:
        """Its modules and what it includes; of a crate's first file, other packages, too."""
        found = {
            Edge(target, binding): None
            for one in imports.imports
            for target in self._targets(importer, one)
            for binding in one.bindings
        }
        found.update({Edge(target, _EVERYTHING): None for target in self._libraries(importer)})
        return [edge for edge in found if edge.target != importer]

    def keys(self, importer: str, imports: FileImports) -> Iterable[str]:
        """The places of its modules and inclusions, and the libraries of what it depends on."""
        found = set(self._libraries(importer, are_there=False))
        for one in imports.imports:
            if one.kind in _INCLUSIONS and not one.target:
                found.add(ALL)
            found.update(self._places(importer, one))
        return found

    def keys_of(self, path: str) -> Iterable[str]:
        """Its path: nothing else leads to it."""
        return (path,)

    def scope(self, path: str, imports: FileImports) -> str:
        """Its package, whose build script is part of it."""
        del imports
        own = self._packages.of(path) if path.endswith(".rs") else None
        return "" if own is None else f"cargo {own.folder}"

    def _targets(self, importer: str, one: Import) -> Iterator[str]:
        if one.kind in _INCLUSIONS and not one.target:
            own = self._packages.of(importer)
            inside = f"{own.folder}/" if own and own.folder else ""
            yield from (path for path in self._tree.files if path.startswith(inside))
            return
        for place in self._places(importer, one):
            if place in self._tree.by_name.get(place.rpartition("/")[2], ()):
                yield place

    def _places(self, importer: str, one: Import) -> Iterator[str]:
        """Where the file may lie, there or not."""
        folder, _, name = importer.rpartition("/")
        stem = posixpath.join(folder, name.removesuffix(".rs"))
        own = self._packages.of(importer)
        if one.kind == "mod":
            for above in (folder,) if name in _NAMING_FOLDERS else (folder, stem):
                yield from (_at(above, f"{one.target}.rs"), _at(above, f"{one.target}/mod.rs"))
        elif one.kind == "inner path":
            yield from (_at(folder, one.target), _at(stem, one.target))
        elif one.kind == "path" or (one.kind in _INCLUSIONS and one.target):
            yield _at(folder, one.target)
        elif one.kind.endswith(BELOW_PACKAGE) and own is not None:
            yield _at(own.folder, one.target)
        elif one.kind.endswith(GENERATED) and own is not None:
            yield own.build_script

    def _libraries(self, importer: str, *, are_there: bool = True) -> Iterator[str]:
        """The first files of the packages that the crate of a first file may use."""
        own = self._packages.of(importer)
        if own is None or importer not in own.roots | {own.build_script}:
            return
        is_script = importer == own.build_script
        for folder in sorted(own.script_needs if is_script else own.needs | own.tests_need):
            needed = self._packages.by_folder.get(folder)
            if needed is None:
                continue
            known = self._tree.by_name.get(needed.library.rpartition("/")[2], ())
            if needed.library in known or not are_there:
                yield needed.library


def _at(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path.replace("\\", "/")))
