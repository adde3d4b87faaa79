"""How objects of the API end, and what they say of uses that cannot be."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.folders import toy_settings, write_user_settings
from tests.langserver.toybox import ended_in

BAD = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}
SECONDS = 60.0


def start(program: str, folder: Path) -> subprocess.Popen[str]:
    """Run a program of a harness's author, which says `ready` when it is."""
    text = "import understudy as u\nfrom pathlib import Path\n" + textwrap.dedent(program)
    return subprocess.Popen(
        [sys.executable, "-c", text, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
    )  # fmt: skip


def said_of(*uses: Callable[[], object]) -> list[str]:
    """How each use is refused; a coroutine that nobody awaits is an error, too."""
    gc.collect()  # what other tests have left
    unraisable: list[object] = []
    hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
    said: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="coroutine .* was never awaited")
            for use in uses:
                try:
                    use()
                except u.BadInput as error:
                    said.append(error.code)
            gc.collect()
    finally:
        sys.unraisablehook = hook
    return [*said, *map(str, unraisable)]


def test_an_object_after_its_end(folder: Path) -> None:
    ws = u.Workspace(folder)
    b = ws.branch()
    ws.close()
    ws.close()
    uses = (ws.branches, ws.status, b.diff, lambda: ws.context.put("x"), b.accept)
    assert said_of(*uses, ws.branch, lambda: ws.open(b.id)) == ["closed"] * 7
    assert ended_in(folder)


def test_no_such_folder_and_a_folder_that_goes(folder: Path) -> None:
    with pytest.raises(u.BadInput) as refused:
        u.Workspace(folder / "nothing")
    assert refused.value.code == "no-such-root"
    with u.Workspace(folder) as ws, ws.branch() as b:
        b.edit([BAD])
        shutil.rmtree(folder)
        with pytest.raises(u.UnderstudyError) as gone:
            b.check()
        assert gone.value.code == "unreadable-root"


def test_threads_ask_at_the_same_time(folder: Path, state: Path) -> None:
    write_user_settings(state, toy_settings("never_answers"))
    meet = threading.Barrier(3, timeout=SECONDS)

    def check(ws: u.Workspace) -> u.Verdict:
        with ws.branch() as b:
            b.edit([BAD])
            meet.wait()
            return b.check(timeout=1.0)

    with u.Workspace(folder) as ws, ThreadPoolExecutor(3) as pool:
        verdicts = [one.result() for one in [pool.submit(check, ws) for _ in range(3)]]
        assert {type(one) for one in verdicts} == {u.Unknown}
        assert sum(one.elapsed_ms for one in verdicts) > 2500
        assert len(ws.branches()) == 3


async def test_where_an_event_loop_runs_already(folder: Path) -> None:
    assert asyncio.get_running_loop().is_running()
    with u.Workspace(folder) as ws, ws.branch() as b:
        b.edit([BAD])
        assert isinstance(b.check(), u.Findings)


def test_an_async_workspace_belongs_to_one_loop(folder: Path) -> None:
    ws = u.AsyncWorkspace(folder)

    async def use() -> tuple[u.BranchInfo, ...]:
        return await ws.branches()

    assert asyncio.run(use()) == ()
    with pytest.raises(u.BadInput) as refused:
        asyncio.run(use())
    assert refused.value.code in ("other-loop", "closed")
    assert ended_in(folder)


def _in_fork(ws: u.Workspace, branch: u.Branch, answer: Connection) -> None:
    said = said_of(ws.branches, branch.diff, ws.branch, lambda: ws.open(branch.id))
    ws.close()
    answer.send(said)


def test_after_a_fork(folder: Path) -> None:
    with u.Workspace(folder) as ws, ws.branch() as b:
        b.edit([BAD])
        here, there = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(target=_in_fork, args=(ws, b, there))
        child.start()
        assert here.poll(SECONDS)
        assert here.recv() == ["forked"] * 4
        child.join(SECONDS)
        assert child.exitcode == 0
        assert isinstance(b.check(), u.Findings)


