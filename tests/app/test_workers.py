"""Long computations beside the event loop."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import psutil
import pytest

from understudy.app import workers as workers_module
from understudy.app.workers import Workers
from understudy.values.errors import BadInput, OutsideFailure

BIG = workers_module.INLINE_BELOW


def pid_of(_: str) -> int:
    return os.getpid()


def refuse() -> None:
    raise BadInput("bad-thing", "does not fit", "a.py:3")


def die() -> None:
    os._exit(3)


def hang() -> None:
    threading.Event().wait()


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
    await asyncio.to_thread(process.wait, 10)


async def test_idle_workers_end():
    workers = Workers(idle_seconds=0.01)
    process = psutil.Process(await workers.run(pid_of, "", size=BIG))
    await asyncio.to_thread(process.wait, 10)
    assert await workers.run(pid_of, "", size=BIG) != process.pid
    await workers.close()


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
        worker.wait(10)


async def test_the_event_loop_goes_on_meanwhile(workers: Workers):
    await workers.run(pid_of, "", size=BIG)  # the pool has started
    worst = 0.0
    work = asyncio.ensure_future(workers.run(sum, range(20_000_000), size=BIG))
    while not work.done():
        before = time.perf_counter()
        await asyncio.sleep(0)
        worst = max(worst, time.perf_counter() - before)
    assert await work == sum(range(20_000_000))
    assert worst < 0.1
