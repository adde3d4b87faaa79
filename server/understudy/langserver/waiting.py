"""Waiting for a future until a deadline, without losing a cancellation."""

from __future__ import annotations

import asyncio
from typing import TypeVar

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
