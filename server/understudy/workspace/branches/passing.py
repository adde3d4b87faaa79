"""Branches that a single question needs: they hold its edits, and nothing of them stays."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from understudy.shadow.branch import Branch
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.live_base import LiveBase


@asynccontextmanager
async def passing_branch(
    book: BranchBook, edits: object, base: LiveBase, title: str, over: Branch | None = None
) -> AsyncGenerator[str, None]:
    """The id of a branch with these edits, made `over` another's, which is gone at the end.

    Raises as `edit_fresh`.
    """
    branch = (await (book.create(title) if over is None else book.copy(over, title))).id
    try:
        await edit_fresh(book, branch, edits, base)
        yield branch
    finally:
        await book.discard(branch)
