"""Stages that runs share by name, and build products that they come back to."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.runs import (
    branch_with,
    kinds,
    run_session,
    shell,
    whole,
    write,
)
from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.values.errors import Refused
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session


@pytest.fixture
async def session(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Session]:
    async with run_session(tmp_path, changed="user_writes" in request.fixturenames) as opened:
        yield opened


@pytest.fixture
def user_writes() -> None:
    """The test itself changes the folder, as the user."""


SERVICE = """
import socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    print("up", flush=True)
    while True:
        connection, _ = server.accept()
        with connection:
            connection.sendall(sys.argv[1].encode())
"""
CLIENT = """
import socket
for port in (18601, 18602, 18603):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        print(connection.recv(100).decode())
"""


async def test_three_services_and_a_client_on_one_private_loopback(session: Session) -> None:
    branch = await branch_with(session, write("serve.py", SERVICE), write("ask.py", CLIENT))
    ups = [asyncio.Event() for _ in range(3)]

    def service(port: int, up: asyncio.Event) -> asyncio.Future[RunReceipt]:
        options = RunOptions((sys.executable, "serve.py", str(port)), shared="web")
        return asyncio.ensure_future(
            run(session, branch, options, Audience(live=lambda *_: up.set()))
        )

    services = [service(18601 + number, up) for number, up in enumerate(ups)]
    await asyncio.wait_for(asyncio.gather(*(up.wait() for up in ups)), 60)
    asking = (sys.executable, "ask.py")
    asked = await run(session, branch, RunOptions(asking, shared="web"))
    assert whole(asked) == "18601\n18602\n18603\n"
    alone = await run(session, branch, RunOptions(asking))
    assert "ConnectionRefusedError" in whole(alone)
    outside = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CLIENT, stderr=asyncio.subprocess.PIPE
    )
    assert b"ConnectionRefusedError" in (await outside.communicate())[1]
    with pytest.raises(Refused) as caught:
        await run(session, branch, RunOptions(asking, shared="web", network="host"))
    assert caught.value.code == "stage-in-use"
    for running in services:
        running.cancel()
    await asyncio.wait(services)
    again = await shell(session, "cat /proc/net/tcp | wc -l", branch, shared="web")
    assert whole(again).strip() == "1", "the stage of the services lives on"


async def test_build_products_are_kept_and_nothing_else(
    session: Session, user_writes: None
) -> None:
    branch = await branch_with(session, write("a.py", "edited\n"), write("mine.txt", "m\n"))
    build = "mkdir -p build; ls build; cat a.py b.txt; ls; echo x >> build/made; echo y >> b.txt"
    first = await shell(session, build, branch, keep=True)
    assert kinds(first) == {"b.txt": "modified", "build/made": "added"}
    base = await session.fresh_base()
    await session.branches.edit(branch, [{"kind": "delete", "path": "mine.txt"}], base)
    (session.root.path / "b.txt").write_text("the user's\n")
    second = await shell(session, build, branch, keep=True)
    assert whole(second) == "made\nedited\nthe user's\na.py\nb.txt\nbuild\nsub\n"
    third = await shell(session, "cat build/made", branch, keep=True)
    assert (whole(third), kinds(third)) == ("x\nx\n", {})
    other = await branch_with(session, write("a.py", "other\n"))
    assert whole(await shell(session, "ls", other, keep=True)) == "a.py\nb.txt\nsub\n"
    await session.branches.discard(branch)
    await shell(session, "true", other, keep=True)
    assert [path.name for path in session.layout.products.iterdir()] == [other]


async def test_kept_products_are_in_use_by_one_run(session: Session) -> None:
    heard = asyncio.Event()
    running = asyncio.ensure_future(
        shell(session, "echo up; sleep 1000", keep=True, live=lambda *_: heard.set())
    )
    await asyncio.wait_for(heard.wait(), 60)
    with pytest.raises(Refused) as caught:
        await shell(session, "true", keep=True)
    assert caught.value.code == "stage-in-use"
    running.cancel()
    await asyncio.wait([running])
