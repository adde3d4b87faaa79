"""What a language's resolver is given and gives."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol

from understudy.syntax.model import Binding, FileImports
from understudy.values.frozen import frozen


class Edge(NamedTuple):
    """A file that an import may mean, with one of the names it takes from it."""

    target: str
    binding: Binding


@frozen
class FolderTree:
    """The files of one state of a folder, all paths relative to its root with `/` between.

    `texts` are those of the files that the resolver's language asks for (`CONFIGURATION`).
    """

    files: Collection[str]
    texts: Mapping[str, bytes]

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of all files by their last segment."""
        found: dict[str, list[str]] = {}
        for path in self.files:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}

    @cached_property
    def by_folder(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the files and folders in each folder; "" is the root."""
        found: dict[str, set[str]] = {"": set()}
        for path in self.files:
            folder, _, name = path.rpartition("/")
            while name not in (inside := found.setdefault(folder, set())):
                inside.add(name)
                if not folder:
                    break
                folder, _, name = folder.rpartition("/")
        return {folder: tuple(sorted(names)) for folder, names in found.items()}


class Resolver(Protocol):
    """Resolves the imports of one language in one tree; immutable, and made quickly.

    What it cannot tell, it answers with every file that may be meant: never one too few.
    """

    def edges(self, importer: str, imports: FileImports, /) -> Iterable[Edge]:
        """Every file of the tree that the importer may mean, never itself."""
        ...

    def keys(self, importer: str, imports: FileImports, /) -> Iterable[str]:
        """For every file that could be meant if it were there: one of its `keys_of`, or ALL.

        The edges of an importer change with a file that comes or goes only if they share a key.
        """
        ...

    def keys_of(self, path: str, /) -> Iterable[str]:
        """The keys by which imports can mean a file at `path`; usually its name without suffix."""
        ...

    def scope(self, path: str, imports: FileImports, /) -> str:
        """What files share that see each other's declarations without an import; "" for none."""
        ...
