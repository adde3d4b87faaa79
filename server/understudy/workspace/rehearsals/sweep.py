"""What was written on a live stage, found by looking, and kept for the branch.

A file is taken when two looks agree on it; one that is written without a pause is taken now and
then all the same, if it stands still while it is read.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from understudy.disk.folder.scan import PRUNED
from understudy.stage.live import FileMark, Looked, SeenPath, Sightings
from understudy.stage.overlay.replace import NAME_PREFIX
from understudy.values.errors import BadInput, Refused
from understudy.values.texts import Text
from understudy.workspace.rehearsals.bases import LOST, SOON_NS, Version, base_among, possible
from understudy.workspace.rehearsals.ledger import Intent, Known, Ledger, digest_of
from understudy.workspace.rehearsals.place import Change, RehearsalPlace
from understudy.workspace.rehearsals.user_files import UserFiles

_NEVER_STILL_S = 1.0
_NO_ONES = b"(Nobody has kept the text that was deleted here.)\n"
"""Stands for a text that is lost: the user has no such file."""
NO_FILE: FileMark = (0,)
"""The mark of a path where the stage hides a file, and of none that there is."""


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
    rebased: dict[str, tuple[int, bytes | None]] = field(default_factory=lambda: {})
    """Path -> when a merge was put there (ns since 1970), and the base that its edit had before."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by who looks, or changes what is there to be seen."""
    _before: Mapping[str, SeenPath] = field(default_factory=dict[str, SeenPath])
    _since: dict[str, float] = field(default_factory=dict[str, float])
    _number: int = 0
    _began_ns: int = field(default_factory=time.time_ns)

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

    async def is_touched(self, path: str) -> bool:
        """Whether commands have written to a path, also a moment ago; the caller has the turn."""
        sighting = (await self.stage.sightings(enters)).items.get(path)
        known = self.ledger.known.get(path)
        is_edited = known is not None and known.after != known.base
        return is_edited or self.is_news(path, sighting)

    async def look(self, *, last: bool = False) -> int:
        """Look once; how many changes were written down. `last`: nobody writes any more."""
        async with self.turn:
            return await self._look(last=last)

    async def intend(self, puts: Iterable[tuple[Change, bytes | None]]) -> None:
        """Write down what we are about to put on the stage, each instead of a text that is there.

        The caller has the turn, and puts nothing where this raises.
        """
        pairs = list(puts)

        def write() -> None:
            kept = self.ledger.keep_all([one.base for one, _ in pairs])
            self.ledger.intend(
                (one.path, Intent(base, digest_of(one.after), digest_of(before)))
                for base, (one, before) in zip(kept, pairs, strict=True)
            )

        await asyncio.to_thread(write)

    async def settled(
        self, puts: Iterable[tuple[Change, FileMark]], unmeant: Iterable[str] = ()
    ) -> None:
        """Write down what we have put on the stage ourselves, and where we intend nothing any more.

        The caller has the turn.
        """
        now_ns = time.time_ns()
        known = [
            (one, Known(None, digest_of(one.after), mark, put_ns=now_ns)) for one, mark in puts
        ]
        await asyncio.to_thread(self._keep, known, unmeant)

    def is_news(self, path: str, sighting: SeenPath | None) -> bool:
        """Whether a command has written there since it was last taken."""
        known = self.ledger.known.get(path)
        if sighting is None or known is None:
            return sighting is not None or bool(known and known.mark not in ((), NO_FILE))
        return known.mark != _identity(sighting)

    async def _look(self, *, last: bool) -> int:
        found = await self.stage.sightings(enters)
        items = {p: s for p, s in found.items.items() if not _is_ours(p)}
        paths = [*items, *(self.ledger.known.keys() - items.keys())]
        waiting = [path for path in paths if self.is_news(path, items.get(path))]
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

    async def _change(self, path: str, sighting: SeenPath | None) -> tuple[Change, Known] | None:
        """What became of a path; None where no branch can hold it, or it is looked at again."""
        try:
            found = await self._became(path, sighting)
        except BadInput as error:
            return self._refused(path, sighting, error.text)
        if found is not None:
            self.left_out.pop(path, None)
        return found

    async def _became(self, path: str, sighting: SeenPath | None) -> tuple[Change, Known] | None:
        """The same; raises BadInput for what no branch can hold."""
        if sighting is None:  # what stood there alone is gone, and nothing was below it
            after, mark, source, born_ns = None, (), None, 0
        elif sighting.kind == "gone":
            after, mark, source, born_ns = None, _identity(sighting), None, 0
        elif sighting.kind == "symlink":
            raise Refused("symlink", "a symbolic link", path)
        else:
            taken = await self.stage.taken(path)
            if taken is None:
                return None
            after, mark, source, born_ns = taken.data, taken.mark, taken.source, taken.born_ns
        intent = self.ledger.intended.get(path)
        if intent is not None and digest_of(after) == intent.after:
            # We have put it there, and something hindered us to note that: it is nobody's edit.
            base = await asyncio.to_thread(self.ledger.text, intent.base)
            return Change(path, base, after), Known(None, intent.after, mark, put_ns=self._began_ns)
        if after is not None:
            Text.decode(after, path)
        if sighting is not None:
            self.files.root.relative(path)
        written_ns = mark[3] if len(mark) > 3 else time.time_ns()
        candidates = await self._candidates(path, sighting, source, born_ns, written_ns)
        if intent is not None and not source and digest_of(after) != intent.instead_of:
            # It may be of what we were about to put there, or have put there.
            text = await asyncio.to_thread(self.ledger.text, intent.base)
            candidates = (*candidates, Version(text, None, 0)) if candidates else ()
        base, is_known = await asyncio.to_thread(self._base_among, path, candidates, after)
        is_hidden = sighting is not None and sighting.kind == "gone" and self.files.has_come(path)
        if is_hidden and candidates and not is_known and not _was_seen(candidates):
            # It came into a folder that a command has removed: the user's, and it comes in again.
            return Change(path, None, None), Known(None, None, mark)
        if base is not None:
            _refuse_base(base, path)
        entry = Known(None, digest_of(after), mark, is_known)
        return Change(path, base, after, is_known or base is not None), entry

    async def _candidates(
        self,
        path: str,
        sighting: SeenPath | None,
        source: bytes | None,
        born_ns: int,
        at_ns: int,
    ) -> tuple[Version, ...]:
        """The texts that what was written at a time may be an edit of; none: nobody can tell."""
        if self._was_put_by_another(path, at_ns):
            return ()  # by one that was killed: nobody remembers what was there just before
        if self._is_of_users(path, sighting):
            until_ns = self.stage.followed_until_ns
            return possible(self.files.versions(path), source, born_ns, at_ns, until_ns)
        return await asyncio.to_thread(self._bases_known, path, at_ns)

    def _is_of_users(self, path: str, sighting: SeenPath | None) -> bool:
        """Whether what stands there is an edit of the user's file, not of a text that we noted."""
        known = self.ledger.known.get(path)
        if known is None or (known.after == known.base and self.files.has_moved(path)):
            return True
        # Nobody could tell the base while there was no text; of the text, it may be told.
        return sighting is not None and known.after is None and not known.is_base_known

    def _was_put_by_another(self, path: str, written_ns: int) -> bool:
        """Whether a process before this one has put a text there, just before it was written to."""
        known = self.ledger.known.get(path)
        if known is None or known.put_ns > self._began_ns:
            return False
        return written_ns < known.put_ns + SOON_NS

    def _bases_known(self, path: str, written_ns: int) -> tuple[Version, ...]:
        """The base that an edit has had, and the one before where that was just now."""
        known = self.ledger.known[path]
        if not known.is_base_known:
            return ()
        base = Version(self.ledger.base(path), None, 0)
        at, before = self.rebased.get(path, (0, None))
        return (Version(before, None, 0), base) if written_ns < at + SOON_NS else (base,)

    def _base_among(
        self, path: str, candidates: tuple[Version, ...], after: bytes | None
    ) -> tuple[bytes | None, bool]:
        now = self.files.now(path)
        if now is LOST:
            return None, False
        base, is_known = base_among(candidates, after, now)
        if is_known or after is not None or not candidates:
            return base, is_known
        # A deletion of nobody knows what: of the oldest, so that it collides with what came later,
        # and where nobody has kept that, of a text that collides with whatever the user has there.
        return _NO_ONES if candidates[0].data is LOST else candidates[0].data, False

    def _refused(self, path: str, sighting: SeenPath | None, why: str) -> None:
        """Note what no branch can hold; it is looked at again when it changes."""
        self.left_out[path] = why
        known = self.ledger.known.get(path)
        before = known or Known(None, None, (), is_base_known=False)
        mark = () if sighting is None else _identity(sighting)
        self.ledger.note([(path, replace(before, mark=mark))])

    def _keep(self, changes: Iterable[tuple[Change, Known]], unmeant: Iterable[str] = ()) -> None:
        """First the batch, then what we know: a batch that is written twice does no harm."""
        pairs = list(changes)
        told = [one for one, known in pairs if self._says_more(one, known)]
        entries = [
            (one.path, replace(known, base=self.ledger.keep(one.base))) for one, known in pairs
        ]
        if told:
            self.place.write_batch(self._number, tuple(told))
            self._number += 1
        self.ledger.note(entries, unmeant)

    def _says_more(self, change: Change, now: Known) -> bool:
        known, base = self.ledger.known.get(change.path), digest_of(change.base)
        if known is None:
            return now.after != base
        return (known.after, known.base) != (now.after, base)


def enters(folder: str) -> bool:
    """Whether a folder of the stage holds sources: not caches, packages, version control."""
    name = folder.rpartition("/")[2]
    return name not in PRUNED and not name.endswith(".egg-info")


def _was_seen(candidates: Iterable[Version]) -> bool:
    """Whether the stage is known to have shown one of these texts."""
    return any(one.data is not LOST and one.shown_ns is not None for one in candidates)


def _refuse_base(base: bytes, path: str) -> None:
    try:
        Text.decode(base, path)
    except BadInput as error:
        raise BadInput(error.code, f"your file is no text: {error.text}", path) from error


def _identity(sighting: SeenPath) -> tuple[int, ...]:
    return sighting.mark or NO_FILE


def _mark(found: Sightings, path: str) -> tuple[int, ...]:
    sighting = found.items.get(path)
    return () if sighting is None else _identity(sighting)


def _is_ours(path: str) -> bool:
    return os.path.basename(path).startswith(NAME_PREFIX)  # noqa: PTH119 - names of any bytes
