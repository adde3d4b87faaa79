"""Which files JSON and TOML mean by a relative path."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from understudy.dependents.resolvers.model import Edge, FolderTree
from understudy.syntax.model import FileImports, Import
from understudy.values.frozen import frozen

CONFIGURATION: tuple[str, ...] = ()


def resolver(tree: FolderTree) -> DataResolver:
    """The resolver over a tree."""
    return DataResolver(tree)


@frozen
class DataResolver:
    """Relative paths, as they are, without their extension, or as a folder's configuration."""

    tree: FolderTree

    def edges(self, importer: str, imports: FileImports) -> Iterable[Edge]:
        """See `Resolver.edges`."""
        for one in imports.imports:
            for place in _places(importer, one):
                if place != importer and place in self.tree.files:
                    for binding in one.bindings:
                        yield Edge(place, binding)

    def keys(self, importer: str, imports: FileImports) -> Iterable[str]:
        """See `Resolver.keys`: the names of the files that may be meant."""
        for one in imports.imports:
            for place in _places(importer, one):
                yield posixpath.basename(place)

    def keys_of(self, path: str) -> Iterable[str]:
        """See `Resolver.keys_of`."""
        return (posixpath.basename(path),)

    def scope(self, _path: str, _imports: FileImports) -> str:
        """Nothing is seen without being named."""
        return ""


def _places(importer: str, one: Import) -> Iterator[str]:
    target = one.target
    if ":" in target:
        return
    folder = posixpath.dirname(importer)
    spelled = [target]
    if one.kind in ("extends", "references"):
        spelled += [f"{target}.json", f"{target}/tsconfig.json"]
    if one.kind in ("path", "catalogs", "$schema") and importer.endswith(".toml"):
        # That of `.config/tombi.toml` is about the folder above.
        spelled.append(f"../{target}")
    for name in spelled:
        place = posixpath.normpath(posixpath.join(folder, name))
        if not place.startswith(("..", "/")):
            yield place
