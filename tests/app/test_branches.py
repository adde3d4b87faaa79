"""The verbs on branches: all or nothing, in order, kept, and never in the user's folder."""

import asyncio
import os
import threading
from pathlib import Path

import pytest

from tests.support.branch_cases import BASE, content, delete, rename, replace, swapped, write
from tests.support.workspace import state_of, workspace
from understudy.disk.journal import rows as journal_rows
from understudy.shadow.asks import Ask
from understudy.values.errors import BadInput, OutsideFailure

BATCHES = {
    "write": ([write("new.py", "n")], {"new.py": "n"}, {}),
    "same text": ([write("a.py", "a1\na2\n")], {}, {}),
    "written and deleted": ([write("new.py", "n"), delete("new.py")], {}, {}),
    "delete": ([delete("a.py")], {"a.py": None}, {}),
    "deleted and written as it was": ([delete("a.py"), write("a.py", "a1\na2\n")], {}, {}),
    "rename": (
        [rename("a.py", "z.py"), replace("z.py", "a1", "z1")],
        {"a.py": None, "z.py": "z1\na2\n"},
        {"z.py": "a.py"},
    ),
    "renamed twice": (
        [rename("a.py", "y.py"), rename("y.py", "z.py")],
        {"a.py": None, "z.py": "a1\na2\n"},
        {"z.py": "a.py"},
    ),
    "renamed there and back": ([rename("a.py", "z.py"), rename("z.py", "a.py")], {}, {}),
    "a new file renamed": ([write("n.py", "n"), rename("n.py", "m.py")], {"m.py": "n"}, {}),
    "renamed and the old name taken": (
        [rename("a.py", "z.py"), write("a.py", "new")],
        {"a.py": "new", "z.py": "a1\na2\n"},
        {},
    ),
    "a file becomes a folder": (
        [delete("a.py"), write("a.py/inner.py", "i")],
        {"a.py": None, "a.py/inner.py": "i"},
        {},
    ),
}


@pytest.mark.parametrize("at_once", [True, False], ids=["one batch", "a batch each"])
@pytest.mark.parametrize("name", BATCHES)
async def test_edits_add_up_the_same_in_one_batch_or_many(tmp_path: Path, name: str, at_once: bool):
    edits, expected, origins = BATCHES[name]
    async with workspace(tmp_path, {"a.py": "a1\na2\n"}) as space:
        book = await space.book()
        branch = await book.create("x")
        for batch in [edits] if at_once else [[edit] for edit in edits]:
            await book.edit(branch.id, batch, space.base)
        assert await content(book, space, branch.id) == expected
        assert dict((await book.snapshot(branch.id, space.base)).origins) == origins
        book = await space.book()  # and so after a restart
        assert await content(book, space, branch.id) == expected


