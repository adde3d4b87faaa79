"""The loop that rehearsals live in, and how the main thread waits for it."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from understudy.process.heard_signals import heard_signals

T = TypeVar("T")
ENDING = (signal.SIGTERM, signal.SIGHUP)


class RehearsalLoop:
    """An event loop in a thread, which lives as long as what it has started."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="rehearsal")

    def __enter__(self) -> RehearsalLoop:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine there."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)


def wait_heard(
    begin: Callable[[], Sequence[Future[T]]], send: Callable[[int], None]
) -> Sequence[Future[T]]:
    """Begin them and wait, in the main thread, until all have ended.

    What asks meanwhile for our end goes to `send`.
    """
    numbers = (signal.SIGINT, *ENDING)
    ended, one_more = os.pipe()
    is_open, closing = True, threading.Lock()

    def note(_: Future[T]) -> None:
        with closing:  # what ends later must not write to whatever has the number by then
            if is_open:
                os.write(one_more, b".")

    try:
        with heard_signals(numbers) as heard:
            running = begin()
            for one in running:
                one.add_done_callback(note)
            left = len(running)
            while left:
                ready, _, _ = select.select([ended, heard], [], [])
                if heard in ready:
                    for number in os.read(heard, 64):
                        if number in numbers:
                            send(number)
                if ended in ready:
                    left -= len(os.read(ended, left))
        return running
    finally:
        with closing:
            is_open = False
            os.close(ended)
            os.close(one_more)
