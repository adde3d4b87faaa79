"""The verb `map`: the most important declarations of a folder, within a budget of tokens.

Workers do all of it: one compares the folder with the last map, all of them read what is new, one
ranks and writes the text. A file that ends its worker is marked, and not read again until it
changes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from understudy.disk.map_cache import map_cache_file
from understudy.ranking.map_text import LEAST_BUDGET
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root
from understudy.values.texts import PackedText
from understudy.workspace.outlines.conclude import MapAnswer, MapWish, conclude
from understudy.workspace.outlines.survey import Look, Place, look, mark, survey
from understudy.workspace.progress import Progress, silent
from understudy.workspace.workers import Workers

DEFAULT_BUDGET = 4096
"""Tokens."""

FOLDER_SECONDS = 600.0
"""Limit for listing a folder, and for ranking it."""

_FILE_SECONDS, _SECONDS_A_MEGABYTE = 10.0, 5.0
_BATCH_BYTES, _BATCH_FILES = 384 * 1024, 64
log = logging.getLogger(__name__)


class Mapper:
    """Makes maps, one at a time: two of the same folder would read the same files."""

    def __init__(self, workers: Workers, cache: Path | None = None) -> None:
        self._workers = workers
        self._cache = cache
        self._turn = asyncio.Lock()

    async def map(
        self,
        root: Root,
        wish: MapWish,
        overlay: Mapping[str, PackedText | None] | None = None,
        progress: Progress = silent,
    ) -> MapAnswer:
        """The map of a folder, with `overlay` (path -> text, None for deleted) over its files.

        Raises BadInput `budget-too-small`, `unreadable-root`; OutsideFailure `cache-failed`, and
        what `Workers.run_elsewhere` raises if the folder as a whole is too much.
        """
        if wish.budget < LEAST_BUDGET:
            text = f"{wish.budget} tokens; a map needs {LEAST_BUDGET} or more"
            raise BadInput("budget-too-small", text, "budget")
        place = Place(root, self._cache or map_cache_file(), dict(overlay or {}))
        async with self._turn:
            seen = await self._workers.run_elsewhere(look, place, seconds=FOLDER_SECONDS)
            if seen.new:
                await _Survey(self._workers, place, seen, progress).run()
            return await self._workers.run_elsewhere(
                conclude, place, wish, seen, seconds=FOLDER_SECONDS
            )


async def map_snapshot(
    mapper: Mapper,
    root: Root,
    snapshot: Snapshot,
    wish: MapWish,
    progress: Progress = silent,
) -> MapAnswer:
    """The map of a snapshot, or of the folder `wish.prefix` in it; raises as `Mapper.map` does."""
    prefix = wish.prefix
    below = root if not prefix else Root.open(root.absolute(prefix))
    overlay = {
        path[len(prefix) :]: text
        for path, text in snapshot.overlay.items()
        if path.startswith(prefix)
    }
    task = tuple(path.removeprefix(prefix) for path in wish.task)
    wish = replace(wish, task=task, name=prefix.rstrip("/") or ".")
    return await mapper.map(below, wish, overlay, progress)


async def map_folder(folder: Path, wish: MapWish, progress: Progress = silent) -> MapAnswer:
    """The map of a folder on disk, as `Mapper.map` makes it."""
    workers = Workers()
    try:
        return await Mapper(workers).map(Root.open(folder), wish, progress=progress)
    finally:
        await workers.close()


class _Survey:
    """Reads all new files, as many at a time as there are workers."""

    def __init__(self, workers: Workers, place: Place, seen: Look, progress: Progress) -> None:
        self._workers = workers
        self._place = place
        self._sizes = dict(seen.new)
        self._batches = _batches(seen.new)
        self._progress = progress
        self._n_done = 0

    async def run(self) -> None:
        self._report()
        try:
            await asyncio.gather(*(self._work() for _ in range(self._workers.number)))
        finally:
            self._batches.clear()  # where one has failed the others end, too

    async def _work(self) -> None:
        while self._batches:
            paths = self._batches.popleft()
            try:
                await self._survey(paths)
            except OutsideFailure as failure:
                if failure.code == "cache-failed":
                    raise
                paths = await self._mark(paths, failure.code)
            except Exception:  # a boundary: a defect of ours costs one text, not the map of all
                log.exception("a file could not be outlined")
                paths = await self._mark(paths, "failed")
            else:
                paths = ()
            if paths:
                self._batches.appendleft(paths)
            self._report()

    async def _survey(self, paths: Sequence[str]) -> None:
        n_bytes = sum(self._sizes[path] for path in paths)
        seconds = _FILE_SECONDS + _SECONDS_A_MEGABYTE * n_bytes / 2**20
        await self._workers.run_elsewhere(survey, self._with(paths), paths, seconds=seconds)
        self._n_done += len(paths)

    async def _mark(self, paths: tuple[str, ...], reason: str) -> tuple[str, ...]:
        """Mark the file that ended the survey; returns those behind it."""
        place = self._with(paths)
        marked = await self._workers.run_elsewhere(
            mark, place, paths, reason, seconds=FOLDER_SECONDS
        )
        n_over = len(paths) if marked is None else paths.index(marked) + 1
        self._n_done += n_over
        return paths[n_over:]

    def _with(self, paths: Sequence[str]) -> Place:
        """The place with what these files need."""
        overlay = self._place.overlay
        return replace(self._place, overlay={p: overlay[p] for p in paths if p in overlay})

    def _report(self) -> None:
        self._progress("reading sources", self._n_done, len(self._sizes))


def _batches(new: Sequence[tuple[str, int]]) -> deque[tuple[str, ...]]:
    """Files to read in one go, big ones first, so that no worker is left with one at the end."""
    batches: deque[tuple[str, ...]] = deque()
    paths: list[str] = []
    n_bytes = 0
    for path, size in sorted(new, key=lambda item: (-item[1], item[0])):
        if paths and (n_bytes + size > _BATCH_BYTES or len(paths) == _BATCH_FILES):
            batches.append(tuple(paths))
            paths, n_bytes = [], 0
        paths.append(path)
        n_bytes += size
    if paths:
        batches.append(tuple(paths))
    return batches