async def test_a_batch_is_all_or_nothing_also_after_a_restart(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": "a"}) as space:
        book = await space.book()
        branch = await book.create("x")
        before = (await book.edit(branch.id, [write("b.py", "b")], space.base)).branch
        bad = [write("c.py", "c"), delete("b.py"), replace("a.py", "nowhere", "x")]
        with pytest.raises(BadInput) as caught:
            await book.edit(branch.id, bad, space.base)
        assert caught.value.code == "no-match"
        assert caught.value.where is not None
        assert caught.value.where.startswith("edits[2] a.py")
        assert await book.get(branch.id) == before
        assert (await (await space.book()).get(branch.id)).stamp == before.stamp


async def test_a_stale_stamp_is_refused_and_a_fresh_one_taken(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book()
        branch = await book.create("x")
        first = await book.edit(branch.id, [write("a.py", "1")], space.base, branch.stamp)
        with pytest.raises(BadInput) as caught:
            await book.edit(branch.id, [write("a.py", "2")], space.base, branch.stamp)
        assert (caught.value.code, caught.value.where) == ("stale-stamp", branch.id)
        assert first.branch.stamp in caught.value.text
        second = await book.edit(branch.id, [write("a.py", "2")], space.base, first.branch.stamp)
        assert second.changed == ("a.py",)


@pytest.mark.parametrize("verb", ["get", "edit", "rebase", "snapshot", "diff", "discard"])
async def test_an_unknown_branch_is_named(tmp_path: Path, verb: str):
    async with workspace(tmp_path) as space:
        book = await space.book()
        arguments = {"get": (), "discard": (), "edit": ([], space.base)}.get(verb, (space.base,))
        with pytest.raises(BadInput) as caught:
            await getattr(book, verb)("b7", *arguments)
        assert (caught.value.code, caught.value.where) == ("unknown-branch", "b7")


@pytest.mark.parametrize("title", ["x" * 201, "two\nlines", "\x1b[31m", "\ud800"])
async def test_a_title_is_one_printable_line(tmp_path: Path, title: str):
    async with workspace(tmp_path) as space:
        book = await space.book()
        with pytest.raises(BadInput) as caught:
            await book.create(title)
        assert caught.value.code == "bad-title"
        assert book.summaries() == []


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("folder", "is-folder"),
        ("pipe", "not-a-file"),
        ("a.py/inner.py", "not-a-folder"),
        ("out/x.py", "outside-root"),
        ("../x.py", "outside-root"),
        (".git/config", "outside-root"),
        ("huge.py", "too-large"),
        ("binary.py", "not-text"),
    ],
)
async def test_what_cannot_be_written_over(tmp_path: Path, path: str, code: str):
    async with workspace(tmp_path, {"a.py": "a", "binary.py": b"\0"}) as space:
        (space.folder / "folder").mkdir()
        os.mkfifo(space.folder / "pipe")
        (space.folder / "out").symlink_to(tmp_path)
        space.write("huge.py", "")
        os.truncate(space.folder / "huge.py", 50 * 1024 * 1024)
        book = await space.book()
        branch = await book.create("x")
        with pytest.raises(BadInput) as caught:
            await book.edit(branch.id, [write(path, "x")], space.look())
        assert caught.value.code == code
        assert path.rsplit("/", maxsplit=1)[-1] in (caught.value.where or "")
        assert (await book.get(branch.id)).revision == 0


