"""The branches of a host and their one owner. Times are s since 1970."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar, cast

from understudy.app.branch_diff import diff_files
from understudy.app.branch_reports import BranchDiff, BranchSummary, Edited, RebaseReport
from understudy.app.branch_tree import BranchTree, apply_to_branch, changed_files
from understudy.app.rebase import Rebased, Rebaser, rename_source, unpacked
from understudy.app.tasks import Tasks
from understudy.app.workers import Workers
from understudy.disk.journal import Archived, Ended, Journal
from understudy.edits.draft import sound
from understudy.edits.model import Edit, parse_edits
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch, BranchFile
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.stamps import Stamp
from understudy.values.texts import PackedText, Text

T = TypeVar("T")
DAY = 86_400.0
MAX_TITLE = 200


@dataclass(frozen=True)
class Expiry:
    """After how many days a branch goes into the archive unused, and how long it stays there."""

    unused_days: float = 14
    archived_days: float = 90


@dataclass
class _Kept:
    """A branch in memory. `lock` is held by whoever changes it; readers need none."""

    branch: Branch
    used: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class BranchBook:
    """Owns the branches: every change goes through here, one at a time for each branch.

    A change is in the journal before the verb returns. Without a journal (an ephemeral check)
    branches live as long as the book.
    """

    def __init__(
        self,
        root: Root,
        tasks: Tasks,
        workers: Workers,
        journal: Journal | None = None,
        *,
        expiry: Expiry = Expiry(),
        clock: Callable[[], float] = time.time,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.root = root
        self._tasks = tasks
        self._workers = workers
        self._journal = journal
        self._expiry = expiry
        self._clock = clock
        self._on_change = on_change
        self._rebaser = Rebaser(workers)
        self._kept: dict[str, _Kept] = {}
        self._archived: dict[str, Archived] = {}
        self._next_number = 1
        self._reviving = asyncio.Lock()

    async def load(self) -> None:
        """Take over what the journal holds; call it once, before anything else."""
        if self._journal is None:
            return
        held = await self._journal.load()
        self._kept = {branch.id: _Kept(branch, branch.used) for branch in held.branches}
        self._archived = {entry.id: entry for entry in held.archived}
        self._next_number = held.next_number

    async def create(self, title: str) -> Branch:
        """Make an empty branch; raises BadInput `bad-title`."""
        if len(title) > MAX_TITLE or not title.isprintable():
            raise BadInput("bad-title", f"a title is one line of at most {MAX_TITLE} characters")
        now = self._clock()
        branch = Branch(f"b{self._next_number}", title, created=now, used=now)
        self._next_number += 1
        return await self._tasks.complete(self._create(branch), "create branch")

    async def edit(
        self, branch_id: str, edits: object, base: Base, if_stamp: Stamp | None = None
    ) -> Edited:
        """Apply a batch of edits (JSON values, see PROTOCOL.md) whole or not at all.

        Raises BadInput: `unknown-branch`, `stale-stamp`, and all that `parse_edits` and
        `apply_edits` raise; Conflict where the base has moved under an edited path and does not
        merge; Moved as reading the base does.
        """
        parsed = parse_edits(edits)
        work = self._edit(branch_id, edits, parsed, base, if_stamp)
        return await self._tasks.complete(work, f"edit {branch_id}")

    async def rebase(
        self, branch_id: str, base: Base, resolve: Mapping[str, str | None] | None = None
    ) -> RebaseReport:
        """Merge what moved in the base into the branch; conflicting paths stay as they are.

        `resolve` settles conflicting paths with a text that its author wrote knowing both sides
        (None: delete). Raises BadInput `unknown-branch`, `no-conflict`; Moved.
        """
        work = self._rebase(branch_id, base, resolve or {})
        return await self._tasks.complete(work, f"rebase {branch_id}")

    async def snapshot(self, branch_id: str, base: Base) -> Snapshot:
        """The branch over the base as it is now, with moved files merged; changes nothing.

        Raises BadInput `unknown-branch`; Moved.
        """
        branch = await self.get(branch_id)
        return (await self._rebaser.rebase(branch, base)).snapshot(base)

    async def diff(self, branch_id: str, base: Base) -> BranchDiff:
        """The branch's edits as a git-style diff against the base as it is now.

        Raises BadInput `unknown-branch`; Moved.
        """
        branch = await self.get(branch_id)
        return await diff_files(await self._rebaser.rebase(branch, base), self._workers)

    async def get(self, branch_id: str) -> Branch:
        """The branch as it is; an expired one comes back from the archive.

        Raises BadInput `unknown-branch`.
        """
        return (await self._find(branch_id)).branch

    def summaries(self, archived: bool = False) -> list[BranchSummary]:
        """All branches in the order of their creation, with the archived ones if asked for."""
        found = [
            BranchSummary(b.id, b.title, b.created, kept.used, b.revision, len(b.files))
            for kept in self._kept.values()
            for b in (kept.branch,)
        ]
        if archived:
            found += [
                BranchSummary(
                    a.id, a.title, a.created, a.used, a.revision, a.n_files, a.archived, a.ended
                )
                for a in self._archived.values()
            ]
        return sorted(found, key=lambda summary: int(summary.id[1:]))

    async def discard(self, branch_id: str, ended: Ended = "discarded") -> None:
        """Put a branch away; `restore` brings it back while the archive keeps it.

        Raises BadInput `unknown-branch`.
        """
        await self._tasks.complete(self._discard(branch_id, ended), f"discard {branch_id}")

    async def hand_over(
        self, branch_id: str, base: Base, take: Callable[[Rebased], Awaitable[T]]
    ) -> T:
        """Give the branch's files, fitted to the base, to `take`; once it has them, put it away.

        Raises BadInput `unknown-branch`; Moved; what `take` raises, and then the branch stays.
        """
        work = self._hand_over(branch_id, base, take)
        return await self._tasks.complete(work, f"accept {branch_id}")

    async def restore(self, branch_id: str) -> Branch:
        """Bring a discarded or accepted branch back; raises BadInput `unknown-branch`."""
        revived = await self._tasks.complete(self._revive(branch_id), f"restore {branch_id}")
        return revived.branch

    async def expire(self) -> tuple[list[str], list[str]]:
        """Archive what is unused for long, delete what is archived for long; returns both ids."""
        return await self._tasks.complete(self._expire(), "expire branches")

    async def _create(self, branch: Branch) -> Branch:
        if self._journal is not None:
            await self._journal.record(None, branch)
        self._kept[branch.id] = _Kept(branch, branch.used)
        self._on_change()
        return branch

    async def _edit(
        self,
        branch_id: str,
        raw: object,
        edits: tuple[Edit, ...],
        base: Base,
        if_stamp: Stamp | None,
    ) -> Edited:
        async with self._held(branch_id) as kept:
            branch = kept.branch
            if if_stamp is not None and if_stamp != branch.stamp:
                raise BadInput(
                    "stale-stamp", f"the branch has the stamp {branch.stamp} by now", branch_id
                )
            rebased = await self._rebaser.rebase(branch, base)
            tree = BranchTree(self.root, rebased, base, self._workers.inline_below)
            changes = await apply_to_branch(edits, _size_of(raw), tree, self._workers)
            files = changed_files(changes, rebased, tree)
            await self._keep(kept, branch.with_files(files, self._clock()), raw)
            return Edited(kept.branch, tuple(sorted(changes)))

    async def _rebase(
        self, branch_id: str, base: Base, resolve: Mapping[str, str | None]
    ) -> RebaseReport:
        async with self._held(branch_id) as kept:
            rebased = await self._rebaser.rebase(kept.branch, base)
            settled = _settled(rebased, resolve, base)
            moved = {path: rebased.files[path] for path in rebased.moved}
            if moved or settled:
                after = kept.branch.with_files({**moved, **settled}, self._clock())
                await self._keep(kept, after, None)
            return RebaseReport(
                kept.branch,
                tuple(sorted(rebased.moved)),
                tuple(
                    conflict
                    for path, conflict in sorted(rebased.conflicts.items())
                    if path not in settled
                ),
            )

    async def _hand_over(
        self, branch_id: str, base: Base, take: Callable[[Rebased], Awaitable[T]]
    ) -> T:
        async with self._held(branch_id) as kept:
            taken = await take(await self._rebaser.rebase(kept.branch, base))
            await self._put_away(kept, "accepted")
            return taken

    async def _keep(self, kept: _Kept, after: Branch, edits: object) -> None:
        if self._journal is not None:
            await self._journal.record(kept.branch, after, edits)
        kept.branch = after
        self._on_change()

    async def _discard(self, branch_id: str, ended: Ended) -> None:
        async with self._held(branch_id) as kept:
            await self._put_away(kept, ended)

    async def _expire(self) -> tuple[list[str], list[str]]:
        now = self._clock()
        expired: list[str] = []
        for kept in [*self._kept.values()]:
            async with kept.lock:
                unused = now - kept.used > self._expiry.unused_days * DAY
                if unused and self._kept.get(kept.branch.id) is kept:
                    await self._put_away(kept, "expired")
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

    async def _put_away(self, kept: _Kept, ended: Ended) -> None:
        branch = kept.branch
        if self._journal is not None:
            now = self._clock()
            await self._journal.archive(branch.id, now, ended)
            self._archived[branch.id] = Archived(
                branch.id, branch.title, branch.created, kept.used, branch.revision,
                len(branch.files), now, ended,
            )  # fmt: skip
        del self._kept[branch.id]
        self._on_change()

    async def _find(self, branch_id: str) -> _Kept:
        kept = self._kept.get(branch_id)
        if kept is None:
            archived = self._archived.get(branch_id)
            if archived is None:
                raise BadInput("unknown-branch", "there is no such branch", branch_id)
            if archived.ended != "expired":
                raise BadInput("unknown-branch", f"the branch was {archived.ended}", branch_id)
            kept = await self._tasks.complete(self._revive(branch_id), f"revive {branch_id}")
        kept.used = self._clock()
        return kept

    async def _revive(self, branch_id: str) -> _Kept:
        async with self._reviving:
            if branch_id in self._kept:
                return self._kept[branch_id]
            if self._journal is None or branch_id not in self._archived:
                raise BadInput("unknown-branch", "there is no such branch", branch_id)
            branch = await self._journal.revive(branch_id, self._clock())
            del self._archived[branch_id]
            self._kept[branch_id] = _Kept(branch, branch.used)
            self._on_change()
            return self._kept[branch_id]

    @asynccontextmanager
    async def _held(self, branch_id: str) -> AsyncGenerator[_Kept, None]:
        """The branch, for the caller alone to change."""
        while True:
            kept = await self._find(branch_id)
            async with kept.lock:
                # It may have been put away while we waited; then the next look says so.
                if self._kept.get(branch_id) is kept:
                    yield kept
                    return


def _settled(
    rebased: Rebased, resolve: Mapping[str, str | None], base: Base
) -> dict[str, BranchFile]:
    """The files of conflicting paths, with the texts that settle them."""
    files: dict[str, BranchFile] = {}
    for path, content in resolve.items():
        conflict = rebased.conflicts.get(path)
        if conflict is None:
            raise BadInput("no-conflict", "the branch has no conflict there", path)
        like = unpacked(conflict.theirs or conflict.ours) or Text("")
        after = None if content is None else PackedText.pack(sound(like.replaced(content), path))
        files[path] = BranchFile(base.packed(path), after, rebased.files[path].origin)
        source = rename_source(rebased.files, path)
        if source is not None:
            files[source] = BranchFile(base.packed(source), None)
    return files


def _size_of(raw: object) -> int:
    """Characters in a JSON value."""
    if isinstance(raw, str):
        return len(raw)
    if isinstance(raw, dict):
        return sum(_size_of(value) for value in cast("dict[object, object]", raw).values())
    if isinstance(raw, list):
        return sum(_size_of(value) for value in cast("list[object]", raw))
    return 0
