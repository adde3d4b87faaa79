"""From one scan of a folder to the next: what has to be read, and the bindings that come of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from understudy.dependents.bindings import BindingGraph
from understudy.dependents.families import importing_family, reads_as_configuration
from understudy.dependents.readers import resolvers
from understudy.dependents.resolvers.model import FolderTree
from understudy.shadow.folder import FolderView, Reader
from understudy.syntax.model import NO_IMPORTS, FileImports
from understudy.values.frozen import frozen
from understudy.workspace.folder_bindings import (
    FolderBindings,
    add_needed,
    other_paths,
    texts_at,
)
from understudy.workspace.kept_bindings import UNSETTLED, KeptBindings

MOST_OVER = 256
"""Files that are laid over those that were linked together; with more all are linked anew."""


@frozen
class FolderChange:
    """What differs between what is known of a folder and a scan of it; `changed` is to be read."""

    changed: tuple[str, ...]
    gone: frozenset[str]
    new: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone or self.new)


def nothing_known(reader: Reader) -> FolderBindings:
    """What is known of a folder before its first scan."""
    rules = resolvers(FolderTree((), {}))
    graph = BindingGraph({}, rules, importing_family)
    return FolderBindings(FolderView(reader, {}), {}, {}, frozenset(), frozenset(), rules, graph)


def of_kept(kept: KeptBindings, reader: Reader) -> FolderBindings:
    """What was known of a folder to the process that kept it."""
    configuration = _TextsOnDisk(reader, kept.configuration)
    rules = resolvers(FolderTree({*kept.marks, *kept.others}, configuration))
    unsettled = frozenset(path for path, mark in kept.marks.items() if mark == UNSETTLED)
    graph = BindingGraph.of_linked(kept.files, rules, importing_family)
    return FolderBindings(
        FolderView(reader, kept.marks), kept.others, configuration, kept.unreadable,
        unsettled, rules, graph,
    )  # fmt: skip


def to_keep(state: FolderBindings) -> KeptBindings:
    """What another process may take over of a state."""
    marks = {
        path: UNSETTLED if path in state.unsettled else mark
        for path, mark in state.folder.files.items()
    }
    return KeptBindings(
        marks, state.others, sorted(state.configuration), state.unreadable,
        state.graph.linked_files(),
    )  # fmt: skip


def change_since(former: FolderBindings, folder: FolderView) -> FolderChange:
    """What has to be read of a scan's files, and which of them come or go."""
    known, files = former.folder.files, folder.files
    if known == files and not former.unsettled:
        return FolderChange((), frozenset(), frozenset())
    unsettled = former.unsettled
    changed = sorted(
        path for path, mark in files.items() if known.get(path) != mark or path in unsettled
    )
    return FolderChange(
        tuple(changed), frozenset(known.keys() - files.keys()), frozenset(files.keys() - known)
    )


def renewed(
    former: FolderBindings,
    folder: FolderView,
    change: FolderChange,
    found: Mapping[str, FileImports | None],
    unsettled: frozenset[str],
) -> FolderBindings:
    """What is known of a folder after its changed files were read; `found` as it was read.

    Few changes are laid over what was linked before. Where another configuration may lead every
    import elsewhere, all are linked anew.
    """
    others = other_paths(folder)
    if not change and others == former.others:
        return replace(former, folder=folder, unsettled=unsettled)
    unreadable = former.unreadable - change.gone - {*change.changed}
    unreadable |= {path for path, one in found.items() if one is None}
    files: Collection[str] = {*folder.files, *others} if others else folder.files.keys()
    imports = {path: found.get(path) or NO_IMPORTS for path in change.changed}
    configuration = _configuration(former, folder, change, others)
    n_over = former.graph.n_over + len(change.changed) + len(change.gone)
    if configuration is not None or others != former.others or n_over > MOST_OVER:
        if configuration is None:
            configuration = former.configuration
        rules = resolvers(FolderTree(files, configuration))
        known = former.graph
        whole = {
            path: imports[path] if path in imports else known.imports_of(path)
            for path in folder.files
        }
        whole.update((path, whole[real]) for path, real in others.items())
        graph = BindingGraph(whole, rules, importing_family)
        return FolderBindings(folder, others, configuration, unreadable, unsettled, rules, graph)
    over: dict[str, FileImports | None] = {**imports, **dict.fromkeys(change.gone)}
    over.update((path, imports[real]) for path, real in others.items() if real in imports)
    rules = former.resolvers
    moved = change.gone | change.new
    if moved:
        rules = resolvers(FolderTree(files, former.configuration))
    graph = former.graph.with_changes(over, rules, moved)
    return replace(
        former, folder=folder, unreadable=unreadable, unsettled=unsettled, resolvers=rules,
        graph=graph,
    )  # fmt: skip


def _configuration(
    former: FolderBindings,
    folder: FolderView,
    change: FolderChange,
    others: Mapping[str, str],
) -> Mapping[str, bytes] | None:
    """The texts that resolvers need, None where they are as they were."""
    known = former.configuration
    read = [path for path in change.changed if reads_as_configuration(path) or path in known]
    gone = [path for path in change.gone if path in known]
    moved = bool(change.gone or change.new)
    if not (read or gone or moved):
        return None
    texts = {
        path: known[path] for path in known if path in folder.files and path not in change.changed
    }
    texts.update(texts_at(folder.reader, read))
    texts.update((path, texts[real]) for path, real in others.items() if real in texts)
    add_needed({*folder.files, *others}, texts, folder.reader)
    if not (read or gone) and texts.keys() == known.keys():
        return None
    return texts


class _TextsOnDisk(Mapping[str, bytes]):
    """Texts of files, each read when it is asked for; one that cannot be read is empty."""

    def __init__(self, reader: Reader, paths: Collection[str]) -> None:
        self._reader, self._paths = reader, dict.fromkeys(paths)
        self._texts: dict[str, bytes] = {}

    def __getitem__(self, path: str) -> bytes:
        if path not in self._paths:
            raise KeyError(path)
        if path not in self._texts:
            self._texts[path] = texts_at(self._reader, (path,)).get(path, b"")
        return self._texts[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