async def test_edits_of_a_branch_go_one_after_the_other_none_lost(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": "".join(f"<{n}>\n" for n in range(50))}) as space:
        book = await space.book()
        branches = [await book.create(f"agent {n}") for n in range(3)]
        await asyncio.gather(
            *(
                book.edit(b.id, [replace("a.py", f"<{n}>", f"{b.id}:{n}")], space.base)
                for n in range(50)
                for b in branches
            )
        )
        for b in branches:
            expected = "".join(f"{b.id}:{n}\n" for n in range(50))
            assert await content(book, space, b.id) == {"a.py": expected}
            assert (await book.get(b.id)).revision == 50


async def test_who_waits_for_a_branch_that_is_discarded_meanwhile_is_told(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book()
        branch = await book.create("x")
        results = await asyncio.gather(
            book.edit(branch.id, [write("a.py", "a")], space.base),
            book.discard(branch.id),
            book.edit(branch.id, [write("b.py", "b")], space.base),
            return_exceptions=True,
        )
        assert results[1] is None
        assert isinstance(results[2], BadInput)
        assert (results[2].code, results[2].text) == ("unknown-branch", "the branch was discarded")
        assert [(s.id, s.revision) for s in book.summaries(archived=True)] == [("b1", 1)]


async def test_a_caller_who_goes_away_leaves_memory_and_journal_of_one_mind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    writing, go = threading.Event(), threading.Event()
    write_branch = journal_rows.write_branch

    def slow_write(*arguments):
        writing.set()
        assert go.wait(60)
        write_branch(*arguments)

    async with workspace(tmp_path) as space:
        book = await space.book()
        branch = await book.create("x")
        monkeypatch.setattr(journal_rows, "write_branch", slow_write)
        edit = asyncio.ensure_future(book.edit(branch.id, [write("a.py", "a")], space.base))
        assert await asyncio.to_thread(writing.wait, 60)
        edit.cancel()
        await asyncio.wait([edit])
        assert edit.cancelled()
        go.set()
        last = await book.edit(branch.id, [write("b.py", "last")], space.base)
        assert (last.branch.revision, sorted(last.branch.files)) == (2, ["a.py", "b.py"])
        restarted = await space.book()
        assert (await restarted.get(branch.id)).stamp == last.branch.stamp


async def test_a_full_disk_is_a_named_error_and_the_branch_is_as_it_was(tmp_path: Path):
    async with workspace(tmp_path) as space:
        book = await space.book()
        branch = await book.create("x")
        before = (await book.edit(branch.id, [write("a.py", "a")], space.base)).branch
        assert space.journal is not None
        database = space.journal._database
        await space.journal._run(lambda _: None)
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        noise = os.urandom(100_000).hex()
        with pytest.raises(OutsideFailure) as caught:
            await book.edit(branch.id, [write("a.py", noise)], space.base)
        assert caught.value.code == "journal-failed"
        assert "full" in caught.value.text
        assert await book.get(branch.id) == before
        database.execute("PRAGMA max_page_count = 1000000")
        after = await book.edit(branch.id, [write("a.py", noise)], space.base)
        assert after.branch.revision == before.revision + 1


async def test_an_ask_about_a_file_that_the_branch_has_not_edited_goes_with_its_lines(
    tmp_path: Path,
):
    async with workspace(tmp_path, {"a.py": "a1\na2\n", "b.py": "b1\nb2\nb3\n"}) as space:
        book = await space.book()
        branch = await book.create("x")
        await book.edit(branch.id, [write("a.py", "new\n")], space.base)
        await book.ask(branch.id, space.base, Ask(0, 0, "b.py", 1, 2, "shorter"))

        async def places() -> list[tuple[int, int]]:
            return [(one.start, one.end) for one in await book.asks(branch.id, space.base)]

        space.type("b.py", "above\nb1\nb2\nb3\n")
        assert await places() == [(2, 3)]
        book = await space.book()
        assert await places() == [(2, 3)]
        space.type("b.py", "above\nb1\nother\nb3\n")
        assert await places() == [], "the user has changed it"
        space.type("b.py", "above\nb1\nb2\nb3\n")
        await book.edit(branch.id, [replace("b.py", "b1", "first\nb1")], space.base)
        assert await places() == [(3, 4)]


async def test_no_number_of_an_ask_comes_back(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": "a1\na2\n"}) as space:
        book = await space.book()
        branch = await book.create("x")
        numbers: list[int] = []
        for _ in range(3):
            made = await book.ask(branch.id, space.base, Ask(0, 0, "a.py", 0, 1, ""))
            await book.unask(branch.id, made.number)
            numbers.append(made.number)
            book = await space.book()
        assert numbers == [1, 2, 3]


async def test_no_verb_but_accept_touches_the_users_folder(tmp_path: Path):
    async with workspace(tmp_path, {"a.py": BASE, "src/b.py": "b"}) as space:
        (space.folder / ".git").mkdir()
        (space.folder / ".git" / "index").write_bytes(b"DIRC")
        before = state_of(space.folder)
        book = await space.book()
        branch = await book.create("x")
        await book.edit(
            branch.id,
            [replace("a.py", "line 1", "ONE"), delete("src/b.py"), write("new/c.py", "c")],
            space.look(),
        )
        space.type("a.py", swapped("line 9", "NINE"))
        await book.rebase(branch.id, space.base)
        await book.diff(branch.id, space.base)
        await book.snapshot(branch.id, space.base)
        await book.discard(branch.id)
        await book.expire()
        assert state_of(space.folder) == before
