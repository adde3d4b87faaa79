"""Owner of who binds what: imports are read once a file state and kept as graphs."""

from __future__ import annotations

import asyncio
import functools
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from understudy.dependents.bindings import BindingGraph, dependents
from understudy.dependents.changes import OutsideChange
from understudy.dependents.families import family_of, importing_family, reads_as_configuration
from understudy.dependents.propagation import reached
from understudy.dependents.reach import Reach
from understudy.dependents.readers import resolvers
from understudy.dependents.resolvers.model import FolderTree
from understudy.langserver.waiting import all_of
from understudy.shadow.folder import FolderView, Reader
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.grammars import why_no_grammars
from understudy.syntax.model import NO_IMPORTS, FileImports
from understudy.values.errors import OutsideFailure
from understudy.values.texts import PackedText
from understudy.workspace.folder_bindings import (
    TICK_NS,
    BatchReading,
    FolderBindings,
    batches,
    configuration_of,
    imports_in_text,
    imports_on_disk,
    is_settled,
    lay_over,
)
from understudy.workspace.folder_renewal import (
    change_since,
    nothing_known,
    of_kept,
    renewed,
    to_keep,
)
from understudy.workspace.kept_bindings import read_bindings, write_bindings
from understudy.workspace.other_paths import by_all_paths, reach_of_files, real_path
from understudy.workspace.snapshot_sources import ReadingCache, SnapshotSources, imports_read
from understudy.workspace.workers import Workers

_BATCH_SECONDS = 20.0
_KEPT = 2048
_MOST_UNKEPT = 16
"""Files that a new process reads again at most, as the kept index has another state of them."""

_KEPT_GRAPHS = 4
"""Those of a check's two snapshots, and of another check's: each is asked for file by file."""


async def anybody() -> bool:
    """Nobody knows who is asked: one of them may infer results."""
    return True


