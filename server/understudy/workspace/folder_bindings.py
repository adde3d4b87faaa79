"""What is known of one scan of a folder, and of the texts that a snapshot lays over it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.dependents.bindings import BindingGraph, Resolvers
from understudy.dependents.families import importing_family, reads_as_configuration
from understudy.dependents.readers import imports_of, needed_texts, resolvers
from understudy.dependents.resolvers.model import FolderTree
from understudy.shadow.folder import Fingerprint, FolderView, Reader
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.model import FileImports
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText
from understudy.workspace.snapshot_sources import plain

_BATCH_BYTES = 1_000_000
_BATCH_FILES = 400

TICK_NS = 2_000_000_000
"""Of the coarsest clock of a file system."""


@frozen
class FolderBindings:
    """One scan of the folder, with what was read of it.

    `others` are the paths of files that have more than one, and are not listed under these -> the
    real one. They import from where they stand, so each is in the graph for itself. What was read
    of `unsettled` files may be of another state than their fingerprint.
    """

    folder: FolderView
    others: Mapping[str, str]
    configuration: Mapping[str, bytes]
    unreadable: frozenset[str]
    unsettled: frozenset[str]
    resolvers: Resolvers
    graph: BindingGraph

    def files(self) -> Collection[str]:
        """All paths of all files."""
        files = self.folder.files.keys()
        return {*files, *self.others} if self.others else files

    def files_in(self, snapshot: Snapshot) -> Collection[str]:
        """All paths of all files of a snapshot of this folder."""
        if not snapshot.base.folder.links:
            return snapshot.paths()
        shown = snapshot.shown
        new = (path for path, text in shown.items() if text is not None)
        gone = {path for path, text in shown.items() if text is None}
        return {*snapshot.paths(), *self.others, *new} - gone


def other_paths(folder: FolderView) -> Mapping[str, str]:
    """The paths of files that stand under another one -> that one, which is listed."""
    listed = folder.links.paths_of(folder.files)
    return {path: real for path, real in listed.items() if path not in folder.files}


class BatchReading(NamedTuple):
    """The imports of some files, None where one cannot be read, and when the first was opened."""

    imports: Mapping[str, FileImports | None]
    began_ns: int


def imports_on_disk(reader: Reader, paths: Sequence[str]) -> BatchReading:
    """What each file imports; for workers."""
    began_ns = time.time_ns()
    texts = texts_at(reader, paths)
    found = {path: imports_of(path, texts[path]) if path in texts else None for path in paths}
    return BatchReading(found, began_ns)


def is_settled(mark: Fingerprint, read_ns: int, tick_ns: int) -> bool:
    """Whether a file that was read from this time on, and still has this fingerprint, is as read.

    One that changed shortly before may have changed once more, within one tick of the clock.
    """
    return (mark.changed_ns or mark.mtime_ns) < read_ns - tick_ns


def imports_in_text(path: str, text: PackedText) -> FileImports | None:
    """The imports of a text, None where they may be any; for workers."""
    return imports_of(path, _encoded(text))


def texts_at(reader: Reader, paths: Iterable[str]) -> dict[str, bytes]:
    """The files' texts, unpinned; without those that are too large, or forbidden."""
    found: dict[str, bytes] = {}
    for path in paths:
        try:
            found[path] = plain(reader.read(path)) or b""
        except BadInput:
            continue
    return found


def batches(folder: FolderView, paths: Iterable[str]) -> Iterator[dict[str, int]]:
    """The files that import something, in portions, with their sizes."""
    batch: dict[str, int] = {}
    for path in paths:
        if importing_family(path) is None:
            continue
        batch[path] = folder.files[path].size
        if sum(batch.values()) > _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield batch
            batch = {}
    if batch:
        yield batch


def lay_over(
    state: FolderBindings,
    snapshot: Snapshot,
    imports: Mapping[str, FileImports | None],
    unscanned: frozenset[str],
) -> BindingGraph:
    """The graph of the folder with the snapshot's texts over it, and what a scan leaves out."""
    scanned = state.files()
    overlay = snapshot.shown
    moved = [path for path, text in overlay.items() if (text is not None) != (path in scanned)]
    moved += unscanned
    settled = [path for path in overlay if _settles(path, state)]
    if not (moved or settled):
        return state.graph.with_changes(imports, state.resolvers)
    files = {*state.files_in(snapshot), *unscanned}
    rules = resolvers(FolderTree(files, configuration_of(state, snapshot)))
    if not settled:
        return state.graph.with_changes(imports, rules, moved)
    # Another configuration may lead every import elsewhere.
    read = {path: state.graph.imports_of(path) for path in state.files() if path in files}
    read.update((path, one) for path, one in imports.items() if one is not None)
    return BindingGraph(read, rules, importing_family)


def configuration_of(state: FolderBindings, snapshot: Snapshot) -> Mapping[str, bytes]:
    """The texts that resolvers need, with the snapshot's over the folder's."""
    over = {path: text for path, text in snapshot.shown.items() if _settles(path, state)}
    if not over:
        return state.configuration
    found = {path: text for path, text in state.configuration.items() if path not in over}
    found.update((path, _encoded(text)) for path, text in over.items() if text is not None)
    add_needed(state.files_in(snapshot), found, snapshot.base.folder.reader)
    for path in snapshot.shown.keys() & found.keys() - over.keys():
        text = snapshot.shown[path]
        if text is not None:
            found[path] = _encoded(text)
    return found


def _settles(path: str, state: FolderBindings) -> bool:
    return reads_as_configuration(path) or path in state.configuration


def add_needed(files: Collection[str], texts: dict[str, bytes], reader: Reader) -> None:
    """Add the texts that those which are there name, step by step; unreadable ones are empty."""
    while needed := needed_texts(FolderTree(files, texts)):
        texts.update(dict.fromkeys(needed, b""))
        texts.update(texts_at(reader, needed))


def _encoded(text: PackedText) -> bytes:
    return text.unpack().content.encode("utf-8", "replace")
