"""Long computations beside the event loop."""

import asyncio
import functools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import psutil
import pytest

from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace import workers as workers_module
from understudy.workspace.workers import Workers

BIG = workers_module.INLINE_BELOW
LIMIT_S = 60


def pid_of(_: str) -> int:
    return os.getpid()


def refuse() -> None:
    raise BadInput("bad-thing", "does not fit", "a.py:3")


def die() -> None:
    os._exit(3)


def hang() -> None:
    threading.Event().wait()


def eat(n_bytes: int) -> int:
    return len(bytearray(n_bytes))


def eat_slowly() -> None:
    eaten: list[bytearray] = []
    while True:
        eaten.append(bytearray(b"x" * 1024 * 1024))


def chatter() -> str:
    print("what a function says is no answer")
    return sys.stdin.read() or "quiet"


class Unwieldy(Exception):
    """It can be written by pickle, but not read."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


def raise_unwieldy() -> None:
    raise Unwieldy("one", "two")


@pytest.fixture
async def workers():
    made = Workers()
    yield made
    await made.close()


async def test_small_work_is_done_here_and_big_work_elsewhere(workers: Workers):
    assert await workers.run(pid_of, "", size=BIG - 1) == os.getpid()
    assert workers.statistics()["processes"] == 0
    assert await workers.run(pid_of, "", size=BIG) != os.getpid()


async def test_small_work_of_many_is_done_one_a_turn_of_the_event_loop(workers: Workers):
    """The user's typing is handled between two turns: it waits for one computation at most."""
    turn = 0
    done_in: list[int] = []

    async def count_turns() -> None:
        nonlocal turn
        while len(done_in) < 50:
            turn += 1
            await asyncio.sleep(0)

    def work() -> None:
        done_in.append(turn)

    await asyncio.gather(count_turns(), *(workers.run(work, size=1) for _ in range(50)))
    assert len(set(done_in)) == 50


async def test_our_errors_cross_whole(workers: Workers):
    with pytest.raises(BadInput) as caught:
        await workers.run(refuse, size=BIG)
    error = caught.value
    assert (error.code, error.text, error.where) == ("bad-thing", "does not fit", "a.py:3")


async def test_a_worker_that_dies_is_a_named_error_and_the_next_call_works(workers: Workers):
    with pytest.raises(OutsideFailure) as caught:
        await workers.run(die, size=BIG)
    assert caught.value.code == "worker-died"
    assert await workers.run(pid_of, "", size=BIG) != os.getpid()


async def test_work_that_takes_for_ever_is_ended(workers: Workers, monkeypatch: pytest.MonkeyPatch):
    process = psutil.Process(await workers.run(pid_of, "", size=BIG))
    monkeypatch.setattr(workers_module, "WORK_TIMEOUT", 0.01)
    with pytest.raises(OutsideFailure) as caught:
        await workers.run(hang, size=BIG)
    assert caught.value.code == "work-too-long"
    await asyncio.to_thread(process.wait, LIMIT_S)


async def test_idle_workers_end():
    workers = Workers(idle_seconds=0.01)
    process = psutil.Process(await workers.run(pid_of, "", size=BIG))
    await asyncio.to_thread(process.wait, LIMIT_S)
    assert await workers.run(pid_of, "", size=BIG) != process.pid
    await workers.close()


async def test_one_that_hangs_is_ended_alone(workers: Workers):
    other = asyncio.ensure_future(workers.run_elsewhere(sum, range(30_000_000), seconds=LIMIT_S))
    with pytest.raises(OutsideFailure) as caught:
        await workers.run_elsewhere(hang, seconds=0.2)
    assert caught.value.code == "work-too-long"
    assert await other == sum(range(30_000_000))
    assert workers.statistics() == {"running": 0, "processes": 1}


async def test_a_caller_that_gives_up_ends_the_work(workers: Workers):
    work = asyncio.ensure_future(workers.run_elsewhere(hang, seconds=LIMIT_S))
    while workers.statistics()["processes"] == 0:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert workers.statistics() == {"running": 0, "processes": 0}


async def test_closing_is_no_fault_of_the_work(workers: Workers):
    work = asyncio.ensure_future(workers.run_elsewhere(hang, seconds=LIMIT_S))
    while workers.statistics()["processes"] == 0:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)
    await workers.close()
    with pytest.raises(Refused) as caught:
        await work
    assert caught.value.code == "closing"


async def test_one_killed_from_outside_is_a_named_error(workers: Workers):
    pid = await workers.run_elsewhere(pid_of, "", seconds=LIMIT_S)
    work = asyncio.ensure_future(workers.run_elsewhere(hang, seconds=LIMIT_S))
    while workers.statistics()["running"] == 0:  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(OutsideFailure, match="SIGKILL") as caught:
        await work
    assert caught.value.code == "worker-died"


@pytest.mark.parametrize("hog", [eat_slowly, functools.partial(eat, 10**10)])
async def test_memory_has_a_limit(hog: Callable[[], None]):
    """Both what is asked for at once, and what piles up."""
    workers = Workers(memory_bytes=200 * 1024 * 1024)
    with pytest.raises(OutsideFailure) as caught:
        await workers.run_elsewhere(hog, seconds=LIMIT_S)
    assert caught.value.code == "work-too-big"
    assert await workers.run_elsewhere(eat, 1000, seconds=LIMIT_S) == 1000
    await workers.close()


async def test_what_a_function_prints_is_no_answer(workers: Workers):
    assert await workers.run_elsewhere(chatter, seconds=LIMIT_S) == "quiet"


async def test_exceptions_that_cannot_travel_are_told(workers: Workers):
    with pytest.raises(RuntimeError, match="Unwieldy: one"):
        await workers.run_elsewhere(raise_unwieldy, seconds=LIMIT_S)


async def test_a_worker_loads_little(workers: Workers):
    """Half a second of imports before the first outline would be felt."""
    import_time = "import sys; from understudy.workspace.outlines import work; print(*sys.modules)"
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", import_time], capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "understudy.outline.read_outline" in loaded
    assert not loaded & {"asyncio", "socket", "typer", "pygls", "psutil", "tree_sitter"}


HOST = f"""
import asyncio, time
from tests.app import test_workers as t

async def host():
    workers = t.Workers()
    print(await workers.run(t.pid_of, "", size={BIG}), flush=True)
    await workers.run(t.hang, size={BIG})

if __name__ == "__main__":
    asyncio.run(host())
"""


def test_workers_end_when_their_host_is_killed():
    process = subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        worker = psutil.Process(int(process.stdout.readline()))
        process.kill()
        worker.wait(LIMIT_S)


async def test_the_event_loop_goes_on_meanwhile(workers: Workers):
    await workers.run(pid_of, "", size=BIG)  # the pool has started
    work = asyncio.ensure_future(workers.run(sum, range(20_000_000), size=BIG))
    n_turns = 0
    while not work.done():
        await asyncio.sleep(0)
        n_turns += 1
    assert await work == sum(range(20_000_000))
    assert n_turns > 100  # it would have had a few, if the sum had kept the loop
