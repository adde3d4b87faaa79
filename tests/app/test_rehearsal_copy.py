"""A rehearsal on a fenced copy: what is written, what the user saves, the second start, a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Set
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.support.live_stages import NEEDS_FENCE, contents, until_older
from tests.support.live_stages import living as living_anywhere
from tests.support.programs import Started, children_with, running_below
from tests.support.sessions import open_session
from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.recovery import end_left
from understudy.app.rehearse.rehearse import GivenTexts, opened
from understudy.disk.atomic import flush_disk_of
from understudy.disk.layout import Layout
from understudy.stage.copy.copied import Copied
from understudy.stage.copy.kept import KeptCopy
from understudy.stage.live import Replacement
from understudy.stage.scratch import RECORD
from understudy.values.errors import OutsideFailure
from understudy.values.hosts import parse_hosts
from understudy.values.paths import Root
from understudy.workspace.rehearsals.place import place_of
from understudy.workspace.settings import Settings

pytestmark = NEEDS_FENCE

TEXT = "".join(f"line {number}\n" for number in range(12))
living = partial(living_anywhere, kind="copy")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "node_modules/package").mkdir(parents=True)
    (folder / "node_modules/package/index.js").write_text("x\n")
    for name in ("a", "b", "c", "sub/d"):
        (folder / f"{name}.txt").write_text(TEXT)
    git = partial(subprocess.run, cwd=folder, check=True, capture_output=True)
    git(["git", "init", "-q"])
    git(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-mone"]
    )
    return Path(os.path.realpath(folder))


async def test_both_sides_go_on(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with living(folder, state, pause_s=0) as stage:
        copy = stage.rehearsal.stage.root
        assert stage.rehearsal.record.stage == "copy"
        assert await stage.do("pwd") == f"{copy}\n"
        stage.save("sub/new.txt", "made\n")
        await stage.shows("sub/new.txt", "made\n")
        (folder / "sub/new.txt").unlink()
        await stage.shows("sub/new.txt", None)
        await stage.do("exec 7<b.txt; echo more >> b.txt; rm c.txt; mkdir n; echo x > n/x.txt")
        await stage.do(
            "rm node_modules; mkdir -p node_modules/other; echo x > node_modules/other/x"
        )
        edit = await stage.has("b.txt", f"{TEXT}more\n")
        assert (edit.base, edit.base_known) == (TEXT.encode(), True)
        assert (await stage.has("c.txt", None)).base == TEXT.encode()
        assert (await stage.has("n/x.txt", "x\n")).base is None
        stage.save("b.txt", f"saved\n{TEXT}")
        await stage.do("exec 7<&-")
        await stage.shows("b.txt", f"saved\n{TEXT}more\n")
        edit = await stage.has("b.txt", f"saved\n{TEXT}more\n")
        assert edit.base == f"saved\n{TEXT}".encode()
        await stage.do(
            "git config user.name n; git config user.email e; git add -A; git commit -qmtwo"
        )
        edits = {path for path, one in stage.edits().items() if one.after != one.base}
        assert edits == {"b.txt", "c.txt", "n/x.txt"}
        inode = (copy / "a.txt").stat().st_ino
    assert not (folder / "n").exists()
    assert (state / "commits/b1.bundle").exists()
    async with living(folder, state) as stage:
        assert (copy / "a.txt").stat().st_ino == inode, "it is not made anew"
        shown = await stage.do("cat c.txt sub/d.txt; readlink node_modules; git log --format=%s")
        assert shown == f"{TEXT}{TEXT}{folder}/node_modules\ntwo\none\n"
        assert await stage.do("ls") == "a.txt\nb.txt\nc.txt\nnode_modules\nsub\n"


async def test_an_edit_is_of_what_the_copy_has_shown(folder: Path, tmp_path: Path) -> None:
    """A save comes into a copy by our own hand alone: nobody has seen it before."""
    async with living(folder, tmp_path / "state") as stage:
        await stage.until(lambda: stage.rehearsal.truth.files.is_pinned)
        async with stage.rehearsal.truth.sweeper.turn:  # the save is not brought in before
            stage.save("a.txt", "LINE 0\n" + TEXT.partition("\n")[2], in_place=True)
            await stage.do("echo more >> a.txt")
        edit = await stage.has("a.txt", f"{TEXT}more\n")
        assert (edit.base, edit.base_known) == (TEXT.encode(), True)


async def test_a_save_while_the_copy_is_made_is_not_taken_back(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy has the text of before: nobody can tell it any more, so that nothing is guessed."""
    saved, (old, new) = f"saved\n{TEXT}", ("old/x.txt", "new/x.txt")
    for path, text in ((old, "old\n"), (new, "new\n")):
        (folder / path).parent.mkdir()
        (folder / path).write_text(text)
    bring = KeptCopy.bring

    def bring_before_a_save(kept: KeptCopy, *, hidden: Set[str]) -> Copied:
        copied = bring(kept, hidden=hidden)
        for path in ("a.txt", "b.txt", "sub/new.txt"):
            (folder / path).write_text(saved)
        (folder / "c.txt").unlink()
        (folder / "sub/d.txt").unlink()
        (folder / "old").rename(folder / "older")
        (folder / "new").rename(folder / "old")
        return copied

    monkeypatch.setattr(KeptCopy, "bring", bring_before_a_save)
    async with living(folder, tmp_path / "state", waits=True) as stage:
        files = stage.rehearsal.truth.files
        await stage.until(lambda: files.is_pinned)
        await stage.do(f"for x in a.txt c.txt {old}; do echo more >> $x; done")
        stage.rehearsal.truth.sweeper.turn.release()
        for path, text in (("a.txt", TEXT), ("c.txt", TEXT), (old, "old\n")):
            edit = await stage.has(path, f"{text}more\n")
            assert (edit.base, edit.base_known) == (None, False), path
        await stage.shows("b.txt", saved)
        await stage.shows("sub/new.txt", saved)
        await stage.shows("sub/d.txt", None)
        await stage.shows("older/x.txt", "old\n")
        await stage.shows(new, None)
        assert await stage.do(f"tail -n1 a.txt c.txt {old} | grep -c more") == "3\n"


