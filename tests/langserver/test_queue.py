"""The fair queue: owners take turns, nobody who gave up is served, the turn is never lost."""

from __future__ import annotations

import asyncio

import pytest

from tests.langserver.toybox import SECONDS
from tests.langserver.worlds import soon
from understudy.langserver.turns.queue import FairQueue


async def served(queue: FairQueue, owner: str, order: list[str]) -> None:
    await queue.acquire(owner, soon(SECONDS))
    order.append(owner)
    queue.release()


async def test_owners_take_turns() -> None:
    queue, order = FairQueue(), list[str]()
    await queue.acquire("first", soon(SECONDS))
    tasks = [asyncio.ensure_future(served(queue, owner, order)) for owner in "aaabbc"]
    await asyncio.sleep(0)
    assert len(queue) == 6
    queue.release()
    await asyncio.gather(*tasks)
    assert "".join(order) == "abcaba"
    assert not queue.held


async def test_who_comes_later_does_not_overtake() -> None:
    queue, order = FairQueue(), list[str]()
    await queue.acquire("first", soon(SECONDS))
    waiting = asyncio.ensure_future(served(queue, "a", order))
    await asyncio.sleep(0)
    queue.release()
    await served(queue, "late", order)
    await waiting
    assert order == ["a", "late"]


async def test_a_deadline_gives_the_place_up() -> None:
    queue = FairQueue()
    await queue.acquire("first", soon(SECONDS))
    with pytest.raises(asyncio.TimeoutError):
        await queue.acquire("late", soon(0.01))
    assert len(queue) == 0
    queue.release()
    await queue.acquire("next", soon(0.01))


@pytest.mark.parametrize("release_first", [True, False])
async def test_a_cancelled_waiter_passes_the_turn_on(*, release_first: bool) -> None:
    queue, order = FairQueue(), list[str]()
    await queue.acquire("first", soon(SECONDS))
    cancelled = asyncio.ensure_future(served(queue, "cancelled", order))
    other = asyncio.ensure_future(served(queue, "other", order))
    await asyncio.sleep(0)
    if release_first:
        queue.release()
        cancelled.cancel()
    else:
        cancelled.cancel()
        await asyncio.sleep(0)
        queue.release()
    await asyncio.gather(cancelled, other, return_exceptions=True)
    assert order == ["other"]
    assert not queue.held
