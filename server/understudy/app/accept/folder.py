"""The verb `accept` of the command line: the user takes a branch into the folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import field, replace
from threading import Event

from understudy.app.accept.apart import set_apart
from understudy.disk.folder.write import FileChange, PlanRecord, write_changes
from understudy.shadow.base import Base
from understudy.values.errors import BadInput, Conflict
from understudy.values.frozen import frozen
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.parts import EVERYTHING, HandOver, Taken, Wanted
from understudy.workspace.branches.rebase import same


@frozen
class AcceptReport:
    """What an accept did to the folder; `merged` are written paths that the user changed too.

    `left` are paths that were not named, and run something: each with what it runs, and when.
    """

    written: tuple[str, ...]
    deleted: tuple[str, ...]
    merged: tuple[str, ...]
    left: Mapping[str, str] = field(default_factory=dict[str, str])


async def accept(
    book: BranchBook, branch_id: str, base_on_disk: Base, wanted: Wanted = EVERYTHING
) -> AcceptReport:
    """Write a branch into the folder, merged with what the user has there; then put it away.

    What runs something stays in the branch unless it is named. Raises Conflict `conflict` if a file
    does not merge, or is changed at that very moment; OutsideFailure `accept-failed`; BadInput
    `unknown-branch`, `unsaved-buffers`, `no-change`; and as `set_apart` does. Nothing is written
    then (`accept-failed` says so, or what is), and the branch is kept. OutsideFailure `state-full`
    may come when all is written: it says so, and the next start ends the accept.
    """
    if base_on_disk.buffers:
        # Writing below an open buffer would set the editor's text against the disk's.
        raise BadInput("unsaved-buffers", "accept in the editor: it has files of the folder open")

    left: dict[str, str] = {}

    async def write(taken: Taken, record: PlanRecord | None) -> AcceptReport:
        changes = _changes(taken, base_on_disk)
        stop = Event()
        writing = asyncio.ensure_future(
            asyncio.to_thread(write_changes, book.root, changes, record, stop=stop)
        )
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:  # the host ends: nobody may write once its lock is free
            stop.set()
            await asyncio.wait([writing])
            raise
        written = [change.path for change in changes if change.data is not None]
        return AcceptReport(
            written=tuple(written),
            deleted=tuple(change.path for change in changes if change.data is None),
            merged=tuple(path for path in written if path in taken.merged),
            left=left,
        )

    how = HandOver(
        wanted, lambda taken: set_apart(taken, wanted, base_on_disk.folder.links, left), write
    )
    return await book.hand_over(branch_id, base_on_disk, how)


async def accept_part(
    book: BranchBook, passing: BranchBook, branch_id: str, wanted: Wanted, base_on_disk: Base
) -> AcceptReport:
    """Write a part of a branch into the folder, and take it out of the branch.

    The part is a branch of `passing` while that is done; the rest is kept, whatever happens. Raises
    as `accept` does, and BadInput `unknown-hunk`, `no-change`.
    """
    taken = await book.taken(branch_id, base_on_disk, wanted)
    if taken.conflicts:
        raise taken.conflicts[0].error()
    whole = replace(taken.branch, files=taken.part, asks=())
    part = await passing.copy(whole, taken.branch.title)
    try:
        report = await accept(passing, part.id, base_on_disk, Wanted(tuple(whole.files)))
    except BaseException:  # whatever it is: undone, and raised again
        await passing.discard(part.id)
        raise
    await book.settle(taken)
    return report


def _changes(taken: Taken, base: Base) -> list[FileChange]:
    if taken.conflicts:
        first, *others = taken.conflicts
        rest = f" (and in {len(others)} more files)" if others else ""
        raise Conflict("conflict", f"{first.reason}{rest}", first.path)
    pinned = base.folder.pinned()
    changes = {
        path: FileChange(
            path,
            None if file.taken is None else file.taken.unpack().encode(),
            pinned[path][0],
            file.source,
        )
        for path, file in taken.files.items()
        if not same(file.user, file.taken)
    }
    for path, user in taken.gone.items():
        if user is not None:
            changes[path] = FileChange(path, None, pinned[path][0])
    return [changes[path] for path in sorted(changes)]
