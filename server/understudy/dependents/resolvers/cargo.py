"""The Cargo packages of a tree: where they lie, what they are made of and depend on."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final, cast

from understudy.dependents.resolvers.model import FolderTree
from understudy.values import toml
from understudy.values.frozen import frozen

MANIFEST: Final = "Cargo.toml"
CONFIGURATION: Final = (MANIFEST, "config.toml", "config")
"""Manifests, and Cargo's own configuration, which lies in folders named `.cargo`."""

_NORMAL: Final = ("dependencies",)
_FOR_SCRIPT: Final = ("build-dependencies", "build_dependencies")
_DEVELOPMENT: Final = ("dev-dependencies", "dev_dependencies")
_TARGETS: Final = {"bin": "src/bin", "example": "examples", "test": "tests", "bench": "benches"}

Table = Mapping[str, Any]


@frozen
class CargoPackage:
    """A package by its folder.

    What it needs for itself, for its build script and for its tests are folders of others in the
    tree, and `by_path` those of them that it names by their places. `roots` are the first files of
    its crates, the script's aside.
    """

    folder: str
    name: str
    library: str
    roots: frozenset[str]
    build_script: str
    needs: frozenset[str]
    script_needs: frozenset[str]
    tests_need: frozenset[str]
    by_path: frozenset[str]
    runs_code: bool
    """Whether code of it runs while others, or the package itself, are built: a build script, or
    macros that are programs. What that reads, nobody can tell."""


