"""Which files a C, C++ or Objective-C file includes.

Where a compiler looks is known to builds alone, so a name may mean every file whose path ends with
it. Only what stands in quotes and lies where it says from the importer's folder is that file and no
other: compilers look there first.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from understudy.dependents.resolvers.model import Edge, FolderTree, Resolver
from understudy.dependents.resolvers.native_flags import FLAG_FILES, ForcedIncludes
from understudy.syntax.model import ALL, FileImports, Import
from understudy.syntax.native.imports import ANGLED, CPP_SUFFIXES, SUFFIXES, TEXT, module_of

MODULE_SUFFIXES: Final = (".cppm", ".ixx", ".mpp", ".ccm", ".cxxm", ".c++m")
"""Of files that are interfaces of C++ modules by custom; others can be, too."""

CONFIGURATION: Final = (
    *FLAG_FILES,
    "*.modulemap",
    *(f"*{suffix}" for suffix in MODULE_SUFFIXES),
)

_IN_BUILDS: Final = ("std", "std.compat")
"""Modules that a tool chain brings."""

_MAPPED_MODULE: Final = re.compile(rb"\bmodule[ \t]+\"?([\w.]+)")


def resolver(tree: FolderTree) -> Resolver:
    """The resolver of a tree's C-family files."""
    return NativeResolver(tree)


class NativeResolver:
    """Resolves includes by the ends of paths, and modules by the texts of their interfaces."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._forced = ForcedIncludes(tree)
        self._ending: dict[str, tuple[str, ...]] = {}

    def edges(self, importer: str, imports: FileImports) -> Iterable[Edge]:
        """What its lines and the compiler's flags make it include."""
        found = {
            Edge(target, binding): None
            for one in imports.imports
            for target in self._targets(importer, one)
            for binding in one.bindings
        }
        forced = {Edge(target, TEXT[0]): None for target in self._forced.targets(importer)}
        return [edge for edge in {**found, **forced} if edge.target != importer]

    def keys(self, importer: str, imports: FileImports) -> Iterable[str]:
        """The last segments of what it includes; what may be any file has no other key than ALL."""
        named = (
            ALL if one.kind in ("computed", "module", "@import") else _last(one.target)
            for one in imports.imports
        )
        return {*named, *map(_last, self._forced.names(importer))}

    def keys_of(self, path: str) -> Iterable[str]:
        """Its last segment: a file of any name can be included."""
        return (path.rpartition("/")[2],)

    def scope(self, path: str, imports: FileImports) -> str:
        """All units of a C++ module see what its interfaces declare."""
        is_unit = imports.scope and path.endswith(CPP_SUFFIXES)
        return f"module {imports.scope}" if is_unit else ""

    def _targets(self, importer: str, one: Import) -> Iterable[str]:
        kind = one.kind.removesuffix(ANGLED)
        if kind == "computed":
            return self._sources
        if kind == "module":
            return self._module(one.target)
        if kind == "@import":
            return self._mapped(one.target.partition(".")[0])
        name = one.target.replace("\\", "/")
        if kind == one.kind and kind != "include_next":
            beside = posixpath.normpath(posixpath.join(importer.rpartition("/")[0], name))
            if beside in self._tree.by_name.get(_last(beside), ()):
                return (beside,)
        found = self.ending_with(name)
        if kind == "import" or importer.endswith((".m", ".mm")):
            return (*found, *self._in_framework(name))
        return found

    def ending_with(self, name: str) -> tuple[str, ...]:
        """The files that a name may mean whose folder is not known."""
        if name not in self._ending:
            named = posixpath.normpath(name)
            while named.startswith("../"):
                named = named[3:]
            is_absolute = named.startswith("/") or named[1:3] == ":/"
            self._ending[name] = tuple(
                path
                for path in self._tree.by_name.get(_last(named), ())
                if path == named
                or path.endswith(f"/{named}")
                or (is_absolute and named.endswith(f"/{path}"))
            )
        return self._ending[name]

    def _in_framework(self, name: str) -> Iterator[str]:
        """`Kit/Part.h` means a header of the framework `Kit`, wherever its folder has it."""
        kit, _, last = name.rpartition("/")
        for path in self._tree.by_name.get(last, ()) if kit else ():
            if {kit, f"{kit}.framework"}.intersection(path.split("/")[:-1]):
                yield path

    def _module(self, name: str) -> Iterable[str]:
        """The interfaces of a C++ module; every source where none is known: any may be it.

        Its parts come along, and a part named alone is found by the scope that it shares.
        """
        if name.startswith(":") or name in _IN_BUILDS:
            return ()
        if name in self._interfaces:
            inside = f"{name}:"
            return [
                path
                for module, paths in self._interfaces.items()
                if module == name or module.startswith(inside)
                for path in paths
            ]
        return [path for path in self._sources if path.endswith(CPP_SUFFIXES)]

    def _mapped(self, name: str) -> Iterable[str]:
        """The headers beside and below a module map that declares the module."""
        found = list[str]()
        for path, text in self._tree.texts.items():
            named = {match[1].decode() for match in _MAPPED_MODULE.finditer(text)}
            if path.endswith(".modulemap") and name in named:
                folder = path[: path.rfind("/") + 1]
                found += [path, *(one for one in self._sources if one.startswith(folder))]
        return found

    @cached_property
    def _sources(self) -> tuple[str, ...]:
        return tuple(path for path in self._tree.files if path.endswith(SUFFIXES))

    @cached_property
    def _interfaces(self) -> dict[str, list[str]]:
        """The files of each C++ module and part whose text is known."""
        found: dict[str, list[str]] = {}
        for path, text in self._tree.texts.items():
            if path.endswith(MODULE_SUFFIXES) and (name := module_of(text)):
                found.setdefault(name, []).append(path)
        return found


def _last(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).rpartition("/")[2]
