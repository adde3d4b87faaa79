"""No task is dropped, none fails in silence, and closing is bounded."""

import asyncio
import logging

import pytest

from understudy.values.errors import Refused
from understudy.workspace.tasks import Tasks


async def fail() -> None:
    raise ValueError("broken")


async def test_a_failure_is_logged_and_raised(caplog: pytest.LogCaptureFixture):
    tasks = Tasks()
    with pytest.raises(ValueError, match="broken"):
        await tasks.spawn(fail(), "doomed")
    await asyncio.sleep(0)
    (record,) = caplog.records
    assert "doomed" in record.getMessage()
    assert record.exc_info is not None
    assert tasks.statistics() == {"background": 0, "unbroken": 0}


async def test_a_cancelled_task_is_no_failure(caplog: pytest.LogCaptureFixture):
    tasks = Tasks()
    task = tasks.spawn(asyncio.Event().wait(), "waiter")
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert not caplog.records


async def test_what_must_not_stop_goes_on_when_its_caller_is_cancelled():
    tasks, go, done = Tasks(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await go.wait()
        done.set()

    caller = tasks.spawn(tasks.complete(work(), "write"), "caller")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()
    assert tasks.statistics() == {"background": 0, "unbroken": 1}
    go.set()
    await tasks.close()
    assert done.is_set()


async def test_a_failure_reaches_the_caller_or_else_the_log(caplog: pytest.LogCaptureFixture):
    tasks, go = Tasks(), asyncio.Event()
    with pytest.raises(ValueError, match="broken"):
        await tasks.complete(fail(), "heard")
    assert not caplog.records

    async def fail_later() -> None:
        await go.wait()
        raise ValueError("broken")

    caller = tasks.spawn(tasks.complete(fail_later(), "unheard"), "caller")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.wait([caller])
    go.set()
    await tasks.close()
    assert [record.getMessage() for record in caplog.records] == ["task 'unheard' failed"]


async def test_closing_is_bounded_and_names_who_would_not_end(caplog: pytest.LogCaptureFixture):
    tasks, go = Tasks(), asyncio.Event()

    async def stubborn() -> None:
        while not go.is_set():
            try:
                await go.wait()
            except asyncio.CancelledError:
                continue

    tasks.spawn(stubborn(), "stubborn")
    await asyncio.sleep(0)
    with caplog.at_level(logging.ERROR):
        closing = asyncio.ensure_future(tasks.close(timeout=0.01))
        await asyncio.wait([closing], timeout=60)
    assert closing.done()
    assert "'stubborn'" in caplog.text
    go.set()
    await asyncio.sleep(0)


async def test_after_closing_nothing_starts():
    tasks = Tasks()
    await tasks.close()
    with pytest.raises(Refused) as caught:
        tasks.spawn(asyncio.sleep(0), "late")
    assert caught.value.code == "closing"
