"""An accept that was broken off between any two of its steps: what the next start makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.workspace import Workspace, state_of, workspace
from understudy.app.accept.folder import accept
from understudy.app.accept.recovery import recover_accepts
from understudy.disk.folder import write as folder_write
from understudy.disk.folder.write import BrokenOff
from understudy.values.errors import NotPutBack, Refused
from understudy.workspace.branches.parts import Wanted

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
FILES = {"a.py": TEXT, "b.py": TEXT, "old/gone.py": TEXT}
EDITS = [
    {"kind": "replace", "path": "a.py", "old": "line 5", "new": "FIVE"},
    {"kind": "replace", "path": "b.py", "old": "line 5", "new": "FIVE"},
    {"kind": "write", "path": "made/deep/new.py", "text": "new\n"},
    {"kind": "delete", "path": "old/gone.py"},
]
NEW = {
    "a.py": TEXT.replace("line 5", "FIVE"),
    "b.py": TEXT.replace("line 5", "FIVE"),
    "made/deep/new.py": "new\n",
}
N_STEPS = len(EDITS)


def break_off(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Let a write end right before its n-th file is put in its place, as a kill does."""
    commit = folder_write._Work.commit
    seen: list[str] = []

    def killed(work, change):
        seen.append(change.path)
        if len(seen) > n:
            raise BrokenOff
        commit(work, change)

    monkeypatch.setattr(folder_write._Work, "commit", killed)


async def broken_off(space: Workspace, n: int, monkeypatch: pytest.MonkeyPatch) -> str:
    book = await space.book()
    branch = (await book.create("x")).id
    await book.edit(branch, EDITS, space.base)
    with monkeypatch.context() as patch:
        break_off(patch, n)
        with pytest.raises(BrokenOff):
            await accept(book, branch, space.base)
    await space.close()
    return branch


async def start(space: Workspace) -> tuple[list[str], list[tuple[str, str | None]]]:
    """What a start tells, and the branches with what ended them."""
    book = await space.book()
    assert space.journal is not None
    told = await recover_accepts(space.root, space.journal)
    assert await space.journal.begun_accepts() == []
    book = await space.book()
    return told, [(one.id, one.ended) for one in book.summaries(archived=True)]


