"""The files of a tree that a path without its suffix may mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from understudy.dependents.resolvers.model import FolderTree
from understudy.dependents.resolvers.script.configurations import Configuration
from understudy.dependents.resolvers.script.packages import Package
from understudy.dependents.resolvers.script.paths import (
    TYPED,
    folders_above,
    inside,
    key_of,
    within,
    without_suffix,
)
from understudy.syntax.script.grammar import SUFFIXES

_EVERY = (*SUFFIXES, ".json")
_INDEX = "index"


class ScriptFiles:
    """Finds files by the rules for suffixes and folders.

    A path with a slash at its end means a folder; "/" is the root.
    """

    def __init__(
        self,
        tree: FolderTree,
        packages: dict[str, Package],
        configurations: Iterable[Configuration],
    ) -> None:
        self._files = frozenset(tree.files)
        self._packages = packages
        listed = tuple(configurations)
        suffixes = {name for one in listed for name in one.module_suffixes} | {""}
        self._typed = tuple(f"{name}{end}" for name in sorted(suffixes) for end in TYPED)
        self._every = tuple(f"{name}{end}" for name in sorted(suffixes) for end in _EVERY)
        self._outputs: dict[str, tuple[str, ...]] = {}
        for output, sources in (pair for one in listed for pair in one.outputs):
            self._outputs[output] = (*self._outputs.get(output, ()), *sources)
        self._swaps = dict(self._swapped(packages.values()))
        self._found: dict[str, tuple[str, ...]] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, tuple[str, ...]] = {}

    def at(self, path: str) -> tuple[str, ...]:
        """The files that a path may mean."""
        found = self._found.get(path)
        if found is None:
            found = tuple(dict.fromkeys(f for base in self.bases(path) for f in self._near(base)))
            self._found[path] = found
        return found

    def bases(self, path: str) -> tuple[str, ...]:
        """The path with those that take its place: sources of outputs, entries of a package."""
        found = self._bases.get(path)
        if found is None:
            found = tuple(dict.fromkeys(self._places(path)))
            self._bases[path] = found
        return found

    def _places(self, path: str) -> Iterator[str]:
        found = [path, *self._swaps.get(without_suffix(path), ())]
        for output in folders_above(path.rstrip("/")) if self._outputs else ():
            sources = self._outputs.get(output, ()) if output else ()
            rest = within(path, output) if sources else None
            if rest is not None:
                found += [place for source in sources for place in inside(source, (rest,))]
        for one in found:
            yield one
            package = self._packages.get(one.strip("/"))
            yield from package.entries if package is not None else ()

    def named(self, name: str) -> tuple[str, ...]:
        """The scripts that have this name, or are the index of a folder with it."""
        return self._by_name.get(name, ())

    def keys(self, path: str) -> tuple[str, ...]:
        """The keys of all files that a path may mean."""
        found = self._keys.get(path)
        if found is None:
            found = tuple({key_of(base): None for base in self.bases(path)})
            self._keys[path] = found
        return found

    def _near(self, base: str) -> Iterator[str]:
        is_typed = False
        if not base.endswith("/"):
            if base in self._files:
                yield base
            for stem in dict.fromkeys((base, without_suffix(base))):
                is_typed = is_typed or any(f"{stem}{end}" in self._files for end in self._typed)
                yield from (file for end in self._every if (file := f"{stem}{end}") in self._files)
            yield from self._declared(base)
        if not is_typed:  # only then a folder of the same name is looked into
            index = f"{base.rstrip('/')}/{_INDEX}".lstrip("/")
            yield from (file for end in self._every if (file := f"{index}{end}") in self._files)

    def _declared(self, base: str) -> Iterator[str]:
        """The declarations for a file of another language: `x.d.css.ts` for `x.css`."""
        stem, dot, suffix = base.rpartition(".")
        file = f"{stem}.d.{suffix}.ts"
        if dot and "/" not in suffix and file in self._files:
            yield file

    @staticmethod
    def _swapped(packages: Iterable[Package]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for package in packages:
            for name, target in package.browser():
                for place in inside(package.folder, (name,) if name.startswith(".") else ()):
                    yield without_suffix(place), inside(package.folder, (target,))

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path in sorted(self._files):
            stem = without_suffix(path)
            if stem == path:
                continue
            folder, _, name = stem.rpartition("/")
            found.setdefault(name, []).append(path)
            if name == _INDEX and folder:
                found.setdefault(folder.rpartition("/")[2], []).append(path)
        return {name: tuple(paths) for name, paths in found.items()}
