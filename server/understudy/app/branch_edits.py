"""Edits over the base as it is now, although it may move while they are applied."""

from __future__ import annotations

from understudy.app.branch_reports import Edited
from understudy.app.branches import BranchBook
from understudy.app.check_options import REPEATS
from understudy.app.live_base import LiveBase
from understudy.shadow.folder import Moved


async def edit_fresh(book: BranchBook, branch_id: str, edits: object, base: LiveBase) -> Edited:
    """Apply a batch to a branch; a file that changes while it is read is read again.

    Raises as `BranchBook.edit` does.
    """
    for _ in range(REPEATS):
        try:
            return await book.edit(branch_id, edits, await base.fresh())
        except Moved:
            continue
    return await book.edit(branch_id, edits, await base.fresh())
