"""Edits that came into the folder another way: their branch says so, and is whole all the same."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.branch_cases import BASE, content, delete, rename, replace, swapped, write
from tests.support.workspace import Workspace, state_of, workspace
from understudy.disk.folder.scan import FolderReader
from understudy.shadow.asks import Ask
from understudy.shadow.base import Buffer
from understudy.values.texts import PackedText, Text
from understudy.workspace import workers
from understudy.workspace.branches import in_folder
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.in_folder import InFolder

FIVE = swapped("line 5", "FIVE")
CASES: dict[str, tuple[list[Any], dict[str, str | None], bool]] = {
    # a branch's edits, what the folder has later, whether that is all of them
    "the same text": ([write("a.py", FIVE)], {"a.py": FIVE}, True),
    "and more in other lines": ([write("a.py", FIVE)], {"a.py": "new\n" + FIVE}, True),
    "nothing has come": ([write("a.py", FIVE)], {}, False),
    "one of two files": (
        [write("a.py", FIVE), write("b.py", "b\n")],
        {"a.py": FIVE},
        False,
    ),
    "one of two lines": (
        [replace("a.py", "line 1\n", "ONE\n"), replace("a.py", "line 9", "NINE")],
        {"a.py": swapped("line 9", "NINE")},
        False,
    ),
    "other line ends": ([write("a.py", FIVE)], {"a.py": FIVE.replace("\n", "\r\n")}, True),
    "a new file": ([write("new/b.py", "b\n")], {"new/b.py": "b\n"}, True),
    "a deleted file": ([delete("a.py")], {"a.py": None}, True),
    "a renamed file": ([rename("a.py", "z.py")], {"a.py": None, "z.py": BASE}, True),
    "half a rename": ([rename("a.py", "z.py")], {"z.py": BASE}, False),
    "a renamed file that was edited, too": (
        [rename("a.py", "z.py"), replace("z.py", "line 5", "FIVE")],
        {"a.py": None, "z.py": "new\n" + FIVE},
        False,  # whether that is the same file nobody can know
    ),
    "a third text": ([write("a.py", FIVE)], {"a.py": swapped("line 5", "V")}, False),
    "no text": ([write("a.py", FIVE)], {"a.py": "\0\0"}, False),
}


class Looking:
    """Looks after the branches of a book, as a host does."""

    def __init__(self, space: Workspace, book: BranchBook) -> None:
        self.documents: dict[str, str] = {}
        self.heard = asyncio.Event()
        self.n_heard = 0
        self.of = InFolder(space.root, space.tasks, book, self._open, self._hear)

    async def look(self) -> set[str]:
        return set(await self.of.look())

    def _open(self, paths: Collection[str]) -> list[Mapping[str, Buffer]]:
        shown = {
            path: Buffer(PackedText.pack(Text(text)), "plaintext", 1)
            for path, text in self.documents.items()
            if path in paths
        }
        return [shown] if shown else []

    def _hear(self) -> None:
        self.n_heard += 1
        self.heard.set()


class Counted(workers.Workers):
    """Workers that say how often they were asked, and begin when they may."""

    def __init__(self, inline_below: int = workers.INLINE_BELOW) -> None:
        super().__init__(inline_below)
        self.n_asked = 0
        self.may_begin = asyncio.Event()
        self.may_begin.set()

    async def run(self, function: Callable[..., Any], *args: Any, size: int) -> Any:
        self.n_asked += 1
        await self.may_begin.wait()
        return await super().run(function, *args, size=size)


def come(space: Workspace, files: Mapping[str, str | None]) -> None:
    for path, text in files.items():
        (space.folder / path).unlink() if text is None else space.write(path, text)


def age(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files have stood still for long: what was read of them is known by their fingerprints."""
    monkeypatch.setattr(in_folder, "_YOUNG_NS", 0)
    for path in space.folder.rglob("*.py"):
        os.utime(path, (1, 1))


async def edited(book: BranchBook, space: Workspace, edits: list[Any]) -> str:
    branch = (await book.create("x")).id
    await book.edit(branch, edits, space.base)
    return branch


@pytest.mark.parametrize("name", CASES)
async def test_what_the_folder_has_already(tmp_path: Path, name: str) -> None:
    edits, files, is_there = CASES[name]
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, edits)
        looking = Looking(space, book)
        assert looking.of.now() == {}
        assert await looking.look() == set()
        come(space, files)
        before = state_of(space.folder)
        kept = await book.get(branch)
        assert await looking.look() == ({branch} if is_there else set())
        assert (looking.n_heard, looking.of.now()) == (is_there, {branch: is_there})
        if is_there:  # it is what every face shows of the branch: a diff without text
            shown = await book.diff(branch, space.look())
            assert (shown.text, shown.conflicts) == ("", ())
        assert (await book.get(branch), state_of(space.folder)) == (kept, before)


