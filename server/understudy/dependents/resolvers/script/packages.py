"""Packages of the tree (`package.json`), and the files that their names and tables lead to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property

from understudy.dependents.resolvers.model import FolderTree
from understudy.dependents.resolvers.script.paths import (
    Pattern,
    best_match,
    inside,
    leaves,
    mapping,
    matched,
    strings,
)
from understudy.values.frozen import frozen

NAME = "package.json"

_ENTRIES = (
    *("types", "typings", "main", "module", "source", "browser", "jsnext:main"),
    *("react-native", "svelte", "umd:main", "unpkg"),
)
_SOURCES = ("", "src", "lib")
"""Folders of a package where the sources of what it is built to usually lie."""

_BUILT = frozenset(
    (
        *("dist", "build", "lib", "out", "output", "es", "esm", "cjs", "umd", "types", "typings"),
        *("module", "modern", "node", "browser", "development", "production", "@types"),
    )
)


@frozen
class Package:
    """One package: its folder, and what its file says."""

    folder: str
    fields: dict[str, object]

    @property
    def name(self) -> str:
        """The name by which others import it; "" for none."""
        name = self.fields.get("name")
        return name if isinstance(name, str) else ""

    @property
    def tsconfig(self) -> object:
        """The configuration that it offers to be extended."""
        return self.fields.get("tsconfig")

    @property
    def is_module(self) -> bool:
        """Whether its files are modules of ECMAScript by default."""
        return self.fields.get("type") == "module"

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The files that stand for its folder, built ones with their sources."""
        listed = [place for key in _ENTRIES for place in strings(self.fields.get(key))]
        found = [place for one in listed for place in self._built(one)]
        for one in listed:
            found += [place for moved in self._versions(one) for place in self._built(moved)]
        found += [place for moved in self._versions("index") for place in self._built(moved)]
        return tuple(dict.fromkeys(found))

    def exported(self, rest: str) -> tuple[str, ...]:
        """Where its tables lead for a path below its name, "" for the name alone."""
        wanted = f"./{rest}" if rest else "."
        targets = [*best_match(wanted, self._exports), *self._versions(rest or "index")]
        return tuple(dict.fromkeys(place for one in targets for place in self._built(one)))

    def imported(self, name: str) -> tuple[str, ...]:
        """What `#name` means in its files: paths from its folder, or names of packages."""
        return best_match(name, self._imports)

    def usual(self, rest: str) -> tuple[str, ...]:
        """Where a path below its name lies in packages that say nothing of it."""
        ends = [f"./{source}/{rest or ''}" for source in _SOURCES]
        return inside(self.folder, ends)

    def browser(self) -> Iterator[tuple[str, str]]:
        """What a bundler for browsers takes instead of a file or a package."""
        for name, target in mapping(self.fields.get("browser")).items():
            if isinstance(target, str):
                yield name, target

    @cached_property
    def _exports(self) -> tuple[Pattern, ...]:
        table = self.fields.get("exports")
        named = mapping(table)
        if not any(key.startswith(".") for key in named):
            return ((".", tuple(leaves(table))),)
        found = [(key, tuple(leaves(value))) for key, value in named.items()]
        # An older form: a path that ends with a slash stands for all below it.
        older = [(f"{key}*", tuple(f"{t}*" for t in ts)) for key, ts in found if key[-1:] == "/"]
        return (*found, *older)

    @cached_property
    def _imports(self) -> tuple[Pattern, ...]:
        table = mapping(self.fields.get("imports"))
        return tuple((key, tuple(leaves(value))) for key, value in table.items())

    def _versions(self, path: str) -> Iterator[str]:
        """Where `typesVersions` leads, for any version."""
        path = path.removeprefix("./")
        for table in mapping(self.fields.get("typesVersions")).values():
            for pattern, targets in mapping(table).items():
                middle = matched(path, pattern)
                if middle is not None:
                    yield from (target.replace("*", middle) for target in leaves(targets))

    def _built(self, target: str) -> tuple[str, ...]:
        """A path from its folder, and where the sources of what is built there may lie."""
        found = [target]
        segments = target.removeprefix("./").split("/")
        while len(segments) > 1 and segments[0] in _BUILT:
            segments = segments[1:]
            found += ["/".join((".", source, *segments)) for source in _SOURCES]
        return inside(self.folder, found)


def read(tree: FolderTree) -> dict[str, Package]:
    """The packages of a tree by their folders; what cannot be read says nothing."""
    found: dict[str, Package] = {}
    for path in sorted(tree.texts):
        folder, _, name = path.rpartition("/")
        if name != NAME:
            continue
        try:
            data: object = json.loads(tree.texts[path].decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            data = {}
        found[folder] = Package(folder, mapping(data))
    return found


def by_name(packages: dict[str, Package]) -> dict[str, tuple[Package, ...]]:
    """The packages that others in the tree know by name: not those installed for one of them."""
    found: dict[str, tuple[Package, ...]] = {}
    for folder, package in packages.items():
        if package.name and "node_modules" not in folder.split("/"):
            found[package.name] = (*found.get(package.name, ()), package)
    return found
