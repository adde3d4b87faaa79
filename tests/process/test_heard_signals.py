"""Signals that the kernel gives to another thread than the one that waits for them."""

from __future__ import annotations

import os
import select
import signal
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import NoReturn

import pytest

from understudy.faces.rehearsal.loop import wait_heard
from understudy.process.heard_signals import heard_signals

LIMIT_S = 60


def take(number: int) -> None:
    """Have this thread, which is not the main one, take a signal."""
    signal.pthread_kill(threading.get_ident(), number)


def test_a_signal_that_another_thread_takes_is_heard() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with heard_signals((signal.SIGTERM, signal.SIGHUP)) as heard:
        for number in (signal.SIGTERM, signal.SIGHUP):
            threading.Timer(0.05, take, (number,)).start()
            assert select.select([heard], [], [], LIMIT_S)[0] == [heard]
            assert list(os.read(heard, 64)) == [number]
    assert signal.getsignal(signal.SIGTERM) == before


def test_who_waits_for_ends_hears_a_signal_that_another_thread_takes() -> None:
    ends: list[Future[int]] = [Future(), Future()]
    limit = threading.Timer(LIMIT_S, lambda: [end.cancel() for end in ends])
    limit.start()

    def begin() -> list[Future[int]]:
        threading.Timer(0.05, take, (signal.SIGTERM,)).start()
        return ends

    def send(number: int) -> None:
        for end in ends:
            end.set_result(number)

    assert [end.result() for end in wait_heard(begin, send)] == [signal.SIGTERM] * 2
    limit.cancel()


def test_what_ends_after_a_failure_writes_to_nobodys_descriptor() -> None:
    end: Future[int] = Future()
    before = open_descriptors()

    def begin() -> list[Future[int]]:
        threading.Timer(0.05, take, (signal.SIGTERM,)).start()
        return [end]

    def fail(*_: int) -> NoReturn:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        wait_heard(fail, fail)
    assert open_descriptors() == before
    with pytest.raises(BrokenPipeError):
        wait_heard(begin, fail)
    assert open_descriptors() == before
    reading, writing = os.pipe()  # they have the numbers of those that are closed
    end.set_result(0)
    assert select.select([reading], [], [], 0)[0] == []
    os.close(reading)
    os.close(writing)


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/dev/fd").iterdir()}
