"""Binding graphs over small folders that are written down in a test."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from understudy.dependents.bindings import BindingGraph
from understudy.dependents.changes import FileReading, OutsideChange, change_between
from understudy.dependents.families import family_of, importing_family, reads_as_configuration
from understudy.dependents.inference import as_written
from understudy.dependents.mentions import FileMentions
from understudy.dependents.propagation import reached
from understudy.dependents.reach import Reach
from understudy.dependents.readers import (
    declarations_of,
    imports_of,
    needed_texts,
    resolvers,
    unwritten_in,
)
from understudy.dependents.resolvers.model import FolderTree
from understudy.syntax.model import NO_IMPORTS, FileDeclarations


def tree_of(files: Mapping[str, str]) -> FolderTree:
    """The tree of a folder, with the texts that resolvers need, and no others."""
    texts = {path: text.encode() for path, text in files.items() if reads_as_configuration(path)}
    tree = FolderTree(files.keys(), texts)
    while needed := needed_texts(tree):
        texts.update((path, files[path].encode()) for path in needed)
        tree = FolderTree(files.keys(), texts)
    return tree


def graph_of(files: Mapping[str, str]) -> BindingGraph:
    """The graph of a folder."""
    imports = {path: imports_of(path, text.encode()) or NO_IMPORTS for path, text in files.items()}
    return BindingGraph(imports, resolvers(tree_of(files)), importing_family)


def edited(files: Mapping[str, str], edits: Mapping[str, str | None]) -> dict[str, str]:
    """The folder after edits; None deletes."""
    after = {**files, **edits}
    return {path: text for path, text in after.items() if text is not None}


def edits_between(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str | None]:
    """What makes one folder the other."""
    paths = before.keys() | after.keys()
    return {path: after.get(path) for path in sorted(paths) if before.get(path) != after.get(path)}


def graphs_of(
    files: Mapping[str, str], edits: Mapping[str, str | None]
) -> tuple[BindingGraph, BindingGraph]:
    """The graphs before and after edits, the latter laid over the former."""
    before, after = graph_of(files), edited(files, edits)
    over = {
        path: None if text is None else imports_of(path, text.encode())
        for path, text in edits.items()
    }
    moved = files.keys() ^ after.keys()
    return before, before.with_changes(over, resolvers(tree_of(after)), moved)


def seen_by(graph: BindingGraph, path: str) -> set[str]:
    """The files that import one, or see it without."""
    return {*graph.importers(path), *graph.onlookers_of(path)}


def reach_of(
    files: Mapping[str, str], edits: Mapping[str, str | None], *, infers: bool = True
) -> dict[str, Reach]:
    """What edits reach, for a checker that infers results from bodies or for one that does not."""
    texts = _Texts([files, edited(files, edits)], infers)
    changes = {path: texts.change(path) for path in edits}
    return reached(graphs_of(files, edits), changes, texts)


@dataclass(frozen=True)
class _Texts:
    sides: Sequence[Mapping[str, str]]
    infers: bool = True

    def change(self, path: str) -> OutsideChange | None:
        if family_of(path) in (None, "json"):
            return OutsideChange(moved=True)
        readings: list[FileReading | None] = []
        for text in self._texts(path):
            declared = None if text is None else declarations_of(path, text)
            if text is not None and declared is None:
                return None
            reading = None
            if text is not None and declared is not None:
                reading = FileReading(imports_of(path, text) or NO_IMPORTS, self._seen(declared))
            readings.append(reading)
        return change_between(*readings)

    def mentions(self, path: str) -> FileMentions:
        return FileMentions(self.declarations(path))

    def declarations(self, path: str) -> Sequence[FileDeclarations]:
        texts = dict.fromkeys(text for text in self._texts(path) if text is not None)
        found = [declarations_of(path, text) for text in texts]
        return [self._seen(one) for one in found if one is not None]

    def _seen(self, declared: FileDeclarations) -> FileDeclarations:
        return declared if self.infers else as_written(declared)

    def words(self, path: str) -> frozenset[str]:
        texts = [text for text in self._texts(path) if text is not None]
        words = (word for text in texts for word in re.findall(r"[\w$]+", text.decode()))
        return unwritten_in(path, texts).union(words)

    def _texts(self, path: str) -> list[bytes | None]:
        return [side[path].encode() if path in side else None for side in self.sides]


def change_of(path: str, before: str, after: str) -> OutsideChange | None:
    """What of a file's outside differs between two texts."""
    return _Texts([{path: before}, {path: after}]).change(path)
