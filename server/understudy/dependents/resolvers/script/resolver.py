"""The resolver of TypeScript and JavaScript: the compiler's rules, and those of Node and bundlers.

A project's `include` leaves nobody out: any configuration of the tree may hold for any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from understudy.dependents.resolvers.model import Edge, FolderTree
from understudy.dependents.resolvers.script import configurations, packages
from understudy.dependents.resolvers.script.files import ScriptFiles
from understudy.dependents.resolvers.script.paths import (
    best_match,
    folders_above,
    inside,
    joined,
    key_of,
    package_and_rest,
    without_suffix,
)
from understudy.dependents.resolvers.script.scopes import scope_of
from understudy.syntax.model import ALL, WHOLE, Binding, FileImports, Import
from understudy.syntax.script.grammar import WITH_JSX

CONFIGURATION: Final[tuple[str, ...]] = (*configurations.NAMES, packages.NAME)
"""Patterns of the names of the files whose text it needs; `needs` says which further ones."""

_SCHEME = re.compile(r"^[\w+.-]{2,}:")
_LOADER = re.compile(r"^.*!|[?].*$", re.DOTALL)
_BUILT_IN = frozenset(
    (
        *("assert", "async_hooks", "buffer", "child_process", "cluster", "console"),
        *("constants", "crypto", "dgram", "dns", "domain", "events", "fs", "http", "http2"),
        *("https", "inspector", "module", "net", "os", "path", "perf_hooks", "process"),
        *("punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys"),
        *("timers", "tls", "tty", "url", "util", "v8", "vm", "worker_threads", "zlib"),
    )
)
"""Node's own modules, which no file of a project stands for unless a configuration says so."""


def resolver(tree: FolderTree) -> ScriptResolver:
    """The resolver for one tree."""
    return ScriptResolver(tree)


def needs(tree: FolderTree) -> frozenset[str]:
    """Files of the tree whose text is needed, too: configurations of any name that are extended.

    To be asked again with their texts, until it names none.
    """
    return configurations.needed(tree, packages.by_name(packages.read(tree)))