class BindingIndex:
    """Gives the binding graph of a snapshot; only files that changed are read again."""

    def __init__(self, workers: Workers, file: Path | None = None, tick_ns: int = TICK_NS) -> None:
        """`file` is where the index is kept for other processes, None for nowhere.

        `tick_ns` is within how much time two changes of a file may look like one.
        """
        self._workers = workers
        self._file = file
        self._tick_ns = tick_ns
        self._n_unkept = 0
        self._keeping: asyncio.Future[None] | None = None
        self._state: FolderBindings | None = None
        self._texts: OrderedDict[tuple[str, str], FileImports | None] = OrderedDict()
        self._readings = ReadingCache()
        self._turn = asyncio.Lock()
        self._laid: deque[tuple[Snapshot, FolderBindings, frozenset[str], BindingGraph]] = deque(
            maxlen=_KEPT_GRAPHS
        )
        """Snapshots, with the folder's state that their edits were laid over, and more files."""

    @property
    def n_graphs(self) -> int:
        """How many graphs are kept; none until a change can be seen from another file."""
        return len(self._laid)

    async def reached(
        self,
        before: Snapshot,
        after: Snapshot,
        changed: Collection[str],
        infers: Callable[[], Awaitable[bool]] = anybody,
    ) -> Mapping[str, Reach]:
        """Every file that the difference of two snapshots can reach through these files.

        A file that cannot be read may import anything of its family, so it is the farthest.
        `infers` says whether somebody infers the result of a function from its body.
        """
        paths = by_all_paths((before, after), changed)
        sources = self.sources(before, after)
        changes = await asyncio.to_thread(_changes, sources, paths)
        if not any(map(_is_seen, changes.values())):
            return {path: Reach(0) for path in changed}  # nobody's imports matter then
        graphs = (await self._graph(before, paths))[1], (await self._graph(after, paths))[1]
        if not await infers():
            sources = SnapshotSources(before, after, self._readings, infers=False)
            changes = await asyncio.to_thread(_changes, sources, paths)
        try:
            found = await asyncio.to_thread(reached, graphs, changes, sources)
        except asyncio.CancelledError:
            sources.stop()  # a thread cannot be cancelled: whoever waits for its end, waits for it
            raise
        found = reach_of_files((before, after), graphs, paths, found)
        return {**self._unreadable_of((before, after), paths, found), **found}

    async def distances(
        self, snapshots: Sequence[Snapshot], targets: Iterable[str]
    ) -> Mapping[str, int]:
        """Every file that depends on a target in any of the snapshots, whatever it takes."""
        found: dict[str, int] = {}
        for path, distance in (await self._distances(snapshots, targets)).items():
            real = real_path(snapshots, path)
            found[real] = min(distance, found.get(real, distance))
        return found

    async def _distances(
        self, snapshots: Sequence[Snapshot], targets: Iterable[str]
    ) -> Mapping[str, int]:
        """The same by all paths of the files."""
        listed = by_all_paths(snapshots, targets)
        graphs = [await self._graph_with(snapshot, listed) for snapshot in snapshots]
        found = dependents(graphs, listed)
        far = self._unreadable_of(snapshots, listed, found)
        return {**{path: reach.distance for path, reach in far.items()}, **found}

    async def importers_of(
        self, snapshot: Snapshot, targets: Iterable[str]
    ) -> Mapping[str, frozenset[str]]:
        """For each target the files that import it themselves, or would if all were there."""
        listed = list(targets)
        graph = await self._graph_with(snapshot, by_all_paths([snapshot], listed))
        return {
            target: frozenset(
                real_path([snapshot], importer)
                for path in by_all_paths([snapshot], [target])
                for importer in graph.importers(path)
            )
            for target in listed
        }

    def sources(self, before: Snapshot, after: Snapshot) -> SnapshotSources:
        """The texts of two snapshots, with what was read of them already."""
        return SnapshotSources(before, after, self._readings)

    async def dependents_of(
        self, snapshots: Sequence[Snapshot], targets: Iterable[str]
    ) -> frozenset[str]:
        """Every file that depends on a target in any of the snapshots, by all of its paths."""
        listed = list(targets)
        if not listed:
            return frozenset()
        found = await self._distances(snapshots, listed)
        return frozenset(by_all_paths(snapshots, found))

    async def graph_of(self, snapshot: Snapshot) -> BindingGraph:
        """The graph of a snapshot."""
        return (await self._graph(snapshot, ()))[1]

    async def taken_by(self, snapshot: Snapshot, path: str) -> frozenset[str]:
        """The files that one imports, over any number of others."""
        _, graph = await self._graph(snapshot, [path])
        found: set[str] = set()
        edge = {path}
        while edge:
            taken = {one.target for at in edge for one in graph.edges(at)}
            edge = {real_path([snapshot], one) for one in taken} - found
            found |= edge
        return frozenset(found)

    async def cargo_packages_reached(
        self, snapshots: Sequence[Snapshot], changed: Iterable[str]
    ) -> frozenset[str]:
        """The folders of the Cargo packages that a change of these files can break, in any."""
        from understudy.dependents.resolvers.cargo import packages_reached  # noqa: PLC0415 - Rust alone

        listed = sorted(changed)
        found: set[str] = set()
        for tree in await self._trees(snapshots, listed):
            for path in listed:
                found |= await asyncio.to_thread(packages_reached, tree, path)
        return frozenset(found)

    async def cargo_packages_bound(
        self, snapshots: Sequence[Snapshot], changed: Iterable[str]
    ) -> frozenset[str]:
        """The folders of those in all of which bindings say which files the change can break.

        None where a file comes or goes: what may look for it is written nowhere.
        """
        listed = sorted(changed)
        if not all(one.exists(path) for one in snapshots for path in listed):
            return frozenset()
        from understudy.dependents.resolvers.cargo import packages_bound  # noqa: PLC0415 - as above

        trees = await self._trees(snapshots, listed)
        found = [await asyncio.to_thread(packages_bound, tree, listed) for tree in trees]
        return frozenset(set[str].intersection(*found)) if found else frozenset()

    async def _trees(
        self, snapshots: Sequence[Snapshot], named: Collection[str]
    ) -> Sequence[FolderTree]:
        states = [(await self._graph(snapshot, named))[0] for snapshot in snapshots]
        return [
            FolderTree(state.files_in(snapshot), configuration_of(state, snapshot))
            for state, snapshot in zip(states, snapshots, strict=True)
        ]

    async def _graph_with(self, snapshot: Snapshot, targets: Collection[str]) -> BindingGraph:
        """The graph as it would be if all the targets were there."""
        state, graph = await self._graph(snapshot, targets)
        absent = [path for path in targets if not snapshot.exists(path)]
        if not absent:
            return graph
        files = {*state.files_in(snapshot), *absent}
        there = resolvers(FolderTree(files, configuration_of(state, snapshot)))
        return graph.with_changes({}, there, absent)

    async def _graph(
        self, snapshot: Snapshot, named: Iterable[str]
    ) -> tuple[FolderBindings, BindingGraph]:
        """The folder's state, and the graph with the snapshot's texts laid over it.

        `named` are files that count if they are there, though a scan leaves them out.
        """
        async with self._turn:
            state = self._state
            if state is None or state.folder is not snapshot.base.folder:
                state = self._state = await self._renewed(state, snapshot.base.folder)
            unscanned = frozenset(
                path for path in named if path not in state.folder.files and snapshot.exists(path)
            )
            if unscanned:
                unscanned -= frozenset(state.files_in(snapshot))
            for of, over, more, graph in self._laid:
                if of is snapshot and over is state and more == unscanned:
                    return state, graph
            imports = await self._overlaid(snapshot)
            graph = await asyncio.to_thread(lay_over, state, snapshot, imports, unscanned)
            self._laid.append((snapshot, state, unscanned, graph))
            return state, graph

    async def _renewed(self, former: FolderBindings | None, folder: FolderView) -> FolderBindings:
        """What the folder's files import now; files that are as they were are not read."""
        if former is None:
            former = await asyncio.to_thread(self._known, folder.reader)
        change = await asyncio.to_thread(change_since, former, folder)
        settling = [path for path in change.changed if reads_as_configuration(path)]
        readings = [BatchReading(dict.fromkeys(settling), time.time_ns())]
        found: dict[str, FileImports | None] = {}
        for batch in await all_of(
            self._read_batch(folder.reader, part) for part in batches(folder, change.changed)
        ):
            found.update(batch.imports)
            readings.append(batch)
        unsettled = {
            path
            for reading in readings
            for path in reading.imports
            if not is_settled(folder.files[path], reading.began_ns, self._tick_ns)
        }
        state = await asyncio.to_thread(
            renewed, former, folder, change, found, frozenset(unsettled)
        )
        self._n_unkept += len(change.changed) + len(change.gone)
        if self._n_unkept > _MOST_UNKEPT:
            await self._keep(state)
        return state

    def _known(self, reader: Reader) -> FolderBindings:
        kept = None if self._file is None else read_bindings(self._file)
        if kept is None:
            self._n_unkept = _MOST_UNKEPT + 1  # a folder of few files is kept, too
            return nothing_known(reader)
        return of_kept(kept, reader)

    async def _keep(self, state: FolderBindings) -> None:
        """Keep a state for other processes, when the one before is kept; nobody waits for it."""
        await self.close()
        self._n_unkept = 0
        if self._file is not None:
            work = functools.partial(_write, self._file, state)
            self._keeping = asyncio.get_running_loop().run_in_executor(None, work)

    async def close(self) -> None:
        """Wait until what is to be kept is on disk."""
        keeping, self._keeping = self._keeping, None
        if keeping is not None:
            await keeping

    async def _read_batch(self, reader: Reader, sizes: Mapping[str, int]) -> BatchReading:
        """The imports of each file; None where it cannot be read, or its reader was ended."""
        paths = list(sizes)
        try:
            if sum(sizes.values()) < self._workers.inline_below:
                return await self._workers.run(imports_on_disk, reader, paths, size=0)
            return await self._workers.run_elsewhere(
                imports_on_disk, reader, paths, seconds=_BATCH_SECONDS
            )
        except OutsideFailure:
            if len(paths) == 1:
                return BatchReading(dict.fromkeys(paths), 0)  # it may go better another time
        alone = [await self._read_batch(reader, {path: sizes[path]}) for path in paths]
        imports = {path: one for found in alone for path, one in found.imports.items()}
        return BatchReading(imports, min(found.began_ns for found in alone))

    async def _overlaid(self, snapshot: Snapshot) -> dict[str, FileImports | None]:
        """What the texts over the folder's files import; None for a file that is not there."""
        found: dict[str, FileImports | None] = {}
        fresh: dict[str, PackedText] = {}
        for path, text in snapshot.shown.items():
            if text is None:
                found[path] = None
            elif (path, text.digest) in self._texts:
                self._texts.move_to_end((path, text.digest))
                found[path] = self._texts[path, text.digest] or NO_IMPORTS
            elif (read := imports_read(self._readings, path, text)) is not None:
                found[path] = self._texts[path, text.digest] = read
            elif importing_family(path) is not None:
                fresh[path] = text
        for path, text in fresh.items():
            try:
                imports = await self._workers.run(imports_in_text, path, text, size=text.size)
            except OutsideFailure:  # its reader was ended: see `_unreadable_of`
                imports = None
            self._texts[path, text.digest] = imports
            found[path] = imports or NO_IMPORTS
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return found

    def _unreadable_of(
        self, snapshots: Iterable[Snapshot], targets: Iterable[str], found: Mapping[str, object]
    ) -> Mapping[str, Reach]:
        """The files that nobody could read: each may import anything of its family."""
        unreadable = set(self._state.unreadable) if self._state is not None else set[str]()
        for snapshot in snapshots:
            for path, text in snapshot.overlay.items():
                if text is not None and self._texts.get((path, text.digest), NO_IMPORTS) is None:
                    unreadable.add(path)
        if why_no_grammars() is not None and self._state is not None:
            unreadable.update(*map(self._state.files_in, snapshots))
        families = {family_of(target) for target in targets} - {None}
        far = Reach(1 + len(found))
        return {path: far for path in unreadable if importing_family(path) in families}


def _write(file: Path, state: FolderBindings) -> None:
    write_bindings(file, to_keep(state))  # where it cannot, the next process reads for longer


def _is_seen(change: OutsideChange | None) -> bool:
    """Whether another file can see a change."""
    return change is None or not change.is_inside


def _changes(sources: SnapshotSources, paths: Iterable[str]) -> dict[str, OutsideChange | None]:
    return {path: sources.change(path) for path in paths}