CHECKS = """
    import sys
    ws = u.Workspace(sys.argv[1])
    b = ws.branch()
    b.edit([{"kind": "write", "path": "a.txt", "text": "BAD one\\n"}])
    print(type(b.check()).__name__, flush=True)
"""
AWAITS = """
    import asyncio, sys
    async def main():
        ws = u.AsyncWorkspace(sys.argv[1])
        print(type(await ws.check([{"kind": "write", "path": "a.txt", "text": "BAD"}])).__name__)
    asyncio.run(main())
"""


@pytest.mark.parametrize(
    "program",
    [CHECKS, AWAITS, CHECKS + "    del ws, b\n", CHECKS + "    raise SystemExit(7)\n",
     CHECKS + "    import os; os.kill(os.getpid(), 9)\n"],
    ids=["sync", "async", "dropped", "exit", "killed"],
)  # fmt: skip
def test_nothing_outlives_a_program_that_closes_nothing(program: str, folder: Path) -> None:
    started = start(program, folder)
    out, err = started.communicate(timeout=SECONDS)
    assert (out, err) == ("Findings\n", "")
    assert ended_in(folder)
    with u.Workspace(folder) as ws:
        assert ws.status().trusted is False


def test_an_interrupt_cancels_what_is_asked(folder: Path, state: Path) -> None:
    write_user_settings(state, toy_settings("never_answers"))
    program = """
        import sys, threading
        ws = u.Workspace(sys.argv[1]).__enter__()
        b = ws.branch()
        b.edit([{"kind": "write", "path": "a.txt", "text": "BAD one\\n"}])
        def tell():
            for event in ws.events():
                if isinstance(event, u.Progress) and "never_answers" in event.message:
                    print("asked", flush=True)
                    return
        threading.Thread(target=tell).start()
        try:
            b.check(timeout=600)
        except KeyboardInterrupt:
            print("interrupted", [s.json["n_waiting"] for s in ws.status().servers], flush=True)
            print(len(ws.branches()), flush=True)
    """
    started = start(program, folder)
    assert started.stdout is not None
    assert started.stdout.readline() == "asked\n"
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=SECONDS)
    assert (out, err) == ("interrupted [0]\n1\n", "")
    assert ended_in(folder)


async def test_a_cancelled_question_frees_its_server(folder: Path, state: Path) -> None:
    write_user_settings(state, toy_settings("never_answers"))
    async with u.AsyncWorkspace(folder) as ws, ws.branch() as b:
        await b.edit([BAD])
        checking = asyncio.ensure_future(b.check(timeout=600))
        async for event in ws.events():
            if isinstance(event, u.Progress) and "never_answers" in event.message:
                break
            if isinstance(event, u.ServersChanged):
                (server,) = (await ws.status()).servers
                if server.state == "busy":
                    break
        checking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checking
        (server,) = (await ws.status()).servers
        assert server.json["n_waiting"] == 0


def test_events_end_with_the_workspace_and_questions_too(folder: Path, state: Path) -> None:
    write_user_settings(state, toy_settings("never_answers"))
    heard: list[u.Event] = []
    asked = threading.Event()

    def listen(ws: u.Workspace) -> None:
        for event in ws.events():
            heard.append(event)
            if isinstance(event, u.Progress) and "never_answers" in event.message:
                asked.set()

    def check(b: u.Branch) -> str:
        try:
            b.check(timeout=600)
        except u.BadInput as error:
            return error.code
        return "answered"

    with ThreadPoolExecutor(2) as pool:
        with u.Workspace(folder) as ws:
            b = ws.branch()
            listening = pool.submit(listen, ws)
            while u.BranchesChanged() not in heard:
                b.edit([BAD])
            checking = pool.submit(check, b)
            assert asked.wait(SECONDS)
        listening.result(SECONDS)
        assert checking.result(SECONDS) == "closed"
    assert u.BranchesChanged() in heard
    progress = [event for event in heard if isinstance(event, u.Progress)]
    assert {(event.branch, event.verb) for event in progress} == {(b.id, "check")}
    with pytest.raises(u.BadInput) as refused:
        next(ws.events())
    assert refused.value.code == "closed"


async def test_events_come_by_async_iterator(folder: Path) -> None:
    async with u.AsyncWorkspace(folder) as ws:
        events = ws.events()
        first = asyncio.ensure_future(anext(events))
        while not first.done():
            await ws.branch()
        assert await first == u.BranchesChanged()
        await events.aclose()
