"""Reads what a text imports and declares, and resolves it, by the rules of its family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from understudy.dependents.families import FAMILIES, family_of
from understudy.dependents.onlookers import kind_of
from understudy.dependents.resolvers import data as data_resolver
from understudy.dependents.resolvers import go as go_resolver
from understudy.dependents.resolvers import native as native_resolver
from understudy.dependents.resolvers import python as python_resolver
from understudy.dependents.resolvers import rust as rust_resolver
from understudy.dependents.resolvers.model import FolderTree, Resolver
from understudy.dependents.resolvers.script import resolver as script_resolver
from understudy.syntax.data import imports as data_imports
from understudy.syntax.go import declarations as go_declarations
from understudy.syntax.go import imports as go_imports
from understudy.syntax.model import NO_IMPORTS, FileDeclarations, FileImports
from understudy.syntax.native import declarations as native_declarations
from understudy.syntax.native import imports as native_imports
from understudy.syntax.nesting import is_deep
from understudy.syntax.python import declarations as python_declarations
from understudy.syntax.python import imports as python_imports
from understudy.syntax.rust import declarations as rust_declarations
from understudy.syntax.rust import imports as rust_imports
from understudy.syntax.script import declarations as script_declarations
from understudy.syntax.script import imports as script_imports
from understudy.syntax.script.declarations import MARKUP_NAMES
from understudy.syntax.script.grammar import WITH_JSX


@dataclass(frozen=True)
class FamilyReaders:
    """How the files of a family are read and resolved.

    `declarations` is None where others depend on a file as a whole; `needs` names files of a tree
    whose text the resolver needs beside those of the family's patterns.
    """

    imports: Callable[[str, bytes], FileImports]
    declarations: Callable[[str, bytes], FileDeclarations] | None
    resolver: Callable[[FolderTree], Resolver]
    needs: Callable[[FolderTree], Collection[str]] | None = None


READERS: Mapping[str, FamilyReaders] = MappingProxyType(
    {
        "python": FamilyReaders(
            python_imports.read, python_declarations.read, python_resolver.resolver
        ),
        "script": FamilyReaders(
            script_imports.read,
            script_declarations.read,
            script_resolver.resolver,
            script_resolver.needs,
        ),
        "go": FamilyReaders(go_imports.read, go_declarations.read, go_resolver.resolver),
        "native": FamilyReaders(
            native_imports.read, native_declarations.read, native_resolver.resolver
        ),
        "rust": FamilyReaders(rust_imports.read, rust_declarations.read, rust_resolver.resolver),
        "json": FamilyReaders(data_imports.read, None, data_resolver.resolver),
    }
)


def imports_of(path: str, text: bytes) -> FileImports | None:
    """What a file takes from others; nothing of a language that we do not know.

    None where it may be anything, as the text is nested too deeply to be read in time.
    """
    if is_deep(text):
        return None
    kind = kind_of(path)
    if kind is None:
        family = family_of(path)
        return NO_IMPORTS if family is None else READERS[family].imports(path, text)
    name = kind.families[0]
    code = kind.code(text.decode("utf-8", "replace")).encode("utf-8", "replace")
    found = READERS[name].imports(f"{path}{FAMILIES[name].suffixes[0]}", code)
    return FileImports(found.imports)


def declarations_of(path: str, text: bytes) -> FileDeclarations | None:
    """What a file declares; None for one that others depend on as a whole, or nested too deeply."""
    family = family_of(path)
    read = None if family is None else READERS[family].declarations
    return None if read is None or is_deep(text) else read(path, text)


def unwritten_in(path: str) -> frozenset[str]:
    """Names that the code of a file can mention without writing them."""
    return MARKUP_NAMES if path.endswith(WITH_JSX) else frozenset()


def resolvers(tree: FolderTree) -> Mapping[str, Resolver]:
    """The resolver of each family over one tree."""
    return {name: family.resolver(tree) for name, family in READERS.items()}


def needed_texts(tree: FolderTree) -> frozenset[str]:
    """Files of the tree whose text resolvers need, too, and which no pattern names.

    To be asked again with their texts, until it names none that is not there.
    """
    asked = (family.needs(tree) for family in READERS.values() if family.needs is not None)
    return frozenset(path for paths in asked for path in paths) - tree.texts.keys()
