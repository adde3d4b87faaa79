"""Owner of what each file imports: read once a file state, kept as graphs for the blast radius."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence

from understudy.dependents.graph import ImportGraph, dependents
from understudy.dependents.imports import NOTHING, Imports, family_of, imports_of
from understudy.dependents.onlookers import kind_of
from understudy.dependents.packages import aliases_in, holds_aliases
from understudy.shadow.folder import Fingerprint, FolderView
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.texts import PackedText, Text

_SMALL = 200
_KEPT = 2048
_KEPT_GRAPHS = 4
"""Those of a check's two snapshots, and of another check's: each is asked for file by file."""

_Overlaid = tuple[Snapshot, ImportGraph, ImportGraph]


class ImportIndex:
    """Gives the import graph of a snapshot; only files that changed are read again."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[Fingerprint, Imports]] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}
        self._graph = ImportGraph({})
        self._of: FolderView | None = None
        self._texts: OrderedDict[tuple[str, str], Imports] = OrderedDict()
        self._unreadable: set[str] = set()
        self._turn = asyncio.Lock()
        self._overlaid: deque[tuple[Snapshot, ImportGraph, ImportGraph]] = deque(
            maxlen=_KEPT_GRAPHS
        )
        """Snapshots with the folder's graph, and that graph with their edits laid over it."""

    async def graph(self, snapshot: Snapshot) -> ImportGraph:
        """The graph over the folder with the snapshot's buffers and edits laid over it."""
        folder = snapshot.base.folder
        async with self._turn:
            if self._of is not folder:
                changed = _changed(self._read, folder)
                if len(changed) > _SMALL or len(folder.files) > 10 * _SMALL:
                    await asyncio.to_thread(self._renew, folder, changed)
                else:
                    self._renew(folder, changed)
            graph = self._graph
            for of, below, laid in self._overlaid:
                if of is snapshot and below is graph:
                    return laid
            if len(snapshot.overlay) > _SMALL:
                laid = await asyncio.to_thread(self._lay_over, graph, snapshot)
            else:
                laid = self._lay_over(graph, snapshot)
            self._overlaid.append((snapshot, graph, laid))
            return laid

    def _lay_over(self, graph: ImportGraph, snapshot: Snapshot) -> ImportGraph:
        over = {path: self._imports(path, text) for path, text in snapshot.overlay.items()}
        return graph.with_changes(over, {p for p, t in snapshot.overlay.items() if t is None})

    async def distances(
        self, snapshots: Sequence[Snapshot], targets: Iterable[str]
    ) -> Mapping[str, int]:
        """Every file that reaches a target in any of the snapshots, with its distance.

        A file that cannot be read may import anything of its language, so it is the farthest.
        """
        graphs = [await self.graph(snapshot) for snapshot in snapshots]
        listed = list(targets)
        found = dependents(graphs, listed)
        families = {family_of(target) for target in listed}
        far = 1 + max(found.values(), default=0)
        for path in self._unreadable:
            if not families.isdisjoint(_imports_from(path)):
                found.setdefault(path, far)
        return found

    async def importers_of(self, snapshot: Snapshot, target: str) -> frozenset[str]:
        """The files that import `target` themselves."""
        return frozenset((await self.graph(snapshot)).importers(target))

    async def onlookers(self, snapshot: Snapshot) -> Mapping[str, Imports]:
        """What the files import and mention that no server of the catalogue judges."""
        found = (await self.graph(snapshot)).onlookers()
        return {path: what for path, what in found.items() if snapshot.exists(path)}

    async def dependents_of(
        self, snapshots: Sequence[Snapshot], targets: Iterable[str]
    ) -> frozenset[str]:
        """Every file that reaches a target in any of the snapshots."""
        listed = list(targets)
        return frozenset(await self.distances(snapshots, listed)) if listed else frozenset()

    def _renew(self, folder: FolderView, changed: set[str]) -> None:
        aliases = self._aliases
        if self._of is None or any(map(holds_aliases, changed)):
            configs = [path for path in folder.files if holds_aliases(path)]
            aliases = aliases_in({path: _content(folder, path) or "" for path in configs})
        if aliases != self._aliases:
            self._aliases, self._texts = aliases, OrderedDict()
            changed = set(folder.files)
        kept = {p: entry for p, entry in self._read.items() if p in folder.files}
        unreadable = self._unreadable - changed
        for path in changed:
            if path in folder.files:
                content = _content(folder, path)
                kept[path] = (folder.files[path], imports_of(path, content or "", aliases))
                if content is None and _imports_from(path):
                    unreadable.add(path)
        if changed or len(kept) != len(self._read) or self._of is None:
            self._graph = ImportGraph({path: found for path, (_, found) in kept.items()})
        self._read, self._of, self._unreadable = kept, folder, unreadable

    def _imports(self, path: str, text: PackedText | None) -> Imports:
        if text is None:
            return NOTHING
        key = (path, text.digest)
        found = self._texts.get(key)
        if found is None:
            found = imports_of(path, text.unpack().content, self._aliases)
            self._texts[key] = found
            if len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        else:
            self._texts.move_to_end(key)
        return found


def _imports_from(path: str) -> tuple[str, ...]:
    """The families of the files that a file may import."""
    kind, family = kind_of(path), family_of(path)
    if kind is not None:
        return kind.families
    return () if family is None else (family,)


def _changed(read: Mapping[str, tuple[Fingerprint, Imports]], folder: FolderView) -> set[str]:
    kept = {path: mark for path, (mark, _) in read.items()}
    return {path for path, _ in kept.items() ^ folder.files.items()}


def _content(folder: FolderView, path: str) -> str | None:
    """The file's text for reading its imports only: not pinned. None: too large, or forbidden."""
    try:
        data = folder.reader.read(path)
    except BadInput:
        return None
    try:
        return "" if data is None else Text.decode(data).content
    except BadInput:
        return ""  # a binary imports nothing