async def test_nothing_is_put_over_what_somebody_writes(folder: Path, tmp_path: Path) -> None:
    async with living(folder, tmp_path / "state") as stage:
        live = stage.rehearsal.stage
        wanted = Replacement("a.txt", b"new\n", TEXT.encode())
        async with stage.rehearsal.truth.sweeper.turn:
            await stage.do("exec 7>>a.txt")
            assert not (await live.replace(wanted)).done
            await stage.do("exec 7<a.txt")
            assert not (await live.replace(replace(wanted, readers_count=True))).done
            await stage.do("exec 7<&-")
            assert not (await live.replace(replace(wanted, instead_of=b"other\n"))).done
            assert await live.read("a.txt") == TEXT.encode()
            assert (await live.replace(wanted)).done
            assert await stage.do("cat a.txt; ls -a | grep understudy") == "new\n"


async def test_a_copy_is_on_disk_before_anybody_writes_to_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut what is empty is what an agent has emptied."""
    layout = Layout(tmp_path / "state").create()
    record = place_of(layout, "b1").layer / RECORD
    seen: list[tuple[bool, bool]] = []

    def flush(place: Path) -> None:
        flush_disk_of(place)
        seen.append(((place / "manifest").exists(), record.exists()))

    monkeypatch.setattr("understudy.stage.copy.kept.flush_disk_of", flush)
    parts = (Root.open(folder), layout, Settings(), RehearseOptions(("sh",), kind="copy"))
    for n_flushed, text in ((1, TEXT), (2, "saved\n")):
        (folder / "a.txt").write_text(text)
        async with opened(*parts, GivenTexts("b1", {})):
            assert seen == [(True, False)] * n_flushed
            assert record.exists()


class Killed(Exception):
    """Stands for the end of a rehearsal's process."""


