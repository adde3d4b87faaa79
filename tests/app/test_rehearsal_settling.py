"""What the host makes of what a rehearsal has written: edits of its branch, and verdicts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from queue import Queue
from time import monotonic

import pytest

from tests.support.live_stages import LIMIT_S, Stage, living
from tests.support.repositories import git
from tests.support.sessions import open_session
from understudy.app.accept.folder import accept
from understudy.app.rehearse.recovery import end_left
from understudy.app.rehearse.settle import IDLE_LOOK_S, Settlements
from understudy.disk.layout import Layout
from understudy.stage.scratch import RECORD
from understudy.values.errors import OutsideFailure
from understudy.workspace.rehearsals.place import Change, RehearsalPlace, place_of, places
from understudy.workspace.session import Session

FILES = {"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}


def follow(session: Session) -> asyncio.Queue[str]:
    """Have what rehearsals write taken; the branches that are judged then, one after the other."""
    judged = asyncio.Queue[str]()
    Settlements(session, judged.put, end_left).start()
    return judged


def held(session: Session) -> dict[str, set[str]]:
    return {branch.id: set(branch.files) for branch in session.branches.all()}


async def test_what_comes_after_an_accept_is_one_branch(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, {}) as session:
        await session.branches.create("an agent")
        follow(session)
        async with living(session.root.path, tmp_path / "state", pause_s=0.0) as stage:
            await _go_on_after_an_accept(session, stage)


async def _go_on_after_an_accept(session: Session, stage: Stage) -> None:
    await stage.do("for x in a b c; do echo new >> $x.txt; done")
    await stage.until(lambda: held(session) == {"b1": set(FILES)})
    await accept(session.branches, "b1", await session.fresh_base())
    known, place = stage.rehearsal.truth.sweeper.ledger.known, place_of(stage.layout, "b1")
    await stage.until(lambda: all(known[path].after == known[path].base for path in FILES))
    await stage.until(lambda: not place.has_batches)
    assert held(session) == {}, "the user has all of it"
    for path in FILES:
        await stage.do(f"echo more >> {path}")
        await stage.until(lambda path=path: path in held(session).get("b2", ()))
    assert held(session) == {"b2": set(FILES)}
    fork = await session.branches.fork("b2")
    await session.branches.rename("b2", "the user's own words")
    await stage.do("echo new > d.txt")
    await stage.until(lambda: held(session) == {"b2": {*FILES, "d.txt"}, fork.id: set(FILES)})
    for gone in ("b2", fork.id):
        await session.branches.discard(gone)
    await stage.do("echo last >> a.txt")
    await stage.until(lambda: held(session) == {"b4": {"a.txt"}})


async def test_the_last_write_is_judged_and_then_the_host_rests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: Queue[float] = Queue()

    def seen(layout: Layout) -> list[RehearsalPlace]:
        looks.put(monotonic())
        return places(layout)

    monkeypatch.setattr("understudy.app.rehearse.settle.places", seen)
    async with open_session(tmp_path, FILES, {}) as session:
        await session.branches.create("an agent")
        async with living(session.root.path, tmp_path / "state") as stage:
            await stage.do("echo last >> a.txt")
        judged = follow(session)
        assert await asyncio.wait_for(judged.get(), LIMIT_S) == "b1"
        while not looks.empty():
            looks.get()
        before, then = [await asyncio.to_thread(looks.get, timeout=LIMIT_S) for _ in range(2)]
        assert (held(session), places(stage.layout)) == ({"b1": {"a.txt"}}, [])
        assert then - before > IDLE_LOOK_S / 2


async def test_what_was_written_down_waits_for_nothing_that_cannot_be_read(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, {}) as session:
        await session.branches.create("an agent")
        place = place_of(session.layout, "b1")
        place.claim()
        place.write_batch(1, (Change("a.txt", b"a\n", b"new\n"),))
        place.layer.mkdir()
        (place.layer / RECORD).write_text("{}")
        place.release()
        for _ in range(2):
            with pytest.raises(OutsideFailure, match="cannot be read"):
                await end_left(session, place)
            assert (held(session), place.has_batches) == ({"b1": {"a.txt"}}, False)
            assert (place.layer / RECORD).exists()


async def test_what_hinders_the_last_look_leaves_the_rest_to_the_host(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, {}) as session:
        await session.branches.create("an agent")
        git(session.root.path, "init", "-q")
        git(session.root.path, "commit", "-q", "--allow-empty", "-m", "before")
        in_the_way = place_of(session.layout, "b1").folder / "batches"
        with pytest.raises(NotADirectoryError):
            await _commit_with(in_the_way, session, tmp_path / "state")
        assert (session.layout.commits / "b1.bundle").exists()
        in_the_way.unlink()
        judged = follow(session)
        assert await asyncio.wait_for(judged.get(), LIMIT_S) == "b1"
        assert (held(session), places(session.layout)) == ({"b1": {"a.txt"}}, [])


async def _commit_with(in_the_way: Path, session: Session, state: Path) -> None:
    async with living(session.root.path, state) as stage:
        await asyncio.to_thread(in_the_way.touch)
        await stage.do("echo last >> a.txt; git add a.txt")
        await stage.do("git -c user.name=a -c user.email=a@example.org commit -qm last")
