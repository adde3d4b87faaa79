"""Branches that would collide, told before anybody accepts: where, and nowhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.branch_cases import BASE, delete, rename, replace, write
from tests.support.workspace import Workspace, workspace
from understudy.values.errors import Conflict
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.overlaps import Overlap, Overlaps

CASES: dict[str, tuple[list[Any], list[Any], dict[str, list[tuple[int, int]]]]] = {
    "the same line": (
        [replace("a.py", "line 5", "FIVE")],
        [replace("a.py", "line 5", "V")],
        {"a.py": [(5, 5)]},
    ),
    "two places": (
        [replace("a.py", "line 1\n", "ONE\n"), replace("a.py", "line 7\nline 8", "7\n8")],
        [replace("a.py", "line 1\n", "I\n"), replace("a.py", "line 8", "VIII")],
        {"a.py": [(1, 1), (7, 8)]},
    ),
    "far from each other": (
        [replace("a.py", "line 1\n", "ONE\n")],
        [replace("a.py", "line 9", "NINE")],
        {},
    ),
    "the same change": (
        [replace("a.py", "line 5", "FIVE")],
        [replace("a.py", "line 5", "FIVE"), replace("a.py", "line 9", "NINE")],
        {},
    ),
    "one deletes what the other edits": (
        [delete("a.py")],
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": [(1, 9)]},
    ),
    "both delete it": ([delete("a.py")], [delete("a.py")], {}),
    "both make it": (
        [write("new.py", "one\n")],
        [write("new.py", "two\n\nthree\n")],
        {"new.py": [(1, 1)]},
    ),
    "one renames what the other edits": (
        [rename("a.py", "z.py")],
        [replace("a.py", "line 5", "FIVE")],
        {"a.py": [(1, 9)]},
    ),
    "other files": (
        [replace("a.py", "line 5", "FIVE")],
        [replace("b.py", "line 5", "FIVE")],
        {},
    ),
}


def overlaps_of(space: Workspace, book: BranchBook) -> Overlaps:
    return Overlaps(space.tasks, space.workers, book.all, lambda: None)


@pytest.mark.parametrize("name", CASES)
async def test_where_two_branches_collide_is_told_of_both(tmp_path: Path, name: str) -> None:
    first, second, expected = CASES[name]
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        one, other = (await book.create("one")).id, (await book.create("other")).id
        await book.edit(one, first, space.base)
        await book.edit(other, second, space.base)
        found = await overlaps_of(space, book).look()
        for branch, beside in ((one, other), (other, one)):
            told = {overlap.path: list(overlap.lines) for overlap in found.get(branch, ())}
            assert told == expected
            assert {overlap.branch for overlap in found.get(branch, ())} <= {beside}
        # What is told is what an accept of both would run into.
        base = space.base
        for path, text in (await book.snapshot(one, base)).edits.items():
            place = space.folder / path
            place.unlink() if text is None else place.write_bytes(text.unpack().encode())
        try:
            await book.edit(other, [write("beside.py", "x")], space.look())
            rebased = await book.rebase(other, space.base)
            collides = bool(rebased.conflicts)
        except Conflict:
            collides = True
        assert collides == bool(expected)


async def test_branches_over_different_texts_of_the_user(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        one, other = (await book.create("one")).id, (await book.create("other")).id
        await book.edit(one, [replace("a.py", "line 5", "FIVE")], space.base)
        space.write("a.py", "new\n" + BASE)
        await book.edit(other, [replace("a.py", "line 5", "V")], space.look())
        watched = overlaps_of(space, book)
        assert await watched.of(await book.get(one)) == (Overlap(other, "a.py", ((6, 6),)),)
        await book.discard(other)
        assert await watched.look() == {}


async def test_who_listens_hears_of_an_overlap_when_it_comes_and_goes(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        heard: list[set[str]] = []
        watched = Overlaps(
            space.tasks, space.workers, book.all, lambda: heard.append(set(watched.now))
        )
        one, other = (await book.create("one")).id, (await book.create("other")).id

        async def moved(branch: str, new: str) -> None:
            await book.edit(branch, [write("a.py", BASE.replace("line 5", new))], space.base)
            watched.look_soon()
            watched.look_soon()
            await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})

        await moved(one, "FIVE")
        assert heard == []
        await moved(other, "V")
        await moved(other, "VI")
        assert heard == [{one, other}], "nothing new the second time"
        await moved(other, "FIVE")
        assert heard == [{one, other}, set()]
