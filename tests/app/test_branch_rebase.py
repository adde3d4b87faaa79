"""When the base moves under a branch: merged, or a conflict that shows both sides."""

from pathlib import Path

import pytest

from tests.support.branch_cases import BASE, MOVES, content, rename, replace, swapped, write
from tests.support.sessions import open_session
from tests.support.workspace import text_of, workspace
from understudy.values.errors import BadInput, Conflict


@pytest.mark.parametrize("how", ["snapshot", "rebase", "edit"])
@pytest.mark.parametrize("name", MOVES)
async def test_when_the_base_moves(tmp_path: Path, name: str, how: str):
    edits, user, expected, conflicts = MOVES[name]
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, edits, space.base)
        for path, text in user.items():
            (space.folder / path).unlink() if text is None else space.write(path, text)
        space.look()
        if how == "rebase":
            report = await book.rebase(branch.id, space.base)
            assert [conflict.path for conflict in report.conflicts] == conflicts
            again = await book.rebase(branch.id, space.base)
            assert (again.merged, again.conflicts) == ((), report.conflicts)
        if how == "edit":
            await book.edit(branch.id, [write("other.py", "o")], space.base)
            expected = {**expected, "other.py": "o"}
        snapshot = await book.snapshot(branch.id, space.base)
        assert sorted(snapshot.conflicts) == conflicts
        assert await content(book, space, branch.id) == expected


async def test_a_conflict_shows_both_sides_and_the_base_and_can_be_settled(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, [replace("a.py", "line 5", "FIVE")], space.base)
        space.type("a.py", swapped("line 5", "V"))
        (conflict,) = (await book.rebase(branch.id, space.base)).conflicts
        assert [text_of(t) for t in (conflict.base, conflict.ours, conflict.theirs)] == [
            BASE,
            swapped("line 5", "FIVE"),
            swapped("line 5", "V"),
        ]
        (region,) = conflict.regions
        assert (region.base_lines, region.ours_lines, region.theirs_lines) == (
            ("line 5\n",),
            ("FIVE\n",),
            ("V\n",),
        )
        assert (region.base_start, region.ours_start, region.theirs_start) == (4, 4, 4)
        before = await book.get(branch.id)
        with pytest.raises(Conflict) as caught:
            await book.edit(branch.id, [replace("a.py", "line 1", "ONE")], space.base)
        assert (caught.value.code, caught.value.where) == ("conflict", "a.py")
        assert await book.get(branch.id) == before
        with pytest.raises(BadInput) as bad:
            await book.rebase(branch.id, space.base, {"b.py": "x"})
        assert (bad.value.code, bad.value.where) == ("no-conflict", "b.py")
        settled = swapped("line 5", "V and FIVE")
        seen = {"a.py": conflict.seen}
        space.type("a.py", swapped("line 5", "V, typed while it was merged"))
        with pytest.raises(BadInput) as late:
            await book.rebase(branch.id, space.base, {"a.py": settled}, seen)
        assert (late.value.code, late.value.where) == ("stale-conflict", "a.py")
        assert await book.get(branch.id) == before
        space.type("a.py", swapped("line 5", "V"))
        report = await book.rebase(branch.id, space.base, {"a.py": settled}, seen)
        assert report.conflicts == ()
        assert await content(book, space, branch.id) == {"a.py": settled}
        diff = (await book.diff(branch.id, space.base)).text
        assert "-V\n+V and FIVE\n" in diff


async def test_a_conflict_is_diffed_against_what_was_edited_and_named(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        batch = [replace(path, "line 5", "FIVE") for path in ("b.py", "a.py")]
        await book.edit(branch.id, batch, space.base)
        space.write("a.py", swapped("line 5", "V"))
        space.write("b.py", swapped("line 8", "EIGHT"))
        diff = await book.diff(branch.id, space.look())
        assert diff.conflicts == ("a.py",)
        assert diff.text.count("-line 5\n+FIVE\n") == 2
        assert " EIGHT\n" in diff.text
        assert diff.text.index("a/a.py") < diff.text.index("a/b.py")


@pytest.mark.parametrize("renamed", [False, True])
async def test_an_edit_over_the_users_new_line_is_no_conflict_afterwards(
    tmp_path: Path, renamed: bool
):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        path = "b.py" if renamed else "a.py"
        first = [rename("a.py", "b.py")] if renamed else []
        await book.edit(branch.id, [*first, replace(path, "line 1", "ONE")], space.base)
        space.write("a.py", swapped("line 9", "NINE"))
        space.look()
        await book.edit(branch.id, [replace(path, "NINE", "nine")], space.base)
        expected = swapped("line 9", "nine", swapped("line 1", "ONE"))
        for _ in ("as edited", "as rebased"):
            assert (await content(book, space, branch.id))[path] == expected
            assert (await book.rebase(branch.id, space.base)).conflicts == ()


async def test_a_settled_rename_is_a_rename_still(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        edits = [rename("a.py", "b.py"), replace("b.py", "line 1\n", "ONE\n")]
        await book.edit(branch.id, edits, space.base)
        space.write("a.py", swapped("line 1\n", "I\n"))
        space.look()
        settled = swapped("line 1\n", "I, ONE\n")
        report = await book.rebase(branch.id, space.base, {"b.py": settled})
        assert report.conflicts == (await book.rebase(branch.id, space.base)).conflicts == ()
        diff = (await book.diff(branch.id, space.base)).text
        assert "rename from a.py\nrename to b.py\n" in diff
        assert "-I\n+I, ONE\n" in diff
        assert await content(book, space, branch.id) == {"a.py": None, "b.py": settled}


async def test_a_kind_of_file_that_no_scan_lists_moves_too(tmp_path: Path):
    async with open_session(tmp_path, {"notes.txt": BASE}, {}) as session:
        branch = await session.branches.create("x")
        base = await session.fresh_base()
        assert "notes.txt" not in base.folder.files
        await session.branches.edit(branch.id, [replace("notes.txt", "line 5", "FIVE")], base)
        (session.root.path / "notes.txt").write_text(swapped("line 5", "V"))
        snapshot = await session.branches.snapshot(branch.id, await session.fresh_base())
        assert snapshot.conflicts == frozenset({"notes.txt"})
