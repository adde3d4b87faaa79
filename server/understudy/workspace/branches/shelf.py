"""Which branches there are: in memory, each with its lock, and in the archive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from understudy.shadow.branch import Branch, BranchFile
from understudy.shadow.called import as_title, called, own_paths
from understudy.values.errors import BadInput, NotPutBack, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.workspace.branches.parts import Taken
from understudy.workspace.branches.reports import BranchSummary, Parted
from understudy.workspace.tasks import Tasks

if TYPE_CHECKING:  # a check on the command line has no journal, so it should not load SQLite
    from understudy.disk.journal.journal import Archived, Ended, Journal
    from understudy.workspace.branches.accept_record import AcceptRecord

DAY = 86_400.0


@frozen
class Expiry:
    """After how many days a branch goes into the archive unused, and how long it stays there."""

    unused_days: float = 14
    archived_days: float = 90


DEFAULT_EXPIRY = Expiry()


@dataclass
class Kept:
    """A branch in memory. `lock` is held by whoever changes it; readers need none."""

    branch: Branch
    used: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class BranchShelf:
    """Keeps the branches of a host; what it says is in the journal, if there is one."""

    def __init__(
        self,
        tasks: Tasks,
        journal: Journal | None,
        expiry: Expiry,
        clock: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._tasks = tasks
        self._journal = journal
        self._expiry = expiry
        self._clock = clock
        self._on_change = on_change
        self._kept: dict[str, Kept] = {}
        self._archived: dict[str, Archived] = {}
        self._next_number = 1
        self._reviving = asyncio.Lock()
        self._unfinished: set[str] = set()
        """Branches with an accept that only the next start can end, by a plan in the journal."""

    async def load(self) -> None:
        """Take over what the journal holds."""
        if self._journal is None:
            return
        held = await self._journal.load()
        self._kept = {branch.id: Kept(branch, branch.used) for branch in held.branches}
        self._archived = {entry.id: entry for entry in held.archived}
        self._next_number = held.next_number
        self._unfinished = {accept.branch for accept in await self._journal.begun_accepts()}

    async def add(self, title: str, like: Branch | None = None) -> Branch:
        """Make a branch under the next name: empty, or with the edits of another one."""
        now = self._clock()
        branch = Branch(f"b{self._next_number}", title, created=now, used=now)
        if like is not None:
            branch = replace(branch, files=like.files, revision=like.revision)
        self._next_number += 1
        if self._journal is not None:
            await self._journal.record(None, branch)
        self._kept[branch.id] = Kept(branch, now)
        self._on_change()
        return branch

    async def find(self, branch_id: str) -> Kept:
        """The branch of that name, used now; an expired one comes back from the archive."""
        kept = self._kept.get(branch_id)
        if kept is None:
            archived = self._archived.get(branch_id)
            if archived is None:
                raise BadInput("unknown-branch", "there is no such branch", branch_id)
            if archived.ended != "expired":
                raise BadInput("unknown-branch", f"the branch was {archived.ended}", branch_id)
            kept = await self.revive(branch_id)
        kept.used = self._clock()
        return kept

    @asynccontextmanager
    async def held(self, branch_id: str) -> AsyncGenerator[Kept, None]:
        """The branch, for the caller alone to change."""
        while True:
            kept = await self.find(branch_id)
            async with kept.lock:
                # It may have been put away while we waited; then the next look says so.
                if self._kept.get(branch_id) is kept:
                    yield kept
                    return

    async def keep(self, kept: Kept, after: Branch, edits: object) -> None:
        """Keep a held branch's new state, and the edits as they were sent, first in the journal."""
        if self._journal is not None:
            await self._journal.record(kept.branch, after, edits)
        kept.branch = after
        self._on_change()

    async def rename(self, branch_id: str, title: str) -> Branch:
        """Give a branch another title: its texts, and what was judged of them, stay."""
        async with self.held(branch_id) as kept:
            await self.keep(kept, replace(kept.branch, title=title), None)
            return kept.branch

    async def put_away(self, kept: Kept, ended: Ended) -> None:
        """Put a held branch into the archive; without a journal it is gone.

        Raises Refused `accept-unfinished`.
        """
        branch = kept.branch
        self.refuse_unfinished(branch.id)
        if self._journal is not None:
            from understudy.disk.journal.journal import Archived  # noqa: PLC0415 - it is loaded by then

            now = self._clock()
            await self._journal.archive(branch.id, now, ended)
            self._archived[branch.id] = Archived(
                branch.id, branch.title, branch.created, kept.used, branch.revision,
                len(own_paths(branch.files)), now, ended,
            )  # fmt: skip
        del self._kept[branch.id]
        self._on_change()

    def refuse_unfinished(self, branch_id: str) -> None:
        """Raise Refused `accept-unfinished` while the plan of an accept has to be kept."""
        if branch_id in self._unfinished:
            from understudy.disk.journal.accepts import unfinished  # noqa: PLC0415 - as above

            raise unfinished(branch_id)

    @asynccontextmanager
    async def recording(self, taken: Taken) -> AsyncGenerator[AcceptRecord | None, None]:
        """Keep what an accept does in the journal while the body runs; an error has undone it.

        NotPutBack, and whatever else ends the body, leave it there for the next start.
        """
        if self._journal is None:
            yield None
            return
        from understudy.workspace.branches.accept_record import AcceptRecord  # noqa: PLC0415 - as above

        record = AcceptRecord(self._journal, taken)
        try:
            yield record
        except BaseException as error:  # whatever it is: its plan counts until it is taken back
            if record.has_begun:
                self._unfinished.add(record.branch)
                if isinstance(error, NotPutBack):
                    text = f"{error.text}; the next start tries again"
                    raise NotPutBack(error.code, text, error.where) from error
                if isinstance(error, UnderstudyError):
                    await self._forget(record, error)
            raise

    async def _forget(self, record: AcceptRecord, error: UnderstudyError) -> None:
        """An accept was taken back; should the journal not take that, the user is told."""
        assert self._journal is not None
        try:
            await self._journal.forget_accept(record.branch)
            self._unfinished.discard(record.branch)
        except UnderstudyError as again:
            if record.is_prepared:  # else the next start finds that there is nothing to do
                text = f"{error.text}; the next start will try it once more, as {again.text}"
                raise OutsideFailure("accept-failed", text, error.where) from error

    async def part_from(
        self, kept: Kept, after: Branch, files: Mapping[str, BranchFile], ended: Ended
    ) -> Parted:
        """Keep a held branch without a part, which goes into the archive under a name of its own.

        A branch that nothing is left of is put away itself. Without a journal the part is gone.
        Raises Refused `accept-unfinished`.
        """
        self.refuse_unfinished(kept.branch.id)
        if not after.files:
            archived = kept.branch.id if self._journal is not None else None
            await self.put_away(kept, ended)
            return Parted(None, archived)
        if self._journal is None:
            kept.branch = after
            self._on_change()
            return Parted(after, None)
        from understudy.disk.journal.journal import Archived  # noqa: PLC0415 - it is loaded by then

        now = self._clock()
        name, self._next_number = f"b{self._next_number}", self._next_number + 1
        title = as_title(f"{ended} from {after.id}: {called(after.title, files)}")
        title = title.removesuffix(":")
        part = Branch(name, title, now, now, MappingProxyType(dict(files)), 1)
        await self._journal.split(kept.branch, after, part, now, ended)
        kept.branch = after
        self._archived[name] = Archived(
            name, title, now, now, 1, len(own_paths(part.files)), now, ended
        )
        self._on_change()
        return Parted(after, name)

    async def revive(self, branch_id: str) -> Kept:
        """Take a branch out of the archive, for whatever reason it is there."""
        return await self._tasks.complete(self._revive(branch_id), f"revive {branch_id}")

    async def expire(self) -> tuple[list[str], list[str]]:
        """Archive what is unused for long, delete what is archived for long; returns both ids."""
        now = self._clock()
        expired: list[str] = []
        for kept in sorted(self._kept.values(), key=lambda kept: number_of(kept.branch.id)):
            async with kept.lock:
                unused = now - kept.used > self._expiry.unused_days * DAY
                is_free = kept.branch.id not in self._unfinished
                if unused and is_free and self._kept.get(kept.branch.id) is kept:
                    await self.put_away(kept, "expired")
                    expired.append(kept.branch.id)
        if self._journal is None:
            return expired, []
        await self._journal.set_used({name: kept.used for name, kept in self._kept.items()})
        deleted = await self._journal.purge(now - self._expiry.archived_days * DAY)
        for branch_id in deleted:
            self._archived.pop(branch_id, None)
        if deleted:
            self._on_change()
        return expired, list(deleted)

    def all(self) -> list[Branch]:
        """The branches in memory, in the order of their creation."""
        branches = (kept.branch for kept in self._kept.values())
        return sorted(branches, key=lambda branch: number_of(branch.id))

    def summaries(self, archived: bool) -> list[BranchSummary]:
        """The branches in the order of their creation, with the archived ones if asked for."""
        found = [
            BranchSummary(
                b.id,
                b.title,
                b.created,
                kept.used,
                b.revision,
                len(own_paths(b.files)),
                n_asks=len(b.asks),
                called=called(b.title, b.files),
            )
            for kept in self._kept.values()
            for b in (kept.branch,)
        ]
        if archived:
            found += [
                BranchSummary(
                    a.id,
                    a.title,
                    a.created,
                    a.used,
                    a.revision,
                    a.n_files,
                    a.archived,
                    a.ended,
                    called=called(a.title, {}),
                )
                for a in self._archived.values()
            ]
        return sorted(found, key=lambda summary: number_of(summary.id))

    async def _revive(self, branch_id: str) -> Kept:
        async with self._reviving:
            if branch_id in self._kept:
                return self._kept[branch_id]
            if self._journal is None or branch_id not in self._archived:
                raise BadInput("unknown-branch", "there is no such branch", branch_id)
            branch = await self._journal.revive(branch_id, self._clock())
            del self._archived[branch_id]
            self._kept[branch_id] = Kept(branch, branch.used)
            self._on_change()
            return self._kept[branch_id]


def number_of(branch_id: str) -> int:
    """The number in a branch's name: its place in the order of creation."""
    return int(branch_id[1:])