async def test_it_is_an_ordinary_branch_again_when_the_text_goes_back(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        for text, found in ((FIVE, {branch}), (BASE, set[str]()), (FIVE, {branch})):
            space.write("a.py", text)
            assert await looking.look() == found
        assert looking.n_heard == 3
        book = await space.book()
        space.write("a.py", BASE)
        assert await Looking(space, book).look() == set()
        space.look()
        assert await content(book, space, branch) == {"a.py": FIVE}


async def test_what_its_agent_adds_is_no_more_in_the_folder_at_once(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        space.write("a.py", FIVE)
        assert await looking.look() == {branch}
        await book.edit(branch, [replace("a.py", "line 1\n", "ONE\n")], space.look())
        assert looking.of.now() == {branch: False}
        assert await looking.look() == set()
        await book.edit(branch, [replace("a.py", "ONE\n", "line 1\n")], space.look())
        assert await looking.look() == set(), "nothing is left of it"
        await book.discard(branch)
        assert (await looking.look(), looking.of.now()) == (set(), {})


async def test_what_comes_with_its_edit_is_told_of_again(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        space.write("a.py", FIVE)
        assert await looking.look() == {branch}
        later = swapped("line 1\n", "ONE\n", FIVE)
        await book.edit(branch, [write("a.py", later)], space.look())
        assert looking.of.now() == {branch: False}  # as who hears of the edit is told
        space.write("a.py", later)
        assert await looking.look() == {branch}
        assert looking.n_heard == 2


async def test_a_file_that_cannot_be_reached_is_not_taken_for_deleted(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"sub/a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [delete("sub/a.py")])
        looking = Looking(space, book)
        (space.folder / "sub/a.py").unlink()
        assert await looking.look() == {branch}
        (space.folder / "sub").rmdir()
        (space.folder / "sub").symlink_to("sub")  # so that nobody can look into it
        assert await looking.look() == set()
        (space.folder / "sub").unlink()
        assert await looking.look() == {branch}


async def test_a_look_that_fails_leaves_nothing_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: FolderReader, path: str) -> None:
        raise RuntimeError(path)

    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        space.write("a.py", FIVE)
        assert await looking.look() == {branch}
        monkeypatch.setattr(FolderReader, "fingerprint", broken)
        with pytest.raises(RuntimeError):
            await looking.look()
        assert (looking.of.now(), looking.n_heard) == ({branch: False}, 2)
        monkeypatch.undo()
        assert await looking.look() == {branch}


TWO = swapped("line 5\nline 6\n", "FIVE\nSIX\n")
GONE_ON: dict[str, tuple[list[Any], dict[str, str | None], dict[str, str | None]]] = {
    # a branch's edits, what the folder has when they have come, what it has after that
    "a line is refined": (
        [write("a.py", FIVE)],
        {"a.py": FIVE},
        {"a.py": swapped("FIVE", "FIVE and more", FIVE)},
    ),
    "one of two lines is as before": (
        [write("a.py", TWO)],
        {"a.py": TWO},
        {"a.py": swapped("SIX", "line 6", TWO)},
    ),
    "one is as before and one is refined": (
        [write("a.py", TWO)],
        {"a.py": TWO},
        {"a.py": swapped("FIVE\nSIX", "V\nline 6", TWO)},
    ),
    "it is gone": ([write("a.py", FIVE)], {"a.py": FIVE}, {"a.py": None}),
    "an older text": ([write("a.py", FIVE)], {"a.py": FIVE}, {"a.py": "line 1\nolder 5\n"}),
    "a new file with another text": (
        [write("b.py", "b\n")],
        {"b.py": "b\n"},
        {"b.py": "another\n"},
    ),
    "a deleted file is there again": ([delete("a.py")], {"a.py": None}, {"a.py": FIVE}),
    "a renamed one was never in that folder": (
        [rename("a.py", "z.py")],
        {"a.py": None, "z.py": BASE},
        {"a.py": FIVE, "z.py": None},
    ),
}


@pytest.mark.parametrize("name", GONE_ON)
async def test_it_is_shown_again_as_soon_as_a_line_is_another(tmp_path: Path, name: str) -> None:
    edits, came, later = GONE_ON[name]
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, edits)
        looking = Looking(space, book)
        come(space, came)
        assert await looking.look() == {branch}
        come(space, later)
        assert await looking.look() == set()
        shown = await book.diff(branch, space.look())
        assert shown.text or shown.conflicts, "there is something to look at"


async def test_what_a_rebase_or_an_ask_finds_in_the_folder_leaves_the_branch(
    tmp_path: Path,
) -> None:
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE), write("b.py", FIVE)])
        space.write("a.py", "new\n" + FIVE)
        ask = await book.ask(branch, space.look(), Ask(0, 0, "a.py", 0, 1, "older"))
        assert [one.number for one in await book.asks(branch, space.base)] == [ask.number]
        await book.edit(branch, [replace("b.py", "line 1\n", "ONE\n")], space.base)
        space.write("a.py", "newer\nnew\n" + swapped("FIVE", "V", FIVE))
        (moved,) = await book.asks(branch, space.look())
        assert (moved.start, moved.end) == (1, 2), "it is about the line that the user looked at"
        report = await book.rebase(branch, space.base)
        assert report.conflicts == (), "what the user makes of it since is the user's"
        assert list(await content(book, space, branch)) == ["b.py"]


