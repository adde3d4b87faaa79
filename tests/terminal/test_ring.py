"""The spool between a terminal and its scribe: every byte in its order, or counted as missed."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from understudy.terminal.ring import _STEP, Ring


@pytest.mark.parametrize("capacity", [1000, _STEP, 3 * _STEP])
def test_what_fits_comes_out_as_it_went_in(capacity: int) -> None:
    """Given back in pieces while the writer goes round and round."""
    ring, dice = Ring(capacity), random.Random(capacity)
    source = dice.randbytes(7 * capacity + 12_345)
    sent = taken = 0
    while taken < len(source):
        chunk = source[sent : sent + dice.randint(1, capacity)]
        sent += len(chunk) - ring.write(chunk)
        data = ring.take(dice.randint(1, capacity))
        assert data == source[taken : taken + len(data)]
        taken += len(data)
        assert ring.behind == sent - taken
    assert (ring.written, ring.read) == (len(source), len(source))


def test_what_does_not_fit_is_counted() -> None:
    ring = Ring(1000)
    assert ring.write(b"a" * 900) == 0
    assert ring.write(b"b" * 150) == 50
    assert ring.take(2000) == b"a" * 900 + b"b" * 100
    assert ring.write(b"c" * 1000) == 0


def test_some_room_may_be_spared() -> None:
    ring = Ring(1000)
    assert ring.write(b"a" * 900, 200) == 100
    assert ring.write(b"b", 201) == 1
    assert ring.write(b"c" * 200) == 0
    assert ring.write(b"d", 200) == 1


def test_memory_is_given_back() -> None:
    """A flood that was caught up with leaves no more than a piece behind."""
    ring = Ring(64 * _STEP)
    for _ in range(64):
        ring.write(b"x" * _STEP)
    assert _shared_kilobytes() >= 64 * 1000
    while ring.behind:
        ring.take(256 * 1024)
    assert _shared_kilobytes() < 8 * 1000


def test_two_processes_at_once() -> None:
    ring, total = Ring(2 * _STEP), 40 * _STEP
    pattern = bytes(range(256)) * 17
    pid = os.fork()
    if pid == 0:
        sent = 0
        while sent < total:
            at = sent % len(pattern)
            chunk = pattern[at : at + min(4000, total - sent)]
            sent += len(chunk) - ring.write(chunk)
        os._exit(0)
    taken = 0
    while taken < total:
        data = ring.take(300_000)
        whole = pattern * (len(data) // len(pattern) + 2)
        at = taken % len(pattern)
        assert data == whole[at : at + len(data)]
        taken += len(data)
    assert os.waitpid(pid, 0)[1] == 0


def _shared_kilobytes() -> int:
    """This process's shared memory that is in use, by the kernel's word."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("RssShmem:"))
    return int(line.split()[1])


def test_room_is_what_can_be_written() -> None:
    """What was read is given back in steps: between two of them it is no room yet."""
    ring = Ring(4 * _STEP)
    assert ring.write(bytes(4 * _STEP)) == 0
    ring.take(_STEP + _STEP // 2)
    assert (ring.room, ring.behind) == (_STEP, 2 * _STEP + _STEP // 2)
    assert ring.write(bytes(2 * _STEP)) == _STEP
    assert ring.room == 0
