"""What was written on a live stage, found by looking, and kept for the branch.

A file is taken when two looks agree on it; one that is written without a pause is taken now and
then all the same, if it stands still while it is read.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from understudy.disk.folder.scan import PRUNED
from understudy.stage.live import Looked, Sighting, Sightings
from understudy.values.errors import BadInput
from understudy.values.texts import Text
from understudy.workspace.rehearsals.bases import LOST, base_among, possible
from understudy.workspace.rehearsals.ledger import Known, Ledger, digest_of
from understudy.workspace.rehearsals.place import Change, RehearsalPlace
from understudy.workspace.rehearsals.user_files import UserFiles

OUR_PREFIX = ".understudy-"
"""What files of ours are called that lie on a stage for a moment."""
_NEVER_STILL_S = 1.0


@dataclass
class Sweeper:
    """Looks, and writes what it finds into the rehearsal's folder; one look at a time.

    `left_out` are the paths that differ in what no branch can hold, each with the reason.
    """

    stage: Looked
    place: RehearsalPlace
    ledger: Ledger
    files: UserFiles
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    last_change: float = field(default_factory=time.monotonic)
    """When a command was last seen to have written (monotonic, in s)."""
    _before: Mapping[str, Sighting] = field(default_factory=dict[str, Sighting])
    _since: dict[str, float] = field(default_factory=dict[str, float])
    _number: int = 0

    async def begin(self, given: Mapping[str, tuple[bytes | None, bytes | None]]) -> None:
        """Note what we have shown ourselves: path -> base, text shown."""
        self._number = self.place.next_number
        if given:
            found = await self.stage.sightings(enters)
            await self.noted(given, found)

    async def noted(
        self, given: Mapping[str, tuple[bytes | None, bytes | None]], found: Sightings
    ) -> None:
        """Write down texts that are on the stage by our own hand, as it was seen with them."""

        def write() -> None:
            self.ledger.note(
                [
                    (path, Known(self.ledger.keep(base), digest_of(shown), _mark(found, path)))
                    for path, (base, shown) in given.items()
                ]
            )

        await asyncio.to_thread(write)

    async def look(self, *, last: bool = False) -> int:
        """Look once; how many changes were written down. `last`: nobody writes any more."""
        found = await self.stage.sightings(enters)
        items = {p: s for p, s in found.items.items() if not _is_ours(p)}
        waiting = [path for path in items if self._has_news(path, items.get(path))]
        known = self.ledger.known
        waiting += [path for path, one in known.items() if one.mark and path not in items]
        now = time.monotonic()
        self._since = {path: self._since.get(path, now) for path in waiting}
        if waiting:
            self.last_change = now
        ready = [
            path
            for path in waiting
            if last
            or self._before.get(path) == items.get(path)
            or now - self._since[path] > _NEVER_STILL_S
        ]
        self._before = items
        changes: list[tuple[Change, Known]] = []
        for path in sorted(ready):
            change = await self._change(path, items.get(path))
            if change is not None:
                changes.append(change)
        if changes:
            await asyncio.to_thread(self._keep, changes)
        self.left_out |= found.skipped
        return len(changes)

    def _has_news(self, path: str, sighting: Sighting | None) -> bool:
        known = self.ledger.known.get(path)
        if sighting is None or known is None:
            return True
        return known.mark != _identity(sighting)

    async def _change(self, path: str, sighting: Sighting | None) -> tuple[Change, Known] | None:
        """What became of a path; None where it is to be looked at again."""
        known = self.ledger.known.get(path)
        if sighting is None:  # what stood there alone is gone, and nothing was below it
            after, mark, source, born_ns = None, (), None, 0
        elif sighting.kind == "gone":
            after, mark, source, born_ns = None, _identity(sighting), None, 0
        elif sighting.kind == "symlink":
            return self._refused(path, sighting, "a symbolic link")
        else:
            try:
                taken = await self.stage.taken(path)
                if taken is None:
                    return None
                Text.decode(taken.data, path)
            except BadInput as error:
                return self._refused(path, sighting, error.text)
            after, mark, source, born_ns = taken.data, taken.mark, taken.source, taken.born_ns
        self.left_out.pop(path, None)
        if known is not None:
            base, is_known = await asyncio.to_thread(self.ledger.base, path), known.is_base_known
        else:
            base, is_known = await asyncio.to_thread(self._base_of, path, after, source, born_ns)
        entry = Known(None, digest_of(after), mark, is_known)
        return Change(path, base, after, is_known), entry

    def _base_of(
        self, path: str, after: bytes | None, source: bytes | None, born_ns: int
    ) -> tuple[bytes | None, bool]:
        candidates = possible(self.files.versions(path), source, born_ns)
        now = self.files.now(path)
        if now is LOST:
            return None, False
        base, is_known = base_among(candidates, after, now)
        if is_known or after is not None:
            return base, is_known
        # A deletion of nobody knows what: of the oldest, so that it collides with what came later.
        oldest = next((one.data for one in candidates if one.data is not LOST), now)
        return oldest, True

    def _refused(self, path: str, sighting: Sighting, why: str) -> None:
        """Note what no branch can hold; it is looked at again when it changes."""
        self.left_out[path] = why
        known = self.ledger.known.get(path)
        base, after = (None, None) if known is None else (known.base, known.after)
        self.ledger.note([(path, Known(base, after, _identity(sighting)))])

    def _keep(self, changes: Iterable[tuple[Change, Known]]) -> None:
        """First the batch, then what we know: a batch that is written twice does no harm."""
        pairs = list(changes)
        told = [one for one, known in pairs if self._is_news(one.path, known)]
        entries = [
            (one.path, Known(self.ledger.keep(one.base), k.after, k.mark, k.is_base_known))
            for one, k in pairs
        ]
        if told:
            self.place.write_batch(self._number, tuple(told))
            self._number += 1
        self.ledger.note(entries)

    def _is_news(self, path: str, now: Known) -> bool:
        known = self.ledger.known.get(path)
        return known is None or known.after != now.after


def enters(folder: str) -> bool:
    """Whether a folder of the stage holds sources: not caches, packages, version control."""
    name = folder.rpartition("/")[2]
    return name not in PRUNED and not name.endswith(".egg-info")


def _identity(sighting: Sighting) -> tuple[int, ...]:
    return sighting.mark or (0,)


def _mark(found: Sightings, path: str) -> tuple[int, ...]:
    sighting = found.items.get(path)
    return () if sighting is None else _identity(sighting)


def _is_ours(path: str) -> bool:
    return os.path.basename(path).startswith(OUR_PREFIX)  # noqa: PTH119 - names of any bytes