async def test_what_an_editor_has_open_counts_as_well(tmp_path: Path) -> None:
    async with workspace(tmp_path, {"a.py": BASE, "b.py": BASE}) as space:
        book = await space.book()
        renaming = [rename("b.py", "z.py"), replace("z.py", "line 5", "FIVE")]
        branch = await edited(book, space, [write("a.py", FIVE), *renaming])
        looking = Looking(space, book)
        come(space, {"a.py": FIVE, "b.py": None, "z.py": FIVE})
        for path, text, found in (
            ("a.py", BASE, set[str]()),  # the user is taking it back
            ("a.py", FIVE, {branch}),
            ("a.py", swapped("line 9", "typed", FIVE), {branch}),
            ("a.py", swapped("FIVE", "V", FIVE), set[str]()),  # it would collide with what is typed
            ("a.py", FIVE, {branch}),
            ("z.py", FIVE, {branch}),
            ("z.py", BASE, set[str]()),
            ("z.py", FIVE, {branch}),
            ("b.py", BASE, set[str]()),
        ):
            looking.documents[path] = text
            assert await looking.look() == found, (path, text)


async def test_what_stands_still_is_neither_read_nor_merged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[tuple[str, bool]] = []
    here, really = threading.get_ident(), FolderReader.read

    def reading(self: FolderReader, path: str) -> bytes | None:
        read.append((path, threading.get_ident() == here))
        return really(self, path)

    files = {f"{n}.py": BASE for n in range(40)}
    async with workspace(tmp_path, files) as space:
        space.workers = counted = Counted()
        book = await space.book()
        branch = await edited(book, space, [write(path, FIVE) for path in files])
        looking = Looking(space, book)
        nine = swapped("line 9", "NINE")
        come(space, {**dict.fromkeys(files, FIVE), "7.py": nine})
        age(space, monkeypatch)
        looking.documents = {"3.py": swapped("line 9", "typed", FIVE), "4.py": FIVE}
        monkeypatch.setattr(FolderReader, "read", reading)
        assert await looking.look() == set()
        assert {path for path, _ in read} == files.keys()
        assert not any(is_here for _, is_here in read), "the user's typing waits for no disk"
        n_asked = counted.n_asked
        read.clear()
        assert await looking.look() == set()
        assert (read, counted.n_asked) == ([], n_asked)
        come(space, {"7.py": swapped("NINE", "nine", nine)})
        assert await looking.look() == set()
        come(space, {"7.py": "new\n" + FIVE})  # it may come within a tick of the clock
        assert await looking.look() == {branch}
        assert {path for path, _ in read} == {"7.py"}


async def test_a_merge_that_takes_too_long_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        space.workers = counted = Counted(0)
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        monkeypatch.setattr(workers, "WORK_TIMEOUT", 0)
        n_before = counted.n_asked
        space.write("a.py", "new\n" + FIVE)
        for _ in range(3):
            assert await looking.look() == set()
        assert counted.n_asked == n_before + 1
        monkeypatch.undo()
        assert await looking.look() == set()
        space.write("a.py", "newer\n" + FIVE)
        assert await looking.look() == {branch}


async def test_who_is_told_of_it_does_not_wait_and_nobody_looks_for_no_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_folder, "LOOK_SECONDS", 0.01)
    async with workspace(tmp_path, {"a.py": BASE}) as space:
        space.workers = counted = Counted()
        book = await space.book()
        branch = await edited(book, space, [write("a.py", FIVE)])
        looking = Looking(space, book)
        space.write("a.py", "new\n" + FIVE)
        counted.may_begin.clear()
        listeners = ["somebody"]
        for _ in range(2):
            assert await looking.of.known(lambda: bool(listeners)) == {}
        counted.may_begin.set()
        await looking.heard.wait()
        assert looking.of.now() == {branch: True}
        (task,) = (one for one in asyncio.all_tasks() if one.get_name().startswith("look for"))
        listeners.clear()
        await task
        space.write("a.py", BASE)
        assert await looking.of.known(lambda: bool(listeners)) == {branch: False}
        space.write("a.py", FIVE)
        assert await looking.of.known(lambda: bool(listeners)) == {branch: True}
        listeners.append("another")
        looking.heard.clear()
        assert await looking.of.known(lambda: bool(listeners)) == {}, "that was long ago"
        await looking.heard.wait()
        assert looking.of.now() == {branch: True}
        space.write("a.py", BASE)
        looking.heard.clear()
        await looking.heard.wait()
        assert looking.of.now() == {branch: False}
        (task,) = (one for one in asyncio.all_tasks() if one.get_name().startswith("look for"))
        listeners.clear()
        await task
        assert space.tasks.statistics()["background"] == 0
        await space.tasks.close()  # the host ends: what is known is told all the same
        assert await looking.of.known(lambda: True) == {branch: False}
