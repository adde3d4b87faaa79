"""Services on shared stages: ready by a port or a text, reached by runs, ended, told."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.runs import branch_with, run_session, shell, sleepers, type_into, whole, write
from tests.support.stages.field import until
from understudy.app.run.run import RunOptions
from understudy.app.run.services import MOST, NotUp, Services, StageService, Until
from understudy.faces.answers.service_text import up_text
from understudy.stage.reach.forward import listens_here
from understudy.values.errors import UnderstudyError
from understudy.workspace.session import Session

SERVE = """
import socket
with socket.create_server(("127.0.0.1", 18601)) as server:
    while True:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"served")
"""
ASK = """
import socket
with socket.create_connection(("127.0.0.1", 18601), 60) as connection:
    print(connection.recv(100).decode())
"""
CUT = "printf rea; printf dy; exec sleep 1000"
"""Says its word in two pieces."""
DEAF = "trap '' TERM; (trap '' TERM; exec sleep 1000) & echo up; while :; do sleep 1000; done"
TELLS = "echo ready; until [ -e go ]; do sleep 0.05; done; exit 3"


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[Session]:
    async with run_session(tmp_path, changed=True) as opened:
        yield opened


@pytest.fixture
async def services(session: Session) -> AsyncIterator[Services]:
    owned = Services(session)
    yield owned
    await owned.close()


def sh(script: str, stage: str = "web", **options: object) -> RunOptions:
    return RunOptions(("sh", "-c", script), shared=stage, **options)  # type: ignore[arg-type]


async def start(services: Services, options: RunOptions, word: str) -> StageService | NotUp:
    base = services.session.bases.own
    return await services.start(options, Until.parse(word), base, None)


async def up(services: Services, options: RunOptions, word: str) -> StageService:
    started = await start(services, options, word)
    assert isinstance(started, StageService), started.receipt.output.head
    return started


async def test_a_service_is_reached_by_the_runs_that_name_its_stage(
    session: Session, services: Services
) -> None:
    owner = services.owner
    python = (sys.executable, "-c", SERVE)
    service = await up(services, RunOptions(python, shared="web"), ":18601")
    asking = f"{sys.executable} -c '{ASK}'"
    assert whole(await shell(session, asking, owner=owner, shared="web")) == "served\n"
    for owner_of, stage in ((owner, "other"), ("somebody", "web"), (owner, None)):
        alone = await shell(session, asking, owner=owner_of, shared=stage)
        assert "ConnectionRefusedError" in whole(alone)
    with raises("port-taken"):
        await start(services, RunOptions(python, shared="web"), ":18601")
    mine = f"{sys.executable} -c '{SERVE}' & echo up; sleep 1000"
    await up(services, sh(mine, "mine"), "up")
    await until_listens(session, services, "mine")
    with raises("port-taken"):
        await start(services, RunOptions(python, shared="mine"), ":18601")
    assert services.running("web") == [service]
    (end,) = await services.stop("web")
    assert end.receipt is not None
    assert end.receipt.ended.status == -15
    with raises("no-service"):
        await services.stop("web")
    assert len(services.running("mine")) == 1


@contextmanager
def raises(code: str) -> Generator[None, None, None]:
    with pytest.raises(UnderstudyError) as caught:
        yield
    assert caught.value.code == code


async def until_listens(session: Session, services: Services, stage: str) -> None:
    script = "until grep -q ':48A9 ' /proc/net/tcp; do sleep 0.05; done"
    assert (await shell(session, script, owner=services.owner, shared=stage)).ended.status == 0


async def test_a_service_is_ready_by_a_text_or_told_why_not(
    session: Session, services: Services
) -> None:
    assert str((await up(services, sh(CUT), "ready")).until) == "its output has that text"
    ended = await start(services, sh("echo broken >&2; exit 2"), "ready")
    assert isinstance(ended, NotUp)
    assert (ended.receipt.ended.status, whole(ended.receipt)) == (2, "broken\n")
    assert "ended before" in ended.why
    late = await start(services, sh("exec sleep 1000", seconds=0.5), "ready")
    assert isinstance(late, NotUp)
    assert (late.receipt.ended.status, late.why) == (-15, "it was not ready in 0.5 s, and is ended")
    with raises("command-not-found"):
        await start(services, RunOptions(("no-such-program",), shared="web"), "ready")
    starting = asyncio.ensure_future(start(services, sh("exec sleep 1000", "cut"), "ready"))
    await until(lambda: any(one.output for one in services.running("cut")), "it is started")
    starting.cancel()
    await asyncio.wait([starting])
    assert starting.cancelled()
    assert services.running("cut") == []
    assert len(services.running("web")) == 1


async def test_a_service_that_ends_by_itself_is_told_once(
    session: Session, services: Services
) -> None:
    service = await up(services, sh(TELLS), "ready")
    assert services.ended("web") == []
    await shell(session, "touch go", owner=services.owner, shared="web")
    assert service.running is not None
    await asyncio.wait([service.running])
    assert services.ended("other") == []
    (end,) = services.ended("web")
    assert end.receipt is not None
    assert end.receipt.ended.status == 3
    assert services.ended("web") == services.running("web") == []


async def test_nothing_of_a_service_outlives_its_asker(
    session: Session, services: Services
) -> None:
    await up(services, sh(DEAF), "up")
    await up(services, sh(DEAF, "two"), "up")
    assert sleepers(session)
    await services.close()
    assert sleepers(session) == []
    assert services.running("web") == []


async def test_a_run_is_told_what_its_stage_is_too_old_for(
    session: Session, services: Services
) -> None:
    """Nothing is written below a service that runs: it could have put anything there."""
    owner = services.owner
    branch = await branch_with(session, write("a.py", "edited\n"))
    await up(services, sh("rm a.py; mkfifo a.py; echo up; exec sleep 1000"), "up")
    first = await shell(session, "test -p a.py", owner=owner, shared="web")
    assert (first.ended.status, first.moved) == (0, ())
    second = await shell(session, "test -p a.py", branch, owner=owner, shared="web")
    assert (second.ended.status, second.base_moved, second.moved) == (0, True, ("a.py",))
    with raises("stage-in-use"):
        await shell(session, "true", branch, owner=owner, shared="web", adopt=True)
    with raises("stage-in-use"):
        await shell(session, "true", branch, owner=owner, shared="web", patch="beside")
    (session.root.path / "b.txt").write_text("saved by the user\n")
    type_into(session, "sub/c.txt", "typed\n")
    third = await shell(session, "true", owner=owner, shared="web")
    assert third.moved == ("b.txt", "sub/c.txt")
    other = await up(services, sh("echo up; exec sleep 1000"), "up")
    assert sorted(other.stale) == ["b.txt", "sub/c.txt"]
    assert "MAY BE OLD THERE: b.txt, sub/c.txt" in up_text(other)
    await services.stop("web")
    anew = await shell(session, "cat a.py b.txt", branch, owner=owner, shared="web", adopt=True)
    assert (whole(anew), anew.moved) == ("edited\nsaved by the user\n", ())


async def test_what_an_adoption_took_is_not_old_there(session: Session, services: Services) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"))
    own = RunOptions(("sh", "-c", "echo up; exec sleep 1000"), shared="web")
    started = await services.start(own, Until.parse("up"), session.bases.own, branch)
    assert isinstance(started, StageService)
    for text in ("one", "two"):
        made = await shell(
            session, f"echo {text} > made.txt", branch, owner=services.owner, shared="web",
            adopt=True,
        )  # fmt: skip
        assert (made.adopted is not None, made.moved) == (True, ())


def test_what_is_no_readiness() -> None:
    for asked in ("", ":0", ":65536", ":" + "9" * 5000, "x" * 1001):
        with raises("bad-until"):
            Until.parse(asked)


async def test_what_is_no_service(session: Session, services: Services) -> None:
    for options in (RunOptions(("true",)), sh("true", adopt=True)):
        with raises("bad-params"):
            await start(services, options, "ready")
    with raises("bad-stage-name"):
        await start(services, sh("true", ""), "ready")
    with raises("bad-stage-name"):
        await start(services, sh("true", keep=True), "ready")
    for _ in range(MOST):
        await up(services, sh("echo up; exec sleep 1000", "many"), "up")
    with raises("too-many-services"):
        await start(services, sh("echo up", "many"), "up")
    await services.close()
    with raises("no-service"):
        await start(services, sh("echo up"), "up")
    session.trusted = False
    services = Services(session)
    with raises("untrusted"):
        await start(services, sh("echo up"), "up")


async def test_who_listens_on_a_network_that_is_not_apart() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert await listens_here(server.getsockname()[1])
        assert not await listens_here(0)
