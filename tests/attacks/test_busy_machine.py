"""A machine that is busy with other things: servers give way, get their share, and answer."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from tests.langserver.toybox import BAD, Zoo, open_zoo
from tests.langserver.worlds import TaskOwner, soon
from tests.process.test_process import shares_by_session
from tests.support.burners import burners
from understudy.langserver.seat import ServerLimits
from understudy.langserver.turns.urgency import Urgency
from understudy.process.priority import NICENESS, SESSION_NICENESS
from understudy.values.verdicts import Answer

N_BURNERS = 4 * (os.cpu_count() or 1)
LINUX = Path("/proc/self/schedstat").exists()
FIGURES = re.compile(
    r"the machine was busy: load [\d.]+ on \d+ cores.*; "
    r"in [\d.]+ s toy computed for [\d.]+ s and waited for a core for [\d.]+ s"
)


def session_niceness(pid: int) -> int:
    """0, too, for the machine's first session, which is in no group and not lowered."""
    group = Path(f"/proc/{pid}/autogroup").read_text().split()
    return int(group[-1]) if group else 0


async def until(is_so: Callable[[], bool], what: str) -> None:
    limit = asyncio.get_running_loop().time() + 60
    while not is_so():
        assert asyncio.get_running_loop().time() < limit, what
        await asyncio.sleep(0)


@asynccontextmanager
async def judging(zoo: Zoo, toy: str, seconds: float) -> AsyncIterator[asyncio.Task[Answer]]:
    task = asyncio.ensure_future(zoo.judge(zoo.spec(toy), BAD, seconds=seconds))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def pid_of_the_server(zoo: Zoo) -> int:
    async def poll() -> int:
        while True:
            for status in await zoo.pool.status():
                if status.pid is not None:
                    return status.pid

    return await asyncio.wait_for(poll(), 60)


@pytest.mark.skipif(not LINUX, reason="other systems have no such classes")
async def test_no_server_is_of_a_class_that_gets_nothing(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(yields=True)) as zoo:
        assert (await zoo.judge(zoo.spec("well_behaved"), BAD)).findings is not None
        pid = await pid_of_the_server(zoo)
        assert os.sched_getscheduler(pid) == os.sched_getscheduler(0)
        assert psutil.Process(pid).nice() == max(NICENESS, psutil.Process().nice())


@pytest.mark.skipif(not shares_by_session(), reason="sessions do not share the cores here")
async def test_a_starved_server_gets_its_share_and_gives_it_back(tmp_path: Path) -> None:
    """It gives way to others first; while somebody waits in vain it does not, and then again."""
    async with open_zoo(tmp_path, ServerLimits(yields=True)) as zoo:
        with burners(N_BURNERS):
            async with judging(zoo, "computes", 600):
                pid = await pid_of_the_server(zoo)
                lowered = {session_niceness(pid)}

                def is_equal() -> bool:
                    lowered.add(session_niceness(pid))
                    return session_niceness(pid) == session_niceness(os.getpid())

                await until(lambda: session_niceness(pid) == SESSION_NICENESS, "it never gave way")
                await until(is_equal, f"it was starved all the time: {lowered}")
            await until(lambda: session_niceness(pid) == SESSION_NICENESS, "it kept its share")


@pytest.mark.skipif(not LINUX, reason="other systems do not tell who waits for a core")
async def test_an_answer_that_is_late_says_that_the_machine_was_busy(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(yields=True, start_s=120)) as zoo:
        with burners(N_BURNERS):
            spec = zoo.spec("computes")
            async with zoo.pool.lease(spec, "test", soon(120)) as lease:
                asked = lease.judge(zoo.world.snapshot(BAD), ["a.txt"], soon(30))
                answer = (await asked)["a.txt"]
    assert answer.reason is not None
    assert answer.reason.code == "timeout"
    assert FIGURES.search(answer.reason.text.replace("computes computed", "toy computed")), (
        answer.reason.text
    )


async def test_silence_of_a_starved_server_is_no_reason_to_replace_it(tmp_path: Path) -> None:
    """Another would have to start, on the same busy machine."""
    async with open_zoo(tmp_path, ServerLimits(yields=True, start_s=120)) as zoo:
        with burners(N_BURNERS):
            for _ in range(4):
                answer = await zoo.judge(zoo.spec("computes"), BAD, seconds=8)
                assert answer.reason is not None, answer
        (status,) = await zoo.pool.status()
        assert status.generation == 1


async def test_a_turn_is_put_off_only_while_those_who_wait_can_spare_it() -> None:
    """Whoever types without a gap makes each turn wait, and all behind it."""
    owner = TaskOwner()
    now = asyncio.get_running_loop().time()
    for n_waiting, seconds, is_put_off in ((0, 60, True), (63, 600, True), (3, -1, False)):
        urgency = Urgency("toy", ([now + seconds] * n_waiting).copy, owner.spawn, yields=False)
        assert (urgency.leeway(now + 600) > 0) == is_put_off, (n_waiting, seconds)
    await owner.close()
