"""The program of a worker process: computes what it is sent, one call at a time, until told to end.

It loads the standard library and what the called functions need, nothing else, and opens no socket.
"""

from __future__ import annotations

import gc
import os
import pickle
import queue
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

FRAME = struct.Struct(">Q")
"""Length of the pickled message that follows, in bytes."""

Call = tuple[Callable[..., Any], tuple[Any, ...], float]
"""A module-level function, its arguments, and its time limit in s."""

COLLECT_AFTER = 500_000, 50, 1000
"""Objects, and rounds, between two looks for garbage: a long computation makes little of it, and
looking for it takes a quarter of the time."""

_CPU_SLACK_S = 5


class Raised:
    """What a function raised, on its way to the caller."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def main(path: list[str], memory_bytes: int) -> None:
    """Serve the calls on standard input; `path` is the parent's `sys.path`."""
    sys.path[:] = path
    _cap_memory(memory_bytes)
    gc.set_threshold(*COLLECT_AFTER)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)  # what a function prints must not stand between the answers
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(nowhere, 0)
    # The parent's end, however it came, ends us too, also in the midst of a computation.
    threading.Thread(target=_receive, args=(requests, calls), daemon=True).start()
    while True:
        answer = _answer(calls.get())
        answers.write(FRAME.pack(len(answer)) + answer)
        answers.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next message, None at the end of the stream."""
    head = stream.read(FRAME.size)
    if len(head) < FRAME.size:
        return None
    (length,) = FRAME.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def _receive(requests: BinaryIO, calls: queue.SimpleQueue[bytes]) -> None:
    while (message := read_frame(requests)) is not None:
        calls.put(message)
    os._exit(0)


def _answer(message: bytes) -> bytes:
    """Compute one call; its result, or what it raised, pickled."""
    try:
        call: Call = pickle.loads(message)  # noqa: S301 - our parent's own, over a private pipe
        function, args, seconds = call
        _cap_time(seconds)
        return pickle.dumps(function(*args), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - the boundary of the process: the caller raises it
        return _pickled(error)


def _pickled(error: Exception) -> bytes:
    try:
        pickled = pickle.dumps(Raised(error), pickle.HIGHEST_PROTOCOL)
        pickle.loads(pickled)  # noqa: S301 - some exceptions can be written, but not read
    except Exception:  # noqa: BLE001 - whatever a foreign exception holds, its name and text can go
        return pickle.dumps(Raised(RuntimeError(f"{type(error).__name__}: {error}")))
    return pickled


def _cap_memory(memory_bytes: int) -> None:
    """Let allocations beyond the limit fail, where the system keeps such limits."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _cap_time(seconds: float) -> None:
    """Let the system end this process where no thread of it can: native code may never yield."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + _CPU_SLACK_S
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(
        resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard)
    )
