"""Waiting for futures: until a deadline, or all together, without losing a cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def result_by(future: asyncio.Future[T], deadline: float) -> T:
    """The future's result; raises asyncio.TimeoutError at the deadline (loop time).

    `asyncio.wait_for` swallows a cancellation that meets a finished future before Python 3.12: the
    cancelled check would go on and use the server. The future itself is left as it is.
    """
    left = deadline - asyncio.get_running_loop().time()
    await asyncio.wait([future], timeout=None if left == float("inf") else max(left, 0))
    if not future.done():
        raise asyncio.TimeoutError
    return future.result()


async def ended_by(work: Coroutine[Any, Any, T], deadline: float) -> T:
    """The work's result; it ends at the deadline (loop time), and where the caller is cancelled.

    Raises asyncio.TimeoutError.
    """
    task = asyncio.ensure_future(work)
    try:
        return await result_by(task, deadline)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def all_of(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results; if one fails or the caller is cancelled, the others are ended first."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
