"""Parts of a branch that leave it: accepted or rejected, in the journal, and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.branch_cases import BASE, content, delete, rename, replace, swapped, write
from tests.support.workspace import Workspace, workspace
from understudy.app.accept.steps import ChangeStep, plan_of
from understudy.edits.parts import with_parts
from understudy.values.errors import BadInput, Conflict
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.parts import EVERYTHING, Wanted

OURS = swapped("line 1", "ONE", swapped("line 5", "FIVE", swapped("line 9", "NINE")))


async def hunk_ids(book: BranchBook, space: Workspace, branch: str, path: str) -> list[str]:
    taken = await book.taken(branch, space.base, Wanted((path,)))
    return [part.id for part in taken.files[path].parts]


async def take(book: BranchBook, space: Workspace, branch: str, wanted: Wanted) -> str | None:
    """Accept as an editor would; the id of the part in the archive."""
    taken = await book.taken(branch, space.base, wanted)
    plan = plan_of(taken, space.base)
    for step in plan.steps:
        assert isinstance(step, ChangeStep)
        expected = plan.expected[step.path]
        assert expected is not None
        assert with_parts(step.before, step.parts, expected) == expected
        space.type(step.path, expected.content)
    return (await book.settle(taken)).archived


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "d", "é\r\n"]), max_size=9).map(
    "".join
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(before=TEXTS, after=TEXTS, data=st.data())
async def test_hunk_by_hunk_is_all_at_once(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str, data: st.DataObject
):
    async with workspace(tmp_path_factory.mktemp("w"), {"a.py": before}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", after)], space.base)
        for _ in range(30):
            if branch not in {one.id for one in book.summaries()} or before == after:
                break
            ids = await hunk_ids(book, space, branch, "a.py")
            one = data.draw(st.sampled_from(ids))
            await take(book, space, branch, Wanted(hunks={"a.py": (one,)}))
        now = space.base.read("a.py")
        assert now is not None
        assert now.encode() == after.encode()
        assert before == after or branch not in {one.id for one in book.summaries()}


async def test_a_part_survives_a_restart_in_the_archive(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", OURS), write("b.py", "b\n")], space.base)
        _, five, _ = await hunk_ids(book, space, branch, "a.py")
        part = await take(book, space, branch, Wanted(hunks={"a.py": (five,)}))
        assert part is not None
        book = await space.book()
        assert await content(book, space, branch) == {"a.py": OURS, "b.py": "b\n"}
        ended = {one.id: (one.ended, one.title) for one in book.summaries(archived=True)}
        assert ended == {branch: (None, "x"), part: ("accepted", f"accepted from {branch}: x")}
        space.type("a.py", BASE)
        await book.restore(part)
        assert await content(book, space, part) == {"a.py": swapped("line 5", "FIVE")}
        assert (await book.create("next")).id == "b3"


async def test_a_reject_takes_the_part_out_and_keeps_it(tmp_path: Path):
    files = {"a.py": BASE, "b.py": BASE, "c.py": BASE}
    async with workspace(tmp_path, files) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [write("a.py", OURS), rename("b.py", "d.py"), delete("c.py"), write("e.py", "e\n")]
        await book.edit(branch, edits, space.base)
        one, *_ = await hunk_ids(book, space, branch, "a.py")
        wanted = Wanted(("b.py", "e.py"), {"a.py": (one,)})
        parted = await book.reject(branch, space.base, wanted)
        assert await content(book, space, branch) == {
            "a.py": OURS.replace("ONE", "line 1"), "c.py": None
        }  # fmt: skip
        assert parted.archived is not None
        await book.restore(parted.archived)
        assert await content(book, space, parted.archived) == {
            "a.py": swapped("line 1", "ONE"), "b.py": None, "d.py": BASE, "e.py": "e\n"
        }  # fmt: skip
        parted = await book.reject(branch, space.base, Wanted(("a.py", "c.py")))
        assert (parted.branch, parted.archived) == (None, branch)
        assert {one.id: one.ended for one in book.summaries(archived=True)}[branch] == "discarded"


async def test_a_conflict_hinders_only_its_own_file(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [replace("a.py", "line 5", "FIVE"), replace("b.py", "line 5", "FIVE")]
        await book.edit(branch, edits, space.base)
        space.type("a.py", swapped("line 5", "V"))
        taken = await book.taken(branch, space.base, EVERYTHING)
        assert ([c.path for c in taken.conflicts], taken.files) == (["a.py"], {})
        with pytest.raises(Conflict):
            await book.reject(branch, space.base, Wanted(("a.py",)))
        part = await take(book, space, branch, Wanted(("b.py",)))
        assert part is not None
        (summary,) = book.summaries()
        assert summary.n_files == 1


async def test_what_the_user_has_already_leaves_without_an_edit(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", OURS)], space.base)
        space.type("a.py", OURS)
        taken = await book.taken(branch, space.base, EVERYTHING)
        assert plan_of(taken, space.base).steps == ()
        assert (await book.settle(taken)).branch is None


async def test_an_edit_meanwhile_is_not_lost(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", OURS)], space.base)
        taken = await book.taken(branch, space.base, EVERYTHING)
        await book.edit(branch, [replace("a.py", "line 3", "THREE")], space.base)
        space.type("a.py", OURS)
        parted = await book.settle(taken)
        assert parted.branch is not None
        assert parted.archived == "b2"
        assert await content(book, space, branch) == {"a.py": OURS.replace("line 3", "THREE")}


async def test_without_a_journal_a_part_is_gone(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book(journal=False)
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", OURS)], space.base)
        one, *_ = await hunk_ids(book, space, branch, "a.py")
        parted = await book.reject(branch, space.base, Wanted(hunks={"a.py": (one,)}))
        assert parted.archived is None
        with pytest.raises(BadInput, match="hunk"):
            await book.reject(branch, space.base, Wanted(hunks={"a.py": (one,)}))


async def test_a_rename_onto_a_file_that_went_before(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": "b\n"}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [delete("b.py"), rename("a.py", "b.py"), write("c.py", "c\n")]
        await book.edit(branch, edits, space.base)
        plan = plan_of(await book.taken(branch, space.base, EVERYTHING), space.base)
        kinds = [type(step).__name__ for step in plan.steps]
        assert kinds == ["ChangeStep", "DeleteStep", "CreateStep"]
        assert plan.operations.deleted == ("a.py",)
        assert plan.operations.renamed == ()
        expected = {path: text and text.content for path, text in plan.expected.items()}
        assert expected == {"a.py": None, "b.py": BASE, "c.py": "c\n"}