async def test_what_a_kill_has_left_is_journalled_and_nobody_takes_its_copy_before(
    tmp_path: Path,
) -> None:
    options = RehearseOptions(("sh",), kind="copy")
    files = {"a.txt": "a\n", "c.txt": "c\n", "d.txt": "d\n"}
    async with open_session(tmp_path, files, {}) as session:
        await session.branches.create("an agent")
        until_older(session.root.path)
        parts = (session.root, session.layout, Settings())
        copy = session.layout.stages / "kept-1/at" / session.root.path.name
        with suppress(Killed):
            async with opened(*parts, options, GivenTexts("b1", {})) as rehearsal:
                assert rehearsal.stage.root == copy
                await rehearsal.stage.write({"a.txt": b"new\n", "b.txt": b"b\n", "c.txt": None})
                raise Killed
        assert (copy / "b.txt").exists()
        session.root.absolute("d.txt").write_text("saved\n")
        async with opened(*parts, options, GivenTexts("b2", {})) as rehearsal:
            assert rehearsal.stage.root != copy
            assert await rehearsal.stage.read("d.txt") == b"saved\n"
        place = place_of(session.layout, "b1")
        assert await end_left(session, place) == "b1"
        found = (await session.branches.get("b1")).files
        assert contents(found) == {
            "a.txt": ("a\n", "new\n"),
            "b.txt": (None, "b\n"),
            "c.txt": ("c\n", None),
        }
        async with opened(*parts, options, GivenTexts("b3", {})) as rehearsal:
            assert rehearsal.stage.root == copy
            shown = {one.name: one.read_text() for one in copy.glob("*.txt")}
            assert shown == files | {"d.txt": "saved\n"}


async def test_what_a_copy_cannot_do_is_refused_by_name(folder: Path, tmp_path: Path) -> None:
    layout, root = Layout(tmp_path / "state").create(), Root.open(folder)
    for options, where in (
        (RehearseOptions(("sh",), kind="copy", publish=(0,)), "--publish"),
        (RehearseOptions(("sh",), kind="copy", hosts=parse_hosts(["a.example"], "--net")), "--net"),
    ):
        with pytest.raises(OutsideFailure) as caught:
            async with opened(root, layout, Settings(), options, GivenTexts("b1", {})):
                pass
        assert (caught.value.code, caught.value.where) == ("cannot-reach", where)
    async with living(folder, tmp_path / "state") as stage:
        with pytest.raises(OutsideFailure, match="no network of its own"):
            await stage.rehearsal.stage.doors.entered(80)
        null = os.open(os.devnull, os.O_RDWR)
        none = RehearseOptions(("no-such-program",))
        with pytest.raises(OutsideFailure) as caught:
            await stage.rehearsal.launch(none, (null, os.dup(null), os.dup(null)), controls=False)
        assert caught.value.code == "command-not-found"


async def test_where_nothing_fences_a_rehearsal_is_refused(folder: Path, tmp_path: Path) -> None:
    layout, root = Layout(tmp_path / "state").create(), Root.open(folder)
    options = RehearseOptions(("sh",), kind="memory")
    with pytest.raises(OutsideFailure) as caught:
        async with opened(root, layout, Settings(), options, GivenTexts("b1", {})):
            pass
    assert caught.value.code == "stage-unavailable"
    assert "`understudy check` of a patch" in caught.value.text


async def test_nothing_outlives_it(folder: Path, tmp_path: Path) -> None:
    started = Started()
    async with living(folder, tmp_path / "state") as stage:
        await stage.do("(trap '' TERM HUP; setsid sleep 1000 <&- >&- 2>&-) & trap '' TERM")
        await stage.until(lambda: "sleep" in running_below(stage.program.pid).values())
        ended = await stage.program.end_tree(0.1)
        assert (ended, stage.program.exit_status) == (True, -signal.SIGKILL)
        assert "sleep" not in started.running().values()


async def test_a_start_that_is_cancelled_leaves_nothing_behind(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.stage.copy.fenced._END_S", 0.2)

    def fences() -> list[psutil.Process]:
        return children_with("1000.125", os.getpid())

    async with living(folder, tmp_path / "state") as stage:
        null = os.open(os.devnull, os.O_RDWR)
        streams = (null, os.dup(null), os.dup(null))
        options = RehearseOptions(("sleep", "1000.125"))
        starting = asyncio.create_task(stage.rehearsal.launch(options, streams, controls=False))
        await stage.until(lambda: bool(fences()))
        (fence,) = fences()
        fence.suspend()  # it says nothing yet
        await stage.do("true")
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
    assert not fence.is_running()
    assert not fences()
