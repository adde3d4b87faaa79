"""What a rehearsal begins with: ports that are shown, and what an earlier one has left."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.live_stages import living, until_older
from tests.support.sessions import open_session
from understudy.app.rehearse.begin import Texts, begin
from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.recovery import end_left
from understudy.app.rehearse.rehearse import GivenTexts, opened
from understudy.disk.lock import HostLock
from understudy.values.errors import Refused
from understudy.workspace.rehearsals.place import place_of, places
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings


class Killed(Exception):
    """Stands for the end of a rehearsal's process."""


async def killed(session: Session, given: Texts, written: dict[str, bytes]) -> None:
    """A rehearsal of the first branch that ends just when something was written on its stage."""
    until_older(session.root.path)
    of_branch = GivenTexts("b1", given)
    options = RehearseOptions(("sh",))
    with suppress(Killed):
        async with opened(
            session.root, session.layout, Settings(), options, of_branch
        ) as rehearsal:
            with pytest.raises(Refused, match="another rehearsal is at work"):
                await begin(session, session.bases.of_user, "b1", "")
            await rehearsal.stage.write(written)
            raise Killed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return Path(os.path.realpath(folder))


async def test_a_port_is_shown_once_however_often_a_command_is_started(
    folder: Path, tmp_path: Path
) -> None:
    async with living(folder, tmp_path / "state") as stage:
        options = RehearseOptions(("true",), publish=(0,))
        for _ in range(2):
            null = os.open(os.devnull, os.O_RDWR)
            streams = (null, os.dup(null), os.dup(null))
            program = await stage.rehearsal.launch(options, streams, controls=False)
            await program.wait_exited()
        (shown,) = stage.rehearsal.published
        assert shown.url.startswith("http://b1.localhost:")


async def test_what_no_host_has_seen_of_a_rehearsal_is_in_its_branch_when_that_goes_on(
    tmp_path: Path,
) -> None:
    async with open_session(tmp_path, {"a.txt": "a\n"}, {}) as session:
        base = session.bases.of_user
        branch, given = await begin(session, base, None, "an agent")
        await killed(session, given, {"a.txt": b"a\nfirst\n"})
        branch, given = await begin(session, base, branch, "")
        assert (branch, given) == ("b1", {"a.txt": (b"a\n", b"a\nfirst\n")})
        await killed(session, given, {"a.txt": b"a\nfirst\nsecond\n", "b.txt": b"b\n"})
        _, given = await begin(session, base, "b1", "")
        told = {"a.txt": (b"a\n", b"a\nfirst\nsecond\n"), "b.txt": (None, b"b\n")}
        assert given == told
        assert not place_of(session.layout, "b1").folder.exists()


@pytest.mark.parametrize("record", [None, b"{", b'{"schema": 1}'])
async def test_without_its_record_a_rehearsal_is_kept(record: bytes | None, tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.txt": "a\n"}, {}) as session:
        await session.branches.create("an agent")
        await killed(session, {}, {"a.txt": b"new\n", "b.txt": b"b\n"})
        (place,) = places(session.layout)
        (written,) = place.folder.glob("*.json")
        written.unlink() if record is None else written.write_bytes(record)
        (place,) = places(session.layout)
        assert await end_left(session, place) == "b1"
        files = (await session.branches.get("b1")).files
        texts = {path: file.after and file.after.unpack().content for path, file in files.items()}
        assert texts == {"a.txt": "new\n", "b.txt": "b\n"}
        assert places(session.layout) == []


async def test_nothing_is_taken_out_of_what_is_being_removed(tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.txt": "a\n"}, {}) as session:
        await session.branches.create("an agent")
        await killed(session, {}, {f"{number}.txt": b"x\n" for number in range(20)})
        place = place_of(session.layout, "b1")
        caches = place.layer / "upper/node_modules"
        caches.mkdir()
        for number in range(4000):
            (caches / str(number)).touch()
        removing = asyncio.ensure_future(end_left(session, place))
        found: set[str | None] = set()
        while not removing.done():
            await asyncio.sleep(0)
            with suppress(OSError):
                found.add(await end_left(session, place_of(session.layout, "b1")))
        found.add(await end_left(session, place_of(session.layout, "b1")))
        assert (await removing, found) == ("b1", {None})
        assert len((await session.branches.get("b1")).files) == 20


async def test_what_is_removed_comes_back_by_nobody_who_looks(tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.txt": "a\n"}, {}) as session:
        await session.branches.create("an agent")
        await killed(session, {}, {"b.txt": b"b\n"})
        (place,) = places(session.layout)
        found_early = HostLock.acquire(place.folder / "owner.lock")
        assert found_early.is_there
        found_early.release()
        assert await end_left(session, place) == "b1"
        assert await end_left(session, place_of(session.layout, "b1")) is None
        with pytest.raises(FileNotFoundError):
            place_of(session.layout, "b1").claim(is_left=True)
        assert list(session.layout.rehearsals.iterdir()) == []
        assert not list(session.layout.stages.iterdir())


def test_a_lock_whose_folder_was_moved_away_is_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "b1"
    folder.mkdir()
    with HostLock.acquire(folder / "owner.lock") as lock:
        assert lock.is_there
        folder.rename(tmp_path / "gone")
        assert not lock.is_there
        folder.mkdir()
        with HostLock.acquire(folder / "owner.lock") as other:
            assert (lock.is_there, other.is_there) == (False, True)