class ScriptResolver:
    """Resolves what scripts import; a path is only looked for when an import asks for it."""

    def __init__(self, tree: FolderTree) -> None:
        self._packages = packages.read(tree)
        self._by_name = packages.by_name(self._packages)
        self._configurations = configurations.read(tree, self._by_name)
        self._files = ScriptFiles(tree, self._packages, self._configurations)
        sources = {one.jsx_source for one in self._configurations} - {""}
        self._runtimes = tuple(
            Import(f"{source}/jsx-runtime", "jsx", (Binding(WHOLE, ALL),))
            for source in sorted(sources)
        )
        self._patterns = tuple({one.patterns: None for one in self._configurations})
        self._mapped_names: dict[str, tuple[str, ...]] = {}
        self._places: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._found: dict[tuple[str, str, str], tuple[str, ...]] = {}

    def edges(self, importer: str, imports: FileImports) -> Iterator[Edge]:
        """Every file of the tree that the importer may mean, never itself."""
        found = {
            Edge(target, binding): None
            for one in self._all(importer, imports)
            for target in self._targets(importer, one)
            for binding in one.bindings
            if target != importer
        }
        yield from found

    def keys(self, importer: str, imports: FileImports) -> Iterator[str]:
        """The names of the files that could be meant, up to their first dot."""
        found: dict[str, None] = {}
        for one in self._all(importer, imports):
            for place in self._of(importer, one):
                found |= dict.fromkeys(self._files.keys(place))
            if one.target and not _is_relative(one):
                found[key_of(_plain(one.target))] = None
        yield from found

    def keys_of(self, path: str) -> Iterator[str]:
        """Its name up to the first dot; that of its folder, too, where it is the index."""
        key = key_of(path)
        yield key
        if key == "index":
            yield key_of(path.rpartition("/")[0])

    def scope(self, path: str, imports: FileImports) -> str:
        """`global` for a script, and for what adds to globals or to other modules."""
        return scope_of(path, imports, self._configurations, self._packages)

    def _all(self, importer: str, imports: FileImports) -> Iterator[Import]:
        yield from imports.imports
        if importer.endswith(WITH_JSX):
            yield from self._runtimes

    def _targets(self, importer: str, one: Import) -> tuple[str, ...]:
        key = (importer.rpartition("/")[0], one.kind, one.target)
        found = self._found.get(key)
        if found is None:
            places = self._of(importer, one)
            found = tuple({file: None for place in places for file in self._files.at(place)})
            if not found and one.target and one.kind != "jsx" and not _is_relative(one):
                found = self._guessed(_plain(one.target))
            self._found[key] = found
        return found

    def _guessed(self, target: str) -> tuple[str, ...]:
        """Where nothing in the tree tells, a name may mean any file that is called so."""
        if _SCHEME.match(target) or target.partition("/")[0] in _BUILT_IN:
            return ()
        return self._files.named(without_suffix(target).rstrip("/").rpartition("/")[2])

    def _of(self, importer: str, one: Import) -> tuple[str, ...]:
        """The paths that an import may mean, there or not."""
        folder = importer.rpartition("/")[0]
        key = (folder, one.kind, one.target)
        found = self._places.get(key)
        if found is None:
            found = tuple(dict.fromkeys(self._candidates(folder, one)))
            self._places[key] = found
        return found

    def _candidates(self, folder: str, one: Import) -> Iterator[str]:
        target = one.target
        if not target or one.kind == "umd":
            return
        if one.kind == "jsx":
            yield from self._bare(folder, target)
            yield from self._bare(folder, target.replace("jsx-runtime", "jsx-dev-runtime"))
        elif one.kind == "types":
            for each in self._configurations:
                yield from (f"{root}/{target}" for root in each.type_roots)
            yield from self._bare(folder, target)
        elif one.kind == "lib":
            yield from self._bare(folder, f"@typescript/lib-{target.replace('.', '/')}")
        elif _is_relative(one):
            yield from self._relative(folder, target)
            if target != _plain(target):
                yield from self._relative(folder, _plain(target))
        else:
            yield from self._bare(folder, _plain(target))

    def _relative(self, folder: str, target: str) -> Iterator[str]:
        path = joined(folder, target)
        if path is None:
            return
        yield path
        for one in self._configurations:
            for root in one.root_dirs:
                if f"{path}/".startswith(f"{root}/" if root else ""):
                    rest = path[len(root) + 1 :] if root else path
                    yield from (
                        place for other in one.root_dirs for place in inside(other, (rest or "./",))
                    )

    def _bare(self, folder: str, target: str) -> Iterator[str]:
        if target.startswith("/"):
            yield target.lstrip("/") or "/"
            return
        yield from self._mapped(target)
        above = ("", *folders_above(f"{folder}/x"))
        own = [self._packages[place] for place in dict.fromkeys(above) if place in self._packages]
        for package in own:
            stated = package.imported(target) if target.startswith("#") else ()
            stated += tuple(to for name, to in package.browser() if name == target)
            for to in stated:
                if to.startswith("."):
                    yield from inside(package.folder, (to,))
                elif to != target:
                    yield from self._named(folder, to)
        yield from self._named(folder, target)

    def _mapped(self, target: str) -> tuple[str, ...]:
        """Where the `paths` of any configuration lead."""
        found = self._mapped_names.get(target)
        if found is None:
            places = (place for each in self._patterns for place in best_match(target, each))
            found = tuple(dict.fromkeys(places))
            self._mapped_names[target] = found
        return found

    def _named(self, folder: str, target: str) -> Iterator[str]:
        """A package by its name, one of the tree or one installed above."""
        if _SCHEME.match(target) or target.startswith("#"):
            return
        name, rest = package_and_rest(target)
        for package in self._by_name.get(name, ()):
            yield from package.exported(rest)
            yield from package.usual(rest)
        typed = f"@types/{name.removeprefix('@').replace('/', '__')}"
        for above in folders_above(f"{folder}/x"):
            for each in (name, typed):
                place = f"{above}/node_modules/{each}".lstrip("/")
                package = self._packages.get(place)
                if package is not None:
                    yield from package.exported(rest)
                yield f"{place}/{rest}"


def _is_relative(one: Import) -> bool:
    if one.kind in ("reference", "url"):
        return not one.target.startswith("/")
    return one.target.startswith(("./", "../")) or one.target in (".", "..")


def _plain(target: str) -> str:
    """A target without what bundlers read around it: `raw!./x`, `./x?url`."""
    return _LOADER.sub("", target) or target
