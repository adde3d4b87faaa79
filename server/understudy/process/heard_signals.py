"""Signals that the main thread waits for, whichever thread the kernel gives them to.

Handlers of Python run in the main thread, and nothing wakes it from the wait for a lock where
another thread has taken a signal: one that waits for us, too, would never be told.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterable
from contextlib import contextmanager


@contextmanager
def heard_signals(numbers: Iterable[int]) -> Generator[int, None, None]:
    """A descriptor that never blocks: a byte, the signal's number, for each that has come.

    To be used by the main thread. Bytes of other signals that have handlers come there as well.
    """
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    handlers = {number: signal.signal(number, _heard) for number in numbers}
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        os.close(reading)
        os.close(writing)


def _heard(number: int, frame: object) -> None:
    """Nothing: who waits reads the number."""
