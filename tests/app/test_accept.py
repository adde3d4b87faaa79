"""The user's accept: merged or refused, never an overwrite, and the branch goes only afterwards."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.branch_cases import BASE, MOVES, rename, replace, swapped, write
from tests.support.code_projects import written
from tests.support.workspace import state_of, workspace
from understudy.app.accept.files import changed_files
from understudy.app.accept.folder import accept
from understudy.disk.folder import write as folder_write
from understudy.values.errors import BadInput, Conflict, OutsideFailure


@pytest.mark.parametrize("name", MOVES)
async def test_an_accept_onto_moved_text(tmp_path: Path, name: str):
    edits, user, expected, conflicts = MOVES[name]
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, edits, space.base)
        for path, text in user.items():
            (space.folder / path).unlink() if text is None else space.write(path, text)
        space.look()
        before = state_of(space.folder)
        if conflicts:
            with pytest.raises(Conflict) as caught:
                await accept(book, branch.id, space.base)
            assert (caught.value.code, caught.value.where) == ("conflict", conflicts[0])
            assert state_of(space.folder) == before
            assert [summary.ended for summary in book.summaries(archived=True)] == [None]
            return
        report = await accept(book, branch.id, space.base)
        assert {*report.written, *report.deleted} == set(expected)
        for path, text in expected.items():
            assert (space.folder / path).exists() == (text is not None)
            assert text is None or space.read(path) == text.encode()
        assert [summary.ended for summary in book.summaries(archived=True)] == ["accepted"]


async def test_an_accept_is_what_git_makes_of_the_diff(tmp_path: Path):
    files = {
        "a.py": BASE,
        "crlf.py": BASE.replace("\n", "\r\n"),
        "bom.py": b"\xef\xbb\xbf" + BASE.encode(),
        "latin.py": b"# caf\xe9\n" + BASE.encode(),
        "noend.py": "x = 1",
        "old name.py": BASE,
        "gone.py": BASE,
        "alone/deep/gone.py": BASE,
        "pair/gone.py": BASE,
        "pair/stays.py": BASE,
        "moved/old.py": BASE,
        "empty.py": "",
    }
    async with workspace(tmp_path, files) as space:
        book = await space.book()
        branch = await book.create("x")
        edits = [
            *(
                replace(name, "line 5", "FIVE")
                for name in ("a.py", "crlf.py", "bom.py", "latin.py")
            ),
            write("noend.py", "x = 2"),
            write("empty.py", "e\n"),
            write("néw/file.py", "n\n"),
            {"kind": "rename", "path": "old name.py", "to": "new name.py"},
            replace("new name.py", "line 9", "NINE"),
            *({"kind": "delete", "path": path} for path in files if path.endswith("gone.py")),
            {"kind": "rename", "path": "moved/old.py", "to": "there/new.py"},
        ]
        await book.edit(branch.id, edits, space.base)
        diff = (await book.diff(branch.id, space.base)).text
        copy = applied_by_git(space.folder, diff)
        await accept(book, branch.id, space.base)
        ours, gits = (
            {str(path).removeprefix(str(folder)): state[0] for path, state in found.items()}
            for folder, found in ((f, state_of(f)) for f in (space.folder, copy))
        )
        assert ours == gits
        folders = {path.name for path in space.folder.iterdir() if path.is_dir()}
        assert folders == {"néw", "pair", "there"}, "what the deletions left empty is gone"


def applied_by_git(folder: Path, diff: str) -> Path:
    """A copy of the folder with the diff applied."""
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=copy, input=diff.encode("utf-8", "surrogateescape"), check=True,
    )  # fmt: skip
    return copy


async def test_text_that_moves_after_the_scan_is_never_overwritten(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, [replace("a.py", "line 5", "FIVE")], space.base)
        space.write("a.py", swapped("line 9", "saved just now"))  # and no look at it
        with pytest.raises(Conflict) as caught:
            await accept(book, branch.id, space.base)
        assert caught.value.where == "a.py"
        assert space.read("a.py") == swapped("line 9", "saved just now").encode()
        report = await accept(book, branch.id, space.look())
        assert report.merged == ("a.py",)


async def test_a_failure_half_way_keeps_the_branch_and_a_second_try_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        edits = [replace(path, "line 5", "FIVE") for path in ("a.py", "b.py")]
        await book.edit(branch.id, edits, space.base)
        commit = folder_write._Work.commit

        def failing(work, change):
            if change.path == "b.py":
                raise OSError(28, "No space left on device")
            commit(work, change)

        with monkeypatch.context() as patch:
            patch.setattr(folder_write._Work, "commit", failing)
            with pytest.raises(OutsideFailure, match="as it was"):
                await accept(book, branch.id, space.base)
        assert space.read("a.py") == BASE.encode()
        assert [summary.id for summary in book.summaries()] == [branch.id]
        report = await accept(book, branch.id, space.look())
        assert report.written == ("a.py", "b.py")


async def test_an_accept_that_was_killed_half_way_can_be_given_again(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        edits = [replace(path, "line 5", "FIVE") for path in ("a.py", "b.py")]
        await book.edit(branch.id, edits, space.base)
        space.write("a.py", swapped("line 5", "FIVE"))  # as the killed one left it
        report = await accept(book, branch.id, space.look())
        assert report.written == ("b.py",)
        assert space.read("a.py") == space.read("b.py") == swapped("line 5", "FIVE").encode()


async def test_open_buffers_are_not_undermined(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, [replace("a.py", "line 5", "FIVE")], space.base)
        space.type("a.py", BASE)
        with pytest.raises(BadInput) as caught:
            await accept(book, branch.id, space.base)
        assert caught.value.code == "unsaved-buffers"
        assert space.read("a.py") == BASE.encode()


async def test_the_mode_of_a_file_survives_a_rename(tmp_path: Path):
    async with workspace(tmp_path, {"tool.py": BASE}) as space:
        (space.folder / "tool.py").chmod(0o755)
        space.look()
        book = await space.book()
        branch = await book.create("x")
        edit = {"kind": "rename", "path": "tool.py", "to": "bin/tool.py"}
        await book.edit(branch.id, [edit], space.base)
        await accept(book, branch.id, space.base)
        assert os.access(space.folder / "bin" / "tool.py", os.X_OK)
        assert not (space.folder / "tool.py").exists()


async def test_what_a_branch_changes_in_one_file_is_asked_by_either_of_its_names(tmp_path: Path):
    folder = written({"a.py": "a\n", "old.py": "o\n"}, tmp_path / "folder")
    async with rehearsals(folder, tmp_path / "state", "ruff") as live:
        session, base = live.session, await live.session.fresh_base()
        branch = await session.branches.create("x")
        edits = [write("a.py", "b\n"), write("b.py", "new\n"), rename("old.py", "new.py")]
        await session.branches.edit(branch.id, edits, base)
        _, changes = await changed_files(session, branch.id, base)
        assert [one.path for one in changes] == ["a.py", "b.py", "new.py"]
        for path, expected in {"a.py": 0, "b.py": 1, "new.py": 2, "old.py": 2}.items():
            _, found = await changed_files(session, branch.id, base, path)
            assert found == [changes[expected]]
        assert (await changed_files(session, branch.id, base, "c.py"))[1] == []
