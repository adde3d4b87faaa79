# ruff: noqa: PLC0415 - see `readers_of`
"""Reads what a text imports and declares, and resolves it, by the rules of its family."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import translate
from functools import cache
from types import MappingProxyType

from understudy.dependents.changes import FileReading
from understudy.dependents.families import FAMILIES, family_of
from understudy.dependents.onlookers import kind_of
from understudy.dependents.resolvers.model import FolderTree, Resolver
from understudy.syntax.model import NO_IMPORTS, FileDeclarations, FileImports, Unsayable
from understudy.syntax.nesting import is_deep
from understudy.values.frozen import frozen


@frozen
class FamilyReaders:
    """How the files of a family are read and resolved.

    `declarations` is None where others depend on a file as a whole; `needs` names files of a tree
    whose text the resolver needs beside those of the family's patterns. `both` reads what a file
    imports and declares at once, where that is quicker. Those of imports may raise Unsayable.
    """

    imports: Callable[[str, bytes], FileImports]
    declarations: Callable[[str, bytes], FileDeclarations] | None
    resolver: Callable[[FolderTree], Resolver]
    needs: Callable[[FolderTree], Collection[str]] | None = None
    both: Callable[[str, bytes], tuple[FileImports, FileDeclarations]] | None = None


def readers_of(family: str) -> FamilyReaders:
    """The readers of a family, loaded at its first file: few folders have files of them all."""
    return _LOADERS[family]()


@cache
def _python() -> FamilyReaders:
    from understudy.dependents.resolvers.python import resolver
    from understudy.syntax.python import declarations, imports

    both = declarations.read_with_imports
    return FamilyReaders(imports.read, declarations.read, resolver, both=both)


@cache
def _script() -> FamilyReaders:
    from understudy.dependents.resolvers.script.resolver import needs, resolver
    from understudy.syntax.script import declarations, imports

    return FamilyReaders(
        imports.read, declarations.read, resolver, needs, declarations.read_with_imports
    )


@cache
def _go() -> FamilyReaders:
    from understudy.dependents.resolvers.go import resolver
    from understudy.syntax.go import declarations, imports

    return FamilyReaders(imports.read, declarations.read, resolver)


@cache
def _native() -> FamilyReaders:
    from understudy.dependents.resolvers.native import resolver
    from understudy.syntax.native import declarations, imports

    return FamilyReaders(imports.read, declarations.read, resolver)


@cache
def _rust() -> FamilyReaders:
    from understudy.dependents.resolvers.rust import resolver
    from understudy.syntax.rust import declarations, imports

    return FamilyReaders(imports.read, declarations.read, resolver)


@cache
def _json() -> FamilyReaders:
    from understudy.dependents.resolvers.data import resolver
    from understudy.syntax.data import imports

    return FamilyReaders(imports.read, None, resolver)


_LOADERS: Mapping[str, Callable[[], FamilyReaders]] = MappingProxyType(
    {
        "python": _python,
        "script": _script,
        "go": _go,
        "native": _native,
        "rust": _rust,
        "json": _json,
    }
)


_SCRIPTS_CONFIGURATION = re.compile("|".join(map(translate, FAMILIES["script"].configuration)))


def _configures_scripts(path: str) -> bool:
    return _SCRIPTS_CONFIGURATION.match(path.rpartition("/")[2]) is not None


def imports_of(path: str, text: bytes) -> FileImports | None:
    """What a file takes from others; nothing of a language that we do not know.

    None where it may be anything: the text is nested too deeply to be read in time, or Unsayable.
    """
    if is_deep(text):
        return None
    with suppress(Unsayable):
        kind = kind_of(path)
        if kind is None:
            family = family_of(path)
            return NO_IMPORTS if family is None else readers_of(family).imports(path, text)
        name = kind.families[0]
        code = kind.code(text.decode("utf-8", "replace")).encode("utf-8", "replace")
        found = readers_of(name).imports(f"{path}{FAMILIES[name].suffixes[0]}", code)
        return FileImports(found.imports)
    return None


def declarations_of(path: str, text: bytes) -> FileDeclarations | None:
    """What a file declares; None for one that others depend on as a whole, or nested too deeply."""
    family = family_of(path)
    read = None if family is None else readers_of(family).declarations
    return None if read is None or is_deep(text) else read(path, text)


def reading_of(path: str, text: bytes) -> FileReading | None:
    """What a file imports and declares; None where one of them cannot be said."""
    family = family_of(path)
    both = None if family is None else readers_of(family).both
    if both is not None:
        with suppress(Unsayable):
            return None if is_deep(text) else FileReading(*both(path, text))
        return None
    declared = declarations_of(path, text)
    imports = None if declared is None else imports_of(path, text)
    return None if declared is None or imports is None else FileReading(imports, declared)


def unwritten_in(path: str, texts: Iterable[bytes]) -> frozenset[str]:
    """Names that the code of a file can mention without writing them."""
    if family_of(path) == "rust":
        from understudy.syntax.rust.unseen import GIVEN, GIVEN_BELOW, IN_SCOPE, may_look_unseen

        some = any(map(may_look_unseen, texts))
        return frozenset((GIVEN, GIVEN_BELOW, IN_SCOPE) if some else ())
    if family_of(path) != "script":
        return frozenset()
    from understudy.syntax.script.declarations import MARKUP_NAMES
    from understudy.syntax.script.grammar import WITH_JSX

    return MARKUP_NAMES if path.endswith(WITH_JSX) else frozenset()


def resolvers(tree: FolderTree) -> Mapping[str, Resolver]:
    """The resolver of each family over one tree, made when it is first asked for."""
    return _Resolvers(tree)


class _Resolvers(Mapping[str, Resolver]):
    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._made: dict[str, Resolver] = {}

    def __getitem__(self, family: str) -> Resolver:
        if family not in self._made:
            self._made[family] = readers_of(family).resolver(self._tree)
        return self._made[family]

    def __iter__(self) -> Iterator[str]:
        return iter(_LOADERS)

    def __len__(self) -> int:
        return len(_LOADERS)


def needed_texts(tree: FolderTree) -> frozenset[str]:
    """Files of the tree whose text resolvers need, too, and which no pattern names.

    To be asked again with their texts, until it names none that is not there.
    """
    if not any(_configures_scripts(path) for path in tree.texts):  # only scripts' name others
        return frozenset()
    needs = readers_of("script").needs
    assert needs is not None
    return frozenset(needs(tree)) - tree.texts.keys()