def texts(space: Workspace) -> dict[str, str]:
    return {
        path.relative_to(space.folder).as_posix(): path.read_text()
        for path in sorted(space.folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("n", range(N_STEPS))
async def test_it_is_finished_from_any_step(
    tmp_path: Path, n: int, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        (space.folder / "a.py").chmod(0o755)
        space.look()
        branch = await broken_off(space, n, monkeypatch)
        told, branches = await start(space)
        assert told == [
            f"understudy: an accept of {branch} that was broken off is finished now: 4 files"
        ]
        assert branches == [(branch, "accepted")]
        assert texts(space) == NEW
        assert (space.folder / "a.py").stat().st_mode & 0o777 == 0o755
        assert not (space.folder / "old").exists()
        assert await start(space) == ([], branches)


async def test_before_all_is_prepared_it_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        before = state_of(space.folder)
        book = await space.book()
        branch = (await book.create("x")).id
        await book.edit(branch, EDITS, space.base)
        prepare = folder_write.prepare

        def killed(target, *rest):
            prepare(target, *rest)
            raise BrokenOff

        with monkeypatch.context() as patch:
            patch.setattr(folder_write, "prepare", killed)
            with pytest.raises(BrokenOff):
                await accept(book, branch, space.base)
        assert list(space.folder.rglob("*.understudy"))
        told, branches = await start(space)
        assert "nothing was written yet" in told[0]
        assert branches == [(branch, None)]
        now = state_of(space.folder)
        assert {path: state[0] for path, state in now.items()} == {
            path: state[0] for path, state in before.items()
        }


ELSEWHERE, SAME = (
    ("line 9", "mine"),
    ("line 5", "mine"),
)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("base", ["of before", "of now"])
async def test_what_the_user_writes_before_the_next_start_is_merged(
    tmp_path: Path, n: int, base: str, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await broken_off(space, n, monkeypatch)
        text = texts(space)["b.py"] if base == "of now" else TEXT
        space.write("b.py", text.replace(*ELSEWHERE))
        _, branches = await start(space)
        assert branches == [(branch, "accepted")]
        assert texts(space) == {**NEW, "b.py": NEW["b.py"].replace(*ELSEWHERE)}


USERS: list[tuple[str, Mapping[str, str | bytes | None]]] = [
    ("the same lines", {"b.py": TEXT.replace(*SAME)}),
    ("a deletion", {"a.py": None}),
    ("no text any more", {"b.py": b"\0"}),
    ("a file where one is made", {"made/deep/new.py": "mine\n"}),
    ("a change of the deleted one", {"old/gone.py": "mine\n"}),
]


@pytest.mark.parametrize("n", range(N_STEPS))
@pytest.mark.parametrize(("users"), [user for _, user in USERS], ids=[name for name, _ in USERS])
async def test_where_it_collides_all_but_the_users_text_is_taken_back(
    tmp_path: Path, n: int, users: Mapping[str, str | bytes | None], monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await broken_off(space, n, monkeypatch)
        for path, text in users.items():
            if text is None:
                (space.folder / path).unlink()
            else:
                space.write(path, text)
        told, branches = await start(space)
        assert branches == [(branch, None)], told
        (path, text), *_ = users.items()
        assert path in told[0]
        wanted: dict[str, str | None] = {**FILES}
        for path, text in users.items():
            wanted[path] = text.decode() if isinstance(text, bytes) else text
        assert texts(space) == {path: text for path, text in wanted.items() if text is not None}


@pytest.mark.parametrize("n", range(N_STEPS))
@pytest.mark.parametrize("m", [0, 1])
async def test_a_recovery_that_is_killed_is_recovered(
    tmp_path: Path, n: int, m: int, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await broken_off(space, n, monkeypatch)
        if n + m < N_STEPS:
            await space.book()
            assert space.journal is not None
            with monkeypatch.context() as patch:
                break_off(patch, m)
                with pytest.raises(BrokenOff):
                    await recover_accepts(space.root, space.journal)
        _, branches = await start(space)
        assert branches == [(branch, "accepted")]
        assert texts(space) == NEW


async def test_a_folder_that_leads_elsewhere_by_now_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    outside = tmp_path / "outside"
    outside.mkdir()
    async with workspace(tmp_path, {**FILES, "sub/c.py": TEXT}) as space:
        edit = {"kind": "replace", "path": "sub/c.py", "old": "line 5", "new": "FIVE"}
        monkeypatch.setitem(globals(), "EDITS", [*EDITS, edit])
        branch = await broken_off(space, 1, monkeypatch)
        (strays,) = ((space.folder / "sub").glob("*.understudy"),)
        names = [stray.name for stray in strays]
        (space.folder / "sub").rename(tmp_path / "moved away")
        (space.folder / "sub").symlink_to(outside)
        for name in [*names, "c.py"]:
            (outside / name).write_text(TEXT)
        before = state_of(outside)
        told, branches = await start(space)
        assert state_of(outside) == before
        assert branches == [(branch, None)], told


async def not_put_back(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> str:
    """An accept whose second file fails, when the disk does not take the first one's old text."""
    commit = folder_write._Work.commit

    def failing(work, change):
        if work.undos:
            raise OSError(5, "Input/output error")
        commit(work, change)

    book = await space.book()
    branch = (await book.create("x")).id
    await book.edit(branch, EDITS, space.base)
    with monkeypatch.context() as patch:
        patch.setattr(folder_write._Work, "commit", failing)
        patch.setattr(folder_write._Work, "_put_back", lambda *_: False)
        with pytest.raises(NotPutBack) as caught:
            await accept(book, branch, space.base)
    assert caught.value.text.endswith("not put back: a.py; the next start tries again")
    space.look()
    for restarted in (False, True):
        book = await space.book() if restarted else book
        for leaving in (
            book.discard(branch),
            book.reject(branch, space.base, Wanted(("b.py",))),
            book.taken(branch, space.base, Wanted(("b.py",))),
            accept(book, branch, space.base),
        ):
            with pytest.raises(Refused) as refused:
                await leaving
            assert refused.value.code == "accept-unfinished"
        space.now += 1_000 * 86_400
        assert await book.expire() == ([], [])
        assert space.journal is not None
        assert len(await space.journal.begun_accepts()) == 1
    return branch


@pytest.mark.parametrize("path", ["a.py", "b.py"])
async def test_what_an_agent_adds_before_it_is_finished_stays_in_the_branch(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await not_put_back(space, monkeypatch)
        book = await space.book()
        edit = {"kind": "replace", "path": path, "old": "line 9", "new": "line 9\nadded"}
        await book.edit(branch, [edit], space.base)
        told, branches = await start(space)
        assert "is finished now" in told[0]
        assert branches == [(branch, None)]
        assert texts(space) == NEW
        await accept(await space.book(), branch, space.look())
        assert texts(space) == {**NEW, path: NEW[path].replace("line 9", "line 9\nadded")}


async def test_without_such_an_edit_the_branch_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await not_put_back(space, monkeypatch)
        assert (await start(space))[1] == [(branch, "accepted")]
        assert texts(space) == NEW


async def test_the_other_hunks_of_a_file_stay_in_the_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        both = TEXT.replace("line 1\n", "ONE\n").replace("line 9", "NINE")
        await book.edit(branch, [{"kind": "write", "path": "a.py", "text": both}], space.base)
        taken = await book.taken(branch, space.base, Wanted())
        first = taken.files["a.py"].parts[0].id
        with monkeypatch.context() as patch:
            break_off(patch, 0)
            with pytest.raises(BrokenOff):
                await accept(book, branch, space.base, Wanted(hunks={"a.py": (first,)}))
        assert (await start(space))[1] == [(branch, None)]
        assert texts(space)["a.py"] == TEXT.replace("line 1\n", "ONE\n")
        await accept(await space.book(), branch, space.look())
        assert texts(space)["a.py"] == both


async def test_a_renamed_file_that_the_user_had_changed_is_no_edit_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        book = await space.book()
        branch = (await book.create("x")).id
        edits = [
            {"kind": "rename", "path": "a.py", "to": "to.py"},
            {"kind": "replace", "path": "to.py", "old": "line 5", "new": "FIVE"},
            {"kind": "replace", "path": "b.py", "old": "line 5", "new": "FIVE"},
        ]
        await book.edit(branch, edits, space.base)
        for path in ("a.py", "b.py"):
            space.write(path, TEXT.replace(*ELSEWHERE))
        with monkeypatch.context() as patch:
            break_off(patch, 0)
            with pytest.raises(BrokenOff):
                await accept(book, branch, space.look())
        assert (await start(space))[1] == [(branch, "accepted")]
        assert texts(space)["to.py"] == texts(space)["b.py"] == NEW["b.py"].replace(*ELSEWHERE)


async def broken_off_after_a_link(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> str:
    """An accept that has deleted a link, and collides with what the user has written since."""
    (space.folder / "links").mkdir()
    (space.folder / "links/b.py").symlink_to("../b.py")
    space.look()
    gone = [{"kind": "delete", "path": path} for path in ("links/b.py", "old/gone.py")]
    monkeypatch.setitem(globals(), "EDITS", [EDITS[0], *gone])
    branch = await broken_off(space, 2, monkeypatch)
    space.write("a.py", "mine\n")
    (space.folder / "links").rmdir()  # as the accept does last
    return branch


async def test_a_link_that_cannot_be_made_again_is_not_told_as_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with workspace(tmp_path, FILES) as space:
        branch = await broken_off_after_a_link(space, monkeypatch)
        space.write("links", "a file is in the way\n")
        await space.book()
        assert space.journal is not None
        (told,) = await recover_accepts(space.root, space.journal)
        assert "can be neither finished nor taken back yet: links/b.py: the link cannot be" in told
        assert len(await space.journal.begun_accepts()) == 1
        (space.folder / "links").unlink()
        (told,), branches = await start(space)
        assert "is taken back" in told
        assert branches == [(branch, None)]
        assert (space.folder / "links/b.py").readlink() == Path("../b.py")
        assert texts(space) == {**FILES, "a.py": "mine\n", "links/b.py": TEXT}


async def test_a_link_is_not_made_again_where_its_folder_leads_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    outside = tmp_path / "outside"
    outside.mkdir()
    async with workspace(tmp_path, FILES) as space:
        branch = await broken_off_after_a_link(space, monkeypatch)
        (space.folder / "links").symlink_to(outside)
        (told,), branches = await start(space)
        assert "what the user has written since stays: a.py, links/b.py" in told
        assert branches == [(branch, None)]
        assert list(outside.iterdir()) == []
