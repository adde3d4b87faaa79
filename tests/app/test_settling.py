"""A conflict that is left to the agent: it stands until one edit has settled all of the file."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tests.support.branch_cases import BASE, content, delete, rename, replace, swapped, write
from tests.support.sessions import open_session
from tests.support.workspace import Workspace, state_of, workspace
from understudy.faces.calls.asks import asked_lines, asks_told
from understudy.shadow.asks import SETTLE, Ask
from understudy.values.errors import BadInput, Conflict
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.parts import EVERYTHING

YOURS = swapped("line 2", "TWO", swapped("line 9", "NINE"))
FIRST = "<<<<<<< user\nTWO\n=======\ntwo\n>>>>>>> b1\n"
SECOND = "<<<<<<< user\nNINE\n=======\nnine\n>>>>>>> b1\n"
BOTH = [replace("a.py", FIRST, "both\n"), replace("a.py", SECOND, "NINE\nnine\n")]


def patch(*lines: str) -> dict[str, str]:
    return {"kind": "diff", "text": "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))}


def git_diff(*lines: str, to: str = "z.py") -> dict[str, str]:
    return {"kind": "diff", "text": "\n".join((f"diff --git a/a.py b/{to}", *lines, ""))}


_GONE, _ANEW = "*** Delete File: a.py", ("*** Add File: a.py", "+older")
UNSEEN: list[list[Any]] = [  # who sends these may know one side alone, or one of earlier
    [write("a.py", "mine\n")],
    [delete("a.py")],
    [rename("a.py", "z.py")],
    [replace("a.py", FIRST, "both\n"), write("a.py", "mine\n")],
    [patch(_GONE)],
    [patch(_GONE, *_ANEW)],
    [patch(_GONE), patch(*_ANEW)],
    [*BOTH, patch(_GONE), patch(*_ANEW)],
    [patch("*** Update File: a.py", "*** Move to: z.py", "-line 1", "+1"), patch(*_ANEW)],
    [git_diff("deleted file mode 100644", to="a.py"), patch(*_ANEW)],
    [git_diff("rename from a.py", "rename to z.py"), patch(*_ANEW)],
    [git_diff("copy from a.py", "copy to z.py")],
    [git_diff("copy from a.py", "copy to z.py"), *BOTH],
]


async def collided(space: Workspace, book: BranchBook, end: str = "\n", last: str = "") -> str:
    """A branch that has changed two lines of `a.py`, which the user has changed since, too."""
    branch = (await book.create("x")).id
    edits = [replace("a.py", "line 2", "two"), replace("a.py", "line 9", "nine")]
    await book.edit(branch, [*edits, write("b.py", "b\n")], space.base)
    space.write("a.py", YOURS.removesuffix(last).replace("\n", end))
    space.look()
    return branch


async def conflicts(space: Workspace, book: BranchBook, branch: str) -> list[str]:
    return sorted((await book.snapshot(branch, space.base)).conflicts)


async def test_it_stays_a_conflict_until_all_of_it_is_settled(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await collided(space, book)
        with pytest.raises(Conflict, match="rebase the branch"):
            await book.edit(branch, [replace("a.py", "line 5", "FIVE")], space.base)
        before, disk = await book.get(branch), state_of(space.folder)
        ask = await book.ask_to_settle(branch, space.base, "a.py")
        assert (ask.path, ask.start, ask.end, ask.text) == ("a.py", 1, 2, SETTLE)
        again = await book.ask_to_settle(branch, space.base, "a.py")
        assert again == dataclasses.replace(ask, number=ask.number + 1), "it is told again"
        assert await book.asks(branch, space.base) == (again,)
        book = await space.book()  # a restart keeps it
        asked = await book.get(branch)
        assert (asked.files, asked.revision) == (before.files, before.revision)
        for edits in (
            [replace("a.py", "line 5", "FIVE")],
            [replace("a.py", FIRST, "both\n"), replace("b.py", "b", "c")],
            [replace("a.py", FIRST + "line 3\n", "both\n=======\nline 3\n")],
            [*BOTH, replace("a.py", "line 1\n", "=======  \n")],
            [*BOTH, replace("b.py", "b", "<<<<<<< user")],
        ):
            with pytest.raises(
                Conflict, match=r"of a.py: settle each of the 2 places .*<<<<<<< user.*>>>>>>> b1"
            ):
                await book.edit(branch, edits, space.base)
            assert await book.get(branch) == asked
        for edits in UNSEEN:
            with pytest.raises(Conflict, match="rebase the branch"):
                await book.edit(branch, edits, space.base)
            assert await book.get(branch) == asked
        await book.edit(branch, [replace("b.py", "b", "B")], space.base)  # others go on
        assert await conflicts(space, book, branch) == ["a.py"]
        assert (await book.diff(branch, space.base)).conflicts == ("a.py",)
        taken = await book.taken(branch, space.base, EVERYTHING)
        assert ([one.path for one in taken.conflicts], taken.files) == (["a.py"], {})
        assert state_of(space.folder) == disk
        await book.edit(branch, BOTH, space.base)
        settled = swapped("line 2", "both", swapped("line 9", "NINE\nnine"))
        assert await content(book, space, branch) == {"a.py": settled, "b.py": "B\n"}
        assert await conflicts(space, book, branch) == []
        assert (await book.get(branch)).asks == ()
        assert "-TWO\n+both\n" in (await book.diff(branch, space.base)).text


DIFF = (
    "--- a/a.py\n+++ b/a.py\n@@ -1,7 +1,3 @@\n line 1\n-<<<<<<< user\n-TWO\n-=======\n-two\n"
    "->>>>>>> b1\n+2\n line 3\n@@ -12,6 +8,2 @@\n line 8\n-<<<<<<< user\n-NINE\n-=======\n"
    "-nine\n->>>>>>> b1\n+9\n"
)
SETTLING: dict[str, tuple[list[Any], str]] = {
    "a diff": (
        [{"kind": "diff", "text": DIFF}],
        swapped("line 2", "2", swapped("line 9", "9")),
    ),
    "as it is in the branch": (
        [replace("a.py", FIRST, "two\n"), replace("a.py", SECOND, "nine\n")],
        swapped("line 2", "two", swapped("line 9", "nine")),
    ),
    "as the user has it": (
        [replace("a.py", FIRST, "TWO\n"), replace("a.py", SECOND, "NINE\n")],
        YOURS,
    ),
}


@pytest.mark.parametrize("how", SETTLING)
async def test_whatever_settles_it_ends_the_ask(tmp_path: Path, how: str) -> None:
    edits, after = SETTLING[how]
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await collided(space, book)
        await book.ask_to_settle(branch, space.base, "a.py")
        await book.edit(branch, edits, space.base)
        found = (await book.snapshot(branch, space.base)).read("a.py")
        assert found is not None
        assert found.content == after
        assert await conflicts(space, book, branch) == []
        assert (await book.get(branch)).asks == ()


@pytest.mark.parametrize("end", ["\r\n", "\r"])
async def test_a_text_keeps_its_line_ends(tmp_path: Path, end: str) -> None:
    async with workspace(tmp_path, {"a.py": BASE.replace("\n", end)}) as space:
        book = await space.book()
        branch = await collided(space, book, end, last="\n")
        await book.ask_to_settle(branch, space.base, "a.py")
        (marked,) = (await book.both_sides(branch, space.base)).values()
        whole = swapped("line 2\n", FIRST, swapped("line 9\n", SECOND))
        assert marked.text.content == whole.replace("\n", end)
        assert ["\n".join(place) + "\n" for place in marked.places()] == [FIRST, SECOND]


async def test_marks_are_no_lines_of_either_side(tmp_path: Path) -> None:
    text = BASE + "Title\n=======\n"
    async with workspace(tmp_path, {"a.py": text}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [replace("a.py", "line 5", "five")], space.base)
        space.write("a.py", swapped("line 5", "FIVE", text))
        await book.ask_to_settle(branch, space.look(), "a.py")
        place = "<<<<<<<< user\nFIVE\n========\nfive\n>>>>>>>> b1\n"
        await book.edit(branch, [replace("a.py", place, "5\n")], space.base)
        assert await content(book, space, branch) == {"a.py": swapped("line 5", "5", text)}


async def test_it_is_the_users_to_take_back_and_to_settle(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await collided(space, book)
        ask = await book.ask_to_settle(branch, space.base, "a.py")
        await book.unask(branch, ask.number)
        with pytest.raises(Conflict, match="rebase the branch"):
            await book.edit(branch, [write("a.py", "mine\n")], space.base)
        await book.ask_to_settle(branch, space.base, "a.py")
        space.write("a.py", BASE)  # nothing collides any more
        assert await book.asks(branch, space.look()) == ()
        await book.edit(branch, [replace("b.py", "b", "B")], space.base)
        space.write("a.py", YOURS)
        other = await book.ask(branch, space.look(), Ask(0, 0, "a.py", 3, 4, "more"))
        asks = await book.asks(branch, space.base)
        assert [one.text for one in asks] == [SETTLE, "more"], "what was left is again as it was"
        await book.ask_to_settle(branch, space.base, "a.py")
        report = await book.rebase(branch, space.base, {"a.py": "mine\nline 4\n"})
        assert report.conflicts == ()
        assert [one.number for one in (await book.get(branch)).asks] == [other.number]


async def test_what_collides_since_the_user_asked_is_not_left_to_the_agent(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [replace("a.py", "line 2", "two"), replace("a.py", "line 9", "nine")]
        await book.edit(branch, edits, space.base)
        space.write("a.py", swapped("line 2", "TWO"))
        ask = await book.ask_to_settle(branch, space.look(), "a.py")
        await book.edit(branch, [write("b.py", "b\n")], space.base)
        space.write("a.py", "new\n" + swapped("line 2", "TWO"))
        assert [one.number for one in await book.asks(branch, space.look())] == [ask.number]
        for yours in (swapped("line 9", "NINE"), YOURS, swapped("line 2", "another")):
            space.write("a.py", yours)
            assert await book.asks(branch, space.look()) == ()
            assert await book.both_sides(branch, space.base) == {}
            for edit in (replace("a.py", FIRST, "2\n"), replace("a.py", SECOND, "9\n")):
                with pytest.raises(Conflict, match="rebase the branch"):
                    await book.edit(branch, [edit], space.base)
            assert await conflicts(space, book, branch) == ["a.py"]
        space.write("a.py", BASE)  # as who has a window of another text edits it
        await book.edit(branch, [write("b.py", "c\n")], space.look())
        book = await space.book()
        space.write("a.py", swapped("line 2", "TWO"))
        assert [one.number for one in await book.asks(branch, space.look())] == [ask.number]
        await book.edit(branch, [replace("a.py", FIRST, "2\n")], space.base)
        assert await book.asks(branch, space.base) == ()
        assert (await book.get(branch)).asks == ()


async def test_what_has_no_lines_in_common_is_not_left_to_the_agent(tmp_path: Path) -> None:
    files = {"a.py": BASE, "b.py": BASE, "c.py": BASE, "d.py": BASE}
    async with workspace(tmp_path, files) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [
            replace("a.py", "line 5", "five"),
            delete("b.py"),
            rename("c.py", "z.py"),
            rename("d.py", "y.py"),
            replace("y.py", "line 5", "five"),
        ]
        await book.edit(branch, edits, space.base)
        with pytest.raises(BadInput, match="no conflict there"):
            await book.ask_to_settle(branch, space.base, "a.py")
        (space.folder / "a.py").unlink()
        space.write("b.py", YOURS)
        space.write("c.py", YOURS)  # and under the new name there is a file of the user's
        space.write("z.py", "the user's\n")
        space.write("d.py", swapped("line 5", "FIVE"))
        space.look()
        before, disk = await book.get(branch), state_of(space.folder)
        assert await conflicts(space, book, branch) == ["a.py", "b.py", "y.py", "z.py"]
        for path in ("a.py", "b.py", "y.py", "z.py"):
            with pytest.raises(BadInput, match="whole files collide"):
                await book.ask_to_settle(branch, space.base, path)
        assert (await book.get(branch), state_of(space.folder)) == (before, disk)


UNSHOWN = {
    "many lines": "".join(f"yours {n}\n" for n in range(250)),
    "a long line": "x" * 301 + "\n",
    "what hides": "o\u200bne\n",
}


@pytest.mark.parametrize("how", UNSHOWN)
async def test_what_cannot_be_shown_whole_is_not_left_to_the_agent(
    tmp_path: Path, how: str
) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await collided(space, book)
        await book.ask_to_settle(branch, space.base, "a.py")
        space.write("a.py", swapped("TWO\n", UNSHOWN[how], YOURS))
        kept = await book.get(branch)
        with pytest.raises(BadInput, match="cannot be shown") as refused:
            await book.ask_to_settle(branch, space.look(), "a.py")
        assert refused.value.code == "too-large"
        assert await book.both_sides(branch, space.base) == {}
        with pytest.raises(Conflict, match="rebase the branch"):
            await book.edit(branch, [replace("a.py", SECOND, "9\n")], space.base)
        assert await book.get(branch) == kept


@pytest.mark.parametrize(("yours", "its"), [("", "\n"), ("\n", ""), ("", ""), ("\r\n", "\n")])
async def test_a_last_line_ends_as_the_users(tmp_path: Path, yours: str, its: str) -> None:
    end = "\r\n" if yours == "\r\n" else "\n"
    before, at = f"one{end}", "last"
    async with workspace(tmp_path, {"a.py": f"{before}{at}{end}"}) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.py", f"{before}its{end if its else ''}")], space.base)
        space.write("a.py", f"{before}yours{yours}")
        await book.ask_to_settle(branch, space.look(), "a.py")
        place = "<<<<<<< user\nyours\n=======\nits\n>>>>>>> b1\n"
        await book.edit(branch, [replace("a.py", place, "both\n")], space.base)
        assert await content(book, space, branch) == {"a.py": f"{before}both{yours}"}


async def test_the_agent_is_told_both_sides_as_its_edit_finds_them(tmp_path: Path) -> None:
    long = "".join(f"yours {n}\n" for n in range(190))
    async with open_session(tmp_path, {"a.txt": "one\n", "b.txt": "two\n"}, {}) as session:
        base, book = session.bases.own, session.branches
        branch = (await book.create("x")).id
        await book.edit(branch, [write("a.txt", "1\n"), write("b.txt", "2\n")], await base.fresh())
        (session.root.path / "a.txt").write_text("ONE\n")
        (session.root.path / "b.txt").write_text(long)
        for path in ("a.txt", "b.txt"):
            await book.ask_to_settle(branch, await base.fresh(), path)
        told: set[tuple[str, int, int]] = set()
        lines = await asks_told(session, base, told)
        at = lines.index(f"    >>>>>>> {branch}") + 1
        how = "Replacements and diffs of the file find both, as below; in one call, leave no mark"
        first = f"{branch}: a.txt:1: {SETTLE}"
        assert lines[1:at] == [
            f"{first}. {how}",
            *("    " + line for line in ("<<<<<<< user", "ONE", "=======", "1")),
            f"    >>>>>>> {branch}",
        ]
        assert lines[at].startswith(f"{branch}: b.txt:1: ")
        assert lines[at + 1 : at + 3] == ["    <<<<<<< user", "    yours 0"]
        assert len(lines[at + 1 :]) == 194
        shown = await asked_lines(session, base, branch)
        at = lines.index(f"    >>>>>>> {branch}") + 1
        assert shown == [
            f"asked: {lines[1]}",
            *lines[2:at],
            f"asked: {lines[at]}",
            *lines[at + 1 :],
        ]
        assert await asks_told(session, base, told) == []
        await book.ask_to_settle(branch, await base.fresh(), "a.txt")
        (session.root.path / "a.txt").write_text("one\n")
        assert await asks_told(session, base, told) == [], "there is nothing to settle just now"
        (session.root.path / "a.txt").write_text("ONE\n")
        assert await asks_told(session, base, told, branch) == [], "who lives there finds no marks"
        lines = await asks_told(session, base, told)
        assert lines[2:] == [
            f"    {line}" for line in ("<<<<<<< user", "ONE", "=======", "1", f">>>>>>> {branch}")
        ]
