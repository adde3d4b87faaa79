"""One command in several branches at once: each has a rehearsal, all have our output."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.rehearse import RehearsalEnd
from understudy.faces.rehearsal.loop import RehearsalLoop, wait_heard
from understudy.faces.rehearsal.rehearsing import (
    Fellows,
    LiveRehearsal,
    Tell,
)
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root
from understudy.values.printable import printable

_LONGEST = 64 * 1024
"""A line that is longer, in bytes, is handed on in parts."""


def rehearse_several(
    folder: Path,
    titles: Sequence[str],
    options: RehearseOptions,
    *,
    tell: Tell,
    until_clean: int | None = None,
) -> list[RehearsalEnd | UnderstudyError]:
    """Have a command live in a new branch for each title, with empty input, until all have ended.

    What they print comes by lines, behind `BRANCH| `. How each has ended, in the titles' order;
    where the first could not be started, none is, and all have its error.
    """
    root = Root.open(folder)
    outlets = _Outlets()
    fellows = Fellows(outlets.streams)
    lives = [
        LiveRehearsal(root, None, title, options, tell, until_clean, fellows=fellows)
        for title in titles
    ]

    def send(number: int) -> None:
        for live in lives:
            live.send(number)

    with RehearsalLoop() as loop:
        running = wait_heard(lambda: [live.begin(loop) for live in lives], send)
    outlets.drain()
    return [_outcome(one) for one in running]


def _outcome(ended: Future[RehearsalEnd]) -> RehearsalEnd | UnderstudyError:
    try:
        return ended.result()
    except UnderstudyError as error:
        return error


class _Outlets:
    """Our output for many: whole lines, each behind the name of who wrote it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def streams(self, name: str) -> tuple[int, int, int]:
        """Nothing to read, and ways to our output and errors."""
        return os.open(os.devnull, os.O_RDONLY), self._way(name, 1), self._way(name, 2)

    def drain(self) -> None:
        """Wait until all is handed on that was written, by programs that are gone."""
        for thread in self._threads:
            thread.join()

    def _way(self, name: str, stream: int) -> int:
        reading, writing = os.pipe()
        thread = threading.Thread(target=self._hand_on, args=(name, reading, stream), daemon=True)
        thread.start()
        self._threads.append(thread)
        return writing

    def _hand_on(self, name: str, reading: int, stream: int) -> None:
        is_terminal = os.isatty(stream)
        # Where nobody reads us any more, the writers are told so, too.
        with suppress(OSError), os.fdopen(reading, "rb") as source:
            while line := source.readline(_LONGEST):
                text = line.removesuffix(b"\n")
                if is_terminal:  # it may neither steer the terminal nor speak for another one
                    text = printable(text.removesuffix(b"\r").decode("utf-8", "replace")).encode()
                with self._lock:
                    _write(stream, name.encode() + b"| " + text + b"\n")


def _write(stream: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(stream, view) :]
