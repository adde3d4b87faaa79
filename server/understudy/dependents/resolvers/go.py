"""Which files a Go file imports: all of a package, which is a folder, and what it embeds.

An import path may lead to several folders (`GoFolders`), and means every file of each that is no
test: which of them a build takes depends on its system, and on tags.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from understudy.dependents.resolvers.go_embeds import embedded, fixed_start
from understudy.dependents.resolvers.go_modules import MODULE_FILES, GoFolders
from understudy.dependents.resolvers.model import Edge, FolderTree, Resolver
from understudy.dependents.resolvers.native import NativeResolver
from understudy.syntax.go.imports import CGO
from understudy.syntax.model import WHOLE, Binding, FileImports, Import

CONFIGURATION: Final = MODULE_FILES

_C_SUFFIXES: Final = (
    *(".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m"),
    *(".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso", ".S", ".s"),
)
"""Of the files of a package that are compiled with it where it is half C."""


def resolver(tree: FolderTree) -> Resolver:
    """The resolver of a tree's Go files."""
    return GoResolver(tree)


class GoResolver:
    """Resolves import paths by the modules of the tree, and patterns of embedded files."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._folders = GoFolders(tree)
        self._headers = NativeResolver(tree)
        self._packages: dict[tuple[str, bool], tuple[str, ...]] = {}

    def edges(self, importer: str, imports: FileImports) -> Iterable[Edge]:
        """What it imports, embeds and includes, and the assembly of its own package."""
        found = {
            Edge(target, binding): None
            for one in imports.imports
            for target in self._targets(importer, one)
            for binding in one.bindings
        }
        if imports.scope:
            # Its functions without a body are written there.
            for target in self._beside(importer, (".s",)):
                found[Edge(target, Binding(WHOLE))] = None
        return [edge for edge in found if edge.target != importer]

    def keys(self, importer: str, imports: FileImports) -> Iterable[str]:
        """The folders that it imports and the places that it embeds, as they would be there."""
        folder = importer.rpartition("/")[0]
        found = {f"{folder}/*.s"}
        for one in imports.imports:
            if one.kind == "embed":
                found.add(_place(fixed_start(folder, one.target)))
            elif one.kind == CGO:
                found.add(one.target.rpartition("/")[2] if one.target else f"{folder}/*.c")
            else:
                found.add(one.target.rpartition("/")[2])
                found.update(map(_place, self._folders.of(one.target, importer)))
        return found

    def keys_of(self, path: str) -> Iterable[str]:
        """Its name, the last segment of its folder, and every place that it lies in or is."""
        folder, _, name = path.rpartition("/")
        found = {name, folder.rpartition("/")[2], _place(path), _place("")}
        while folder:
            found.add(_place(folder))
            folder = folder.rpartition("/")[0]
        folder = path.rpartition("/")[0]
        if path.endswith(".s"):
            found.add(f"{folder}/*.s")
        if path.endswith(_C_SUFFIXES):
            found.add(f"{folder}/*.c")
        return found

    def scope(self, path: str, imports: FileImports) -> str:
        """The package: its folder and the name in its clause, which tests in it have as well.

        `foo_test` is a package of its own, which imports `foo`. A text without a clause yet is
        taken for one of the package that its folder is named for.
        """
        folder = path.rpartition("/")[0]
        if not path.endswith(".go"):
            return ""
        return f"go {folder} {imports.scope or folder.rpartition('/')[2]}"

    def _targets(self, importer: str, one: Import) -> Iterable[str]:
        folder = importer.rpartition("/")[0]
        if one.kind == "embed":
            return embedded(self._tree, folder, one.target)
        if one.kind == CGO:
            return self._included(importer, one.target)
        if one.target == "C":
            return ()  # what it stands for is an import of its own
        return [
            target
            for package in sorted(self._folders.of(one.target, importer))
            # A test outside of the package sees what the tests inside of it declare.
            for target in self._package(package, package == folder and _is_test(importer))
        ]

    def _included(self, importer: str, header: str) -> Iterator[str]:
        if not header:
            yield from self._beside(importer, _C_SUFFIXES)
            return
        folder = importer.rpartition("/")[0]
        beside = f"{folder}/{header}" if folder else header
        if beside in self._tree.by_name.get(header.rpartition("/")[2], ()):
            yield beside
        else:
            yield from self._headers.ending_with(header)

    def _beside(self, importer: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        folder = importer.rpartition("/")[0]
        for name in self._tree.by_folder.get(folder, ()):
            path = f"{folder}/{name}" if folder else name
            if name.endswith(suffixes) and path not in self._tree.by_folder:
                yield path

    def _package(self, folder: str, with_tests: bool) -> tuple[str, ...]:
        if (folder, with_tests) not in self._packages:
            self._packages[folder, with_tests] = tuple(
                f"{folder}/{name}" if folder else name
                for name in self._tree.by_folder.get(folder, ())
                if name.endswith(".go") and (with_tests or not _is_test(name))
            )
        return self._packages[folder, with_tests]


def _is_test(path: str) -> bool:
    return path.endswith("_test.go")


def _place(path: str) -> str:
    """The key of a folder or file by its path, told from names by its `/` in front."""
    return f"/{path}"
