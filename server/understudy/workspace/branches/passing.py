"""Branches that a single question needs: they hold its edits, and nothing of them stays."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.live_base import LiveBase


@asynccontextmanager
async def passing_branch(
    book: BranchBook, edits: object, base: LiveBase, title: str
) -> AsyncGenerator[str, None]:
    """The id of a branch with these edits, which is gone at the end; raises as `edit_fresh`."""
    branch = (await book.create(title)).id
    try:
        await edit_fresh(book, branch, edits, base)
        yield branch
    finally:
        await book.discard(branch)