class CargoPackages:
    """All packages of one tree; what a manifest that cannot be read says counts as anything."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree

    def of(self, path: str) -> CargoPackage | None:
        """The package that a file belongs to: that of the nearest manifest above it."""
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self.by_folder:
                return self.by_folder[folder]
        return None

    @cached_property
    def by_folder(self) -> Mapping[str, CargoPackage]:
        """Every package by its folder."""
        return {
            folder: self._package(folder, manifest)
            for folder, manifest in self._manifests.items()
            if self._is_package(folder)
        }

    def members(self, folder: str) -> set[str]:
        """The folders of the packages of the workspace whose root manifest lies in a folder."""
        workspace = _table(self._manifests.get(folder) or {}, "workspace")
        excluded = [_joined(folder, one) for one in _strings(workspace.get("exclude"))]
        wanted = [_joined(folder, one) for one in _strings(workspace.get("members"))]
        found = {
            one
            for one in self.by_folder
            if one == folder
            or (
                any(_fits(one, pattern) for pattern in wanted)
                and not any(_fits(one, pattern) for pattern in excluded)
            )
        }
        fresh = set(found)
        # What a member depends on by a path inside of the workspace is a member, too.
        while fresh:
            package = self.by_folder[fresh.pop()]
            for needed in package.by_path:
                inside = not folder or needed.startswith(f"{folder}/")
                is_excluded = any(_below(needed, pattern) for pattern in excluded)
                if inside and needed not in found and not is_excluded:
                    found.add(needed)
                    fresh.add(needed)
        return found

    def needed(self, folder: str) -> set[str]:
        """The folders of the packages that one is built and tested from, its own among them."""
        own = self.by_folder[folder]
        found, fresh = {folder}, {*own.needs, *own.script_needs, *own.tests_need} - {folder}
        while fresh:
            found.add(one := fresh.pop())
            package = self.by_folder.get(one)
            if package is not None:
                fresh |= (package.needs | package.script_needs) - found
        return found & self.by_folder.keys()

    @cached_property
    def _manifests(self) -> Mapping[str, Table | None]:
        """The manifests by their folders; None for one that cannot be read."""
        found: dict[str, Table | None] = {}
        for path, text in self._tree.texts.items():
            folder, _, name = path.rpartition("/")
            if name == MANIFEST:
                found[folder] = _read(text)
        return found

    @cached_property
    def _replaced(self) -> Mapping[str, frozenset[str]]:
        """By a package's name, the folders that may stand for it, wherever that is said."""
        found: dict[str, set[str]] = {}
        tables = [(folder, one) for folder, one in self._manifests.items() if one is not None]
        for path, text in self._tree.texts.items():
            folder, _, name = path.rpartition("/")
            above, _, last = folder.rpartition("/")
            if name != MANIFEST and last == ".cargo":
                table = _read(text) or {}
                tables.append((above, table))
                for place in _strings(table.get("paths")):
                    lies = _joined(above, place)
                    found.setdefault(self._names.get(lies, ""), set()).add(lies)
        for folder, table in tables:
            patches = [*_tables(_table(table, "patch")), _table(table, "replace")]
            for patch in patches:
                for key in patch:
                    entry = _table(patch, key)
                    name = str(entry.get("package", key.rpartition("#")[2].partition(":")[0]))
                    if isinstance(place := entry.get("path"), str):
                        found.setdefault(name, set()).add(_joined(folder, place))
        return {name: frozenset(folders) for name, folders in found.items()}

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return {
            folder: str(_table(manifest or {}, "package").get("name", ""))
            for folder, manifest in self._manifests.items()
        }

    def _is_package(self, folder: str) -> bool:
        manifest = self._manifests.get(folder, {})
        return manifest is None or "package" in manifest or "project" in manifest

    def _package(self, folder: str, manifest: Table | None) -> CargoPackage:
        table: Table = manifest if manifest is not None else {}
        fields = _table(table, "package") or _table(table, "project")
        build = fields.get("build", "build.rs")
        script = _joined(folder, build if isinstance(build, str) else "build.rs")
        library = _joined(folder, str(_table(table, "lib").get("path", "src/lib.rs")))
        tables = [table, *_tables(_table(table, "target"))]
        anything = frozenset(filter(self._is_package, self._manifests if manifest is None else ()))

        def needed(names: Iterable[str], *, with_replaced: bool = True) -> frozenset[str]:
            stated = self._needed(folder, tables, names, with_replaced=with_replaced)
            return (anything | frozenset(stated)) - {folder}

        return CargoPackage(
            folder,
            self._names.get(folder, ""),
            library,
            frozenset((*self._roots(folder, table), library)),
            script,
            needs=needed(_NORMAL),
            script_needs=needed(_FOR_SCRIPT),
            tests_need=needed(_DEVELOPMENT),
            by_path=needed((*_NORMAL, *_FOR_SCRIPT, *_DEVELOPMENT), with_replaced=False),
            runs_code=manifest is None
            or _has_macros(_table(table, "lib"))
            or (build is not False and script in self._tree.files),
        )

    def _roots(self, folder: str, table: Table) -> Iterator[str]:
        """The files that crates begin with, those found by their places included."""
        yield _joined(folder, "src/main.rs")
        for kind, usual in _TARGETS.items():
            for entry in _list(table.get(kind)):
                if isinstance(path := _table(entry).get("path"), str):
                    yield _joined(folder, path)
            place = _joined(folder, usual)
            for name in self._tree.by_folder.get(place, ()):
                if name.endswith(".rs"):
                    yield f"{place}/{name}"
                elif "main.rs" in self._tree.by_folder.get(f"{place}/{name}", ()):
                    yield f"{place}/{name}/main.rs"

    def _needed(
        self,
        folder: str,
        tables: Iterable[Table],
        names: Iterable[str],
        *,
        with_replaced: bool,
    ) -> Iterator[str]:
        for table in tables:
            for name in names:
                for key, entry in _table(table, name).items():
                    for needed in self._lies(folder, key, entry, with_replaced):
                        if self._is_package(needed):
                            yield needed

    def _lies(self, folder: str, key: str, entry: object, with_replaced: bool) -> Iterator[str]:
        """The folders in which what a dependency names may lie."""
        fields = _table(entry)
        if fields.get("workspace") is True:
            for root in self._roots_above(folder):
                shared = _table(_table(self._manifests[root] or {}, "workspace"), "dependencies")
                yield from self._lies(root, key, shared.get(key), with_replaced)
            return
        if isinstance(path := fields.get("path"), str):
            yield _joined(folder, path)
        if with_replaced:
            yield from self._replaced.get(str(fields.get("package", key)), ())

    def _roots_above(self, folder: str) -> Iterator[str]:
        """The root of the workspace that a package is in."""
        fields = _table(self._manifests.get(folder) or {}, "package")
        if isinstance(stated := fields.get("workspace"), str):
            root = _joined(folder, stated)
            if root in self._manifests:
                yield root
            return
        while True:
            if "workspace" in (self._manifests.get(folder) or {}):
                yield folder
                return
            if not folder:
                return
            folder = folder.rpartition("/")[0]


