"""Branches that are put away, come back, and in the end are deleted."""

import asyncio
from pathlib import Path

import pytest

from tests.support.branch_cases import content, write
from tests.support.workspace import workspace
from understudy.values.errors import BadInput
from understudy.workspace.branches.book import Expiry

DAY = 86_400.0


async def test_unused_branches_go_into_the_archive_and_come_back_when_named(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book(expiry=Expiry(unused_days=14, archived_days=90))
        for title in ("old", "looked at", "dropped"):
            branch = await book.create(title)
            await book.edit(branch.id, [write("a.py", title)], space.base)
        await book.discard("b3")
        space.now += 10 * DAY
        await book.snapshot("b2", space.base)
        assert await book.expire() == ([], [])
        book = await space.book()
        space.now += 5 * DAY
        assert await book.expire() == (["b1"], [])
        assert [(s.id, s.ended) for s in book.summaries(archived=True)] == [
            ("b1", "expired"),
            ("b2", None),
            ("b3", "discarded"),
        ]
        assert [s.id for s in book.summaries()] == ["b2"]
        book = await space.book()
        assert await content(book, space, "b1") == {"a.py": "old"}
        with pytest.raises(BadInput, match="discarded"):
            await book.get("b3")
        assert [s.id for s in book.summaries()] == ["b1", "b2"]
        space.now += 91 * DAY
        assert await book.expire() == (["b1", "b2"], ["b3"])
        with pytest.raises(BadInput, match="no such branch"):
            await book.restore("b3")
        assert (await (await space.book()).create("new")).id == "b4"


async def test_a_discarded_branch_can_be_restored(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book()
        branch = await book.create("x")
        kept = (await book.edit(branch.id, [write("a.py", "a")], space.base)).branch
        await book.discard(branch.id)
        assert (await book.restore(branch.id)).stamp == kept.stamp
        assert (await (await space.book()).get(branch.id)).stamp == kept.stamp


async def test_naming_an_expired_branch_many_times_at_once_revives_it_once(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book()
        await book.create("x")
        space.now += 15 * DAY
        await book.expire()
        edits = [book.edit("b1", [write(f"f{n}.py", "x")], space.base) for n in range(10)]
        await asyncio.gather(*edits)
        assert len(await content(book, space, "b1")) == 10


async def test_without_a_journal_a_discarded_branch_is_gone(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book(journal=False)
        branch = await book.create("x")
        await book.edit(branch.id, [write("a.py", "a")], space.base)
        assert await content(book, space, branch.id) == {"a.py": "a"}
        await book.discard(branch.id)
        assert book.summaries(archived=True) == []
        assert not any(space.state.iterdir())
