"""The branches of a host and their one owner. Times are s since 1970."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from understudy.edits.model import Edit, parse_edits, refuse_no_edits
from understudy.shadow.asks import Ask
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch, BranchFile
from understudy.shadow.called import MAX_TITLE
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.names import NameRule
from understudy.values.paths import Root
from understudy.values.stamps import Stamp
from understudy.workspace.branches import settling
from understudy.workspace.branches.parts import HandOver, Taken, Wanted, take
from understudy.workspace.branches.rebase import Rebased, Rebaser, settled_files
from understudy.workspace.branches.reports import (
    BranchDiff,
    BranchSummary,
    Edited,
    Parted,
    RebaseReport,
)
from understudy.workspace.branches.shelf import DEFAULT_EXPIRY, BranchShelf, Expiry, Kept
from understudy.workspace.branches.tree import BranchTree, apply_to_branch, changed_files
from understudy.workspace.branches.wishes import open_wishes, with_wish
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

if TYPE_CHECKING:  # a check on the command line has no journal, so it should not load SQLite
    from understudy.disk.journal.journal import Ended, Journal
    from understudy.shadow.merge import MarkedText

T = TypeVar("T")
_WRITTEN = "the folder has the accepted files, and the next start ends the accept"


class BranchBook:
    """Owns the branches: every change goes through here, one at a time for each branch.

    A change is in the journal before the verb returns. Without a journal (an ephemeral check)
    branches live as long as the book.
    """

    def __init__(
        self, root: Root, tasks: Tasks, workers: Workers, journal: Journal | None = None, *,
        expiry: Expiry = DEFAULT_EXPIRY, clock: Callable[[], float] = time.time,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self.root = root
        self.names: NameRule = "everywhere"
        """Which names edits may give files; the settings have it."""
        self.gone_on_in: dict[str, str] = {}
        """Branches by the ended ones whose rehearsals write into them, whatever they are called."""
        self._tasks = tasks
        self._workers = workers
        self._clock = clock
        self._rebaser = Rebaser(workers)
        self._shelf = BranchShelf(tasks, journal, expiry, clock, on_change)

    async def load(self) -> None:
        """Take over what the journal holds; call it once, before anything else."""
        await self._shelf.load()

    async def create(self, title: str) -> Branch:
        """Make an empty branch; raises BadInput `bad-title`."""
        _refuse_title(title)
        return await self._tasks.complete(self._shelf.add(title), "create branch")

    async def copy(self, branch: Branch, title: str) -> Branch:
        """A new branch with the same edits, also those of a branch of another book."""
        _refuse_title(title)
        return await self._tasks.complete(self._shelf.add(title, branch), f"copy {branch.id}")

    async def fork(self, branch_id: str, title: str | None = None) -> Branch:
        """Make a branch with the edits of another one; raises as `create`, `unknown-branch`."""
        source = await self.get(branch_id)
        return await self.copy(source, source.title if title is None else title)

    async def rename(self, branch_id: str, title: str) -> Branch:
        """Give a branch another title; raises as `create`, `unknown-branch`."""
        _refuse_title(title)
        return await self._tasks.complete(self._shelf.rename(branch_id, title), "rename branch")

    async def edit(
        self, branch_id: str, edits: object, base: Base, if_stamp: Stamp | None = None
    ) -> Edited:
        """Apply a batch of edits (JSON values, see docs/reference/edits.md) whole or not at all.

        Raises BadInput: `unknown-branch`, `stale-stamp`, `no-edits`, and all that `parse_edits` and
        `apply_edits` raise; Conflict where the base has moved under an edited path and does not
        merge; Moved as reading the base does.
        """
        parsed = parse_edits(edits)
        work = self._edit(branch_id, edits, parsed, base, if_stamp)
        return await self._tasks.complete(work, f"edit {branch_id}")

    async def put(self, branch_id: str, files: Mapping[str, BranchFile]) -> Branch:
        """Have these files in the branch as they are, over the base texts that they name.

        Raises BadInput `unknown-branch`.
        """
        return await self._tasks.complete(self._put(branch_id, files), f"put into {branch_id}")

    async def rebase(
        self, branch_id: str, base: Base, resolve: Mapping[str, str | None] | None = None,
        seen: Mapping[str, str] | None = None,
    ) -> RebaseReport:  # fmt: skip
        """Merge what moved in the base into the branch; conflicting paths stay as they are.

        `resolve` settles conflicting paths with a text that its author wrote knowing both sides
        (None: delete), as `seen` of the conflict has them. Raises BadInput `unknown-branch`,
        `no-conflict`, `stale-conflict`; Moved.
        """
        work = self._rebase(branch_id, base, resolve or {}, seen or {})
        return await self._tasks.complete(work, f"rebase {branch_id}")

    async def snapshot(self, branch_id: str, base: Base) -> Snapshot:
        """The branch over the base as it is now, with moved files merged; changes nothing.

        Raises BadInput `unknown-branch`; Moved.
        """
        return await self.fitted_snapshot(await self.get(branch_id), base)

    async def fitted_snapshot(self, branch: Branch, base: Base) -> Snapshot:
        """The same of a branch as it was, also of another book; raises Moved."""
        return (await self._rebaser.rebase(branch, base)).snapshot(base)

    async def fitted(self, branch_id: str, base: Base) -> tuple[Branch, Rebased]:
        """The branch, and its files fitted to the base as it is now; changes nothing.

        Raises BadInput `unknown-branch`; Moved.
        """
        branch = await self.get(branch_id)
        return branch, await self._rebaser.rebase(branch, base)

    async def diff(self, branch_id: str, base: Base) -> BranchDiff:
        """The branch's edits as a git-style diff against the base as it is now.

        Raises BadInput `unknown-branch`; Moved.
        """
        from understudy.workspace.branches.diff import diff_files  # noqa: PLC0415 - a check needs none

        branch = await self.get(branch_id)
        return await diff_files(await self._rebaser.rebase(branch, base), self._workers)

    async def get(self, branch_id: str) -> Branch:
        """The branch as it is; an expired one comes back from the archive.

        Raises BadInput `unknown-branch`.
        """
        return (await self._shelf.find(branch_id)).branch

    def all(self) -> list[Branch]:
        """The branches that are in use, in the order of their creation."""
        return self._shelf.all()

    def summaries(self, archived: bool = False) -> list[BranchSummary]:
        """All branches in the order of their creation, with the archived ones if asked for."""
        return self._shelf.summaries(archived)

    async def discard(self, branch_id: str) -> None:
        """Put a branch away; `restore` brings it back while the archive keeps it.

        Raises BadInput `unknown-branch`; Refused `accept-unfinished`.
        """
        await self._tasks.complete(self._discard(branch_id), f"discard {branch_id}")

    async def taken(
        self, branch_id: str, base: Base, wanted: Wanted, if_stamp: Stamp | None = None
    ) -> Taken:
        """What is wanted of a branch, fitted to the base; changes nothing.

        Raises BadInput `unknown-branch`, `stale-stamp`, and what `take` raises; Moved; Refused
        `accept-unfinished`, as what is taken is about to leave the branch.
        """
        branch = await self.get(branch_id)
        self._shelf.refuse_unfinished(branch.id)
        _refuse_stale(branch, if_stamp)
        return await self._take(branch, base, wanted)

    async def hand_over(self, branch_id: str, base: Base, how: HandOver[T]) -> T:
        """Give what is wanted to `how.write`; then it leaves the branch, which may end by that.

        In the record that it gets, `write` notes what it is about to do (None: there is no
        journal): should this process be killed, the next start finishes that or takes it back.

        Raises as `taken` does, and what `chosen` and `write` raise: then the branch stays.
        """
        work = self._hand_over(branch_id, base, how)
        return await self._tasks.complete(work, f"accept {branch_id}")

    async def settle(self, taken: Taken) -> Parted:
        """The user has what was taken: it leaves the branch, and can be brought back by `restore`.

        A branch that was edited meanwhile stays as it is: its next rebase finds the user's text.
        Raises BadInput `unknown-branch`.
        """
        work = self._settle(taken)
        return await self._tasks.complete(work, f"settle {taken.branch.id}")

    async def reject(
        self, branch_id: str, base: Base, wanted: Wanted, if_stamp: Stamp | None = None
    ) -> Parted:
        """Drop what is wanted from the branch; `restore` brings it back as a branch of its own.

        Raises as `taken` does; Conflict where it no longer fits the base.
        """
        work = self._reject(branch_id, base, wanted, if_stamp)
        return await self._tasks.complete(work, f"reject {branch_id}")

    async def ask(self, branch_id: str, base: Base, wish: Ask) -> Ask:
        """Keep what the user wants changed, under a number of its own (that of `wish` is unused).

        Its lines are those of the branch over `base`. Raises BadInput `unknown-branch`, `no-lines`
        where that text has no such lines; Moved.
        """
        return await self._tasks.complete(self._ask(branch_id, base, wish), f"ask {branch_id}")

    async def ask_to_settle(self, branch_id: str, base: Base, path: str) -> Ask:
        """Leave a conflict to the agent: its edits of the path are then of both sides' text.

        Raises BadInput `unknown-branch`, and as `with_request` does; Moved.
        """
        work = self._ask_to_settle(branch_id, base, path)
        return await self._tasks.complete(work, f"ask for the settling of {branch_id}")

    async def both_sides(self, branch_id: str, base: Base) -> Mapping[str, MarkedText]:
        """Both sides' text of each path whose settling is asked for; raises as `ask`."""
        branch, rebased = await self.fitted(branch_id, base)
        return await settling.to_settle(branch, rebased, self._workers)

    async def unask(self, branch_id: str, number: int) -> None:
        """Take back what was asked; raises BadInput `unknown-branch`, `unknown-ask`."""
        await self._tasks.complete(self._unask(branch_id, number), f"unask {branch_id}")

    async def asks(self, branch_id: str, base: Base) -> tuple[Ask, ...]:
        """What is open, with its lines in the branch over the base of now; raises as `ask`."""
        branch = await self.get(branch_id)
        if not branch.asks:
            return ()
        rebased = await self._rebaser.rebase(branch, base)
        both = await settling.to_settle(branch, rebased, self._workers)
        return await open_wishes(branch, rebased, base, both)

    async def restore(self, branch_id: str) -> Branch:
        """Bring a discarded or accepted branch back; raises BadInput `unknown-branch`."""
        return (await self._shelf.revive(branch_id)).branch

    async def expire(self) -> tuple[list[str], list[str]]:
        """Archive what is unused for long, delete what is archived for long; returns both ids."""
        return await self._tasks.complete(self._shelf.expire(), "expire branches")

    async def _edit(
        self, branch_id: str, raw: object, edits: tuple[Edit, ...], base: Base,
        if_stamp: Stamp | None,
    ) -> Edited:  # fmt: skip
        async with self._shelf.held(branch_id) as kept:
            branch = kept.branch
            _refuse_stale(branch, if_stamp)
            refuse_no_edits(edits)
            rebased = await self._rebaser.rebase(branch, base)
            both = await settling.to_settle(branch, rebased, self._workers, edits)
            found = settling.with_both_sides(rebased, both)
            tree = BranchTree(self.root, self.names, found, base, self._workers.inline_below)
            changes = await apply_to_branch(edits, _size_of(raw), tree, self._workers)
            changes = settling.settled_changes(changes, both)
            files = changed_files(changes, found, tree)
            after = settling.without_requests(branch, both.keys() & changes.keys())
            await self._shelf.keep(kept, after.with_files(files, self._clock()), raw)
            return Edited(kept.branch, tuple(sorted(changes)))

    async def _put(self, branch_id: str, files: Mapping[str, BranchFile]) -> Branch:
        async with self._shelf.held(branch_id) as kept:
            after = kept.branch.with_files(files, self._clock())
            if after.files != kept.branch.files:
                await self._shelf.keep(kept, after, None)
            return kept.branch

    async def _rebase(
        self, branch_id: str, base: Base, resolve: Mapping[str, str | None],
        seen: Mapping[str, str],
    ) -> RebaseReport:  # fmt: skip
        async with self._shelf.held(branch_id) as kept:
            rebased = await self._rebaser.rebase(kept.branch, base)
            settled = settled_files(rebased, resolve, seen, base)
            moved = {path: rebased.files[path] for path in rebased.moved}
            if moved or settled:
                after = settling.without_requests(kept.branch, settled)
                after = after.with_files({**moved, **settled}, self._clock())
                await self._shelf.keep(kept, after, None)
            left = sorted(rebased.conflicts.keys() - settled.keys())
            conflicts = tuple(rebased.conflicts[path] for path in left)
            return RebaseReport(kept.branch, tuple(sorted(rebased.moved)), conflicts)

    async def _ask(self, branch_id: str, base: Base, wish: Ask) -> Ask:
        async with self._shelf.held(branch_id) as kept:
            rebased = await self._rebaser.rebase(kept.branch, base)
            branch = kept.branch
            if rebased.moved:  # what is kept has to be the text that the user looks at
                moved = {path: rebased.files[path] for path in rebased.moved}
                branch = branch.with_files(moved, self._clock())
            after = with_wish(branch, rebased.snapshot(base), wish)
            await self._shelf.keep(kept, after, None)
            return after.asks[-1]

    async def _ask_to_settle(self, branch_id: str, base: Base, path: str) -> Ask:
        async with self._shelf.held(branch_id) as kept:
            rebased = await self._rebaser.rebase(kept.branch, base)
            after, ask = settling.with_request(kept.branch, rebased, base, path)
            await self._shelf.keep(kept, after, None)
            return ask

    async def _unask(self, branch_id: str, number: int) -> None:
        async with self._shelf.held(branch_id) as kept:
            left = tuple(ask for ask in kept.branch.asks if ask.number != number)
            if left == kept.branch.asks:
                raise BadInput("unknown-ask", "nothing is open under this number", str(number))
            await self._shelf.keep(kept, replace(kept.branch, asks=left), None)

    async def _take(
        self, branch: Branch, base: Base, wanted: Wanted, *, in_hunks: bool = True
    ) -> Taken:
        rebased = await self._rebaser.rebase(branch, base)
        taken = await take(branch, rebased, wanted, self._workers, in_hunks=in_hunks)
        for path in (*taken.files, *taken.gone):
            self.root.relative(path)  # a branch may be older than a rule, and links come and go
        return taken

    async def _hand_over(self, branch_id: str, base: Base, how: HandOver[T]) -> T:
        async with self._shelf.held(branch_id) as kept:
            whole = await self._take(kept.branch, base, how.wanted, in_hunks=False)
            taken = how.chosen(whole)
            async with self._shelf.recording(taken) as record:
                written = await how.write(taken, record)
            try:
                if taken is whole and how.wanted.is_all:
                    await self._shelf.put_away(kept, "accepted")
                else:
                    await self._part_from(kept, taken.rest_after, taken, "accepted")
            except OutsideFailure as failure:
                if record is None or not record.has_begun:
                    raise
                text = f"{_WRITTEN}: {failure.text}"
                raise OutsideFailure(failure.code, text, failure.where) from failure
            return written

    async def _settle(self, taken: Taken) -> Parted:
        async with self._shelf.held(taken.branch.id) as kept:
            edited_meanwhile = kept.branch is not taken.branch
            rest = {} if edited_meanwhile else taken.rest_after
            return await self._part_from(kept, rest, taken, "accepted")

    async def _reject(
        self, branch_id: str, base: Base, wanted: Wanted, if_stamp: Stamp | None
    ) -> Parted:
        async with self._shelf.held(branch_id) as kept:
            _refuse_stale(kept.branch, if_stamp)
            taken = await self._take(kept.branch, base, wanted)
            if taken.conflicts:
                raise taken.conflicts[0].error()
            return await self._part_from(kept, taken.rest_without, taken, "discarded")

    async def _part_from(
        self, kept: Kept, rest: Mapping[str, BranchFile], taken: Taken, ended: Ended
    ) -> Parted:
        after = kept.branch.with_files(rest, self._clock()) if rest else kept.branch
        return await self._shelf.part_from(kept, after, taken.part, ended)

    async def _discard(self, branch_id: str) -> None:
        async with self._shelf.held(branch_id) as kept:
            await self._shelf.put_away(kept, "discarded")


def _refuse_title(title: str) -> None:
    if len(title) > MAX_TITLE or not title.isprintable():
        raise BadInput("bad-title", f"a title is one line of at most {MAX_TITLE} characters")


def _refuse_stale(branch: Branch, if_stamp: Stamp | None) -> None:
    if if_stamp is not None and if_stamp != branch.stamp:
        text = f"the branch has the stamp {branch.stamp} by now"
        raise BadInput("stale-stamp", text, branch.id)


def _size_of(raw: object) -> int:
    """Characters in a JSON value."""
    if isinstance(raw, str):
        return len(raw)
    if isinstance(raw, dict):
        return sum(_size_of(value) for value in cast("dict[object, object]", raw).values())
    if isinstance(raw, list):
        return sum(_size_of(value) for value in cast("list[object]", raw))
    return 0