def packages_bound(tree: FolderTree, changed: Collection[str]) -> set[str]:
    """The folders of the packages of which bindings say which files a change of these can break.

    Not where a changed package runs code while they are built, nor where no source changes: what
    then becomes of a file is not written in it.
    """
    packages = CargoPackages(tree)
    owners = [packages.of(path) for path in changed if path.endswith(".rs")]
    if len(owners) < len(changed) or None in owners:
        return set()
    reached = set[str]().union(*(packages_reached(tree, path) for path in changed))
    return {
        folder
        for folder in packages.by_folder
        if not any(packages.by_folder[one].runs_code for one in packages.needed(folder) & reached)
    }


def packages_reached(tree: FolderTree, path: str) -> set[str]:
    """The folders of all packages that a change of a file can break, its own among them.

    A package that needs another to be built hands on what it is made of; one that needs it to be
    tested does not. What belongs to no package, or says how all are built, reaches every one.
    """
    packages = CargoPackages(tree)
    own = packages.of(path)
    name = path.rpartition("/")[2]
    is_shared = name in ("Cargo.lock", "rust-toolchain", "rust-toolchain.toml", "clippy.toml")
    if own is None or is_shared or "/.cargo/" in f"/{path}":
        return set(packages.by_folder)
    if name == MANIFEST and packages.members(own.folder) != {own.folder}:
        return set(packages.by_folder)
    reached, fresh = {own.folder}, {own.folder}
    for_tests: set[str] = set()
    while fresh:
        changed = fresh.pop()
        for package in packages.by_folder.values():
            if changed in package.needs | package.script_needs:
                if package.folder not in reached:
                    reached.add(package.folder)
                    fresh.add(package.folder)
            elif changed in package.tests_need:
                for_tests.add(package.folder)
    return reached | for_tests


def _has_macros(library: Table) -> bool:
    """Whether a library is of macros that run while others are built."""
    kinds = [*_strings(library.get("crate-type")), *_strings(library.get("crate_type"))]
    stated = (library.get("proc-macro"), library.get("proc_macro"))
    return True in stated or "proc-macro" in kinds


def _read(text: bytes) -> Table | None:
    try:
        return toml.loads(text.decode("utf-8"))
    except ValueError:
        return None


def _table(holder: object, key: str | None = None) -> Table:
    """A table, or the one at a key of it; an empty one for whatever is none."""
    found: object = holder
    if key is not None:
        found = _table(holder).get(key)
    return cast("Table", found) if isinstance(found, dict) else {}


def _tables(holder: Table) -> Iterator[Table]:
    for key in holder:
        yield _table(holder, key)


def _strings(values: object) -> list[str]:
    return [one for one in _list(values) if isinstance(one, str)]


def _list(values: object) -> list[object]:
    return cast("list[object]", values) if isinstance(values, list) else []


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path.replace("\\", "/")))
    return "" if joined == "." else joined


def _fits(folder: str, pattern: str) -> bool:
    """Whether a folder fits a member's pattern, of which `*` takes one segment and `**` many."""
    if "**" in pattern:
        return fnmatchcase(folder, pattern.replace("**/", "*")) or fnmatchcase(folder, pattern)
    return folder.count("/") == pattern.count("/") and fnmatchcase(folder, pattern)


def _below(folder: str, pattern: str) -> bool:
    return _fits(folder, pattern) or folder.startswith(f"{pattern}/")
