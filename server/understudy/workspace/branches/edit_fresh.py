"""Edits over the base as it is now, although it may move while they are applied."""

from __future__ import annotations

from understudy.edits.model import refuse_many
from understudy.shadow.folder import Moved
from understudy.values.stamps import Stamp
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.reports import Edited
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS


async def edit_fresh(
    book: BranchBook, branch_id: str, edits: object, base: LiveBase, if_stamp: Stamp | None = None
) -> Edited:
    """Apply a batch to a branch; a file that changes while it is read is read again.

    Raises as `BranchBook.edit` does, and BadInput `too-many-files`.
    """
    refuse_many(edits)
    for _ in range(REPEATS):
        try:
            return await book.edit(branch_id, edits, await base.fresh(), if_stamp)
        except Moved:
            continue
    return await book.edit(branch_id, edits, await base.fresh(), if_stamp)
