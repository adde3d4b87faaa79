"""The verb `terminals wait`: until a line matches, a command has ended, or nothing more comes.

What is looked at is the file alone, so that every face and every process can wait in the same way.
"""

from __future__ import annotations

import asyncio
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Literal

from understudy.app.terminals.listing import Terminal, folder_of, terminal_of
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import header as log_header
from understudy.terminal.log.folder import Log
from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK
from understudy.terminal.log.rotation import number_of
from understudy.terminal.log.spans import from_last
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.workers import Workers

POLL_S = 0.05
SEARCH_S = 5.0
"""Seconds for a pattern in one piece; however much there is, an ordinary one comes to its end."""
PIECE_BYTES = 2_000_000
Until = Literal["exit", "idle"]


@frozen
class WaitWish:
    """What to wait for: a line that matches `pattern`, or the end; at most `seconds`.

    `exit`: the command that runs now has ended, or the terminal is closed. `idle`: the same, or
    nothing was written for `quiet` s.
    """

    pattern: str | None = None
    until: Until = "exit"
    seconds: float = 60.0
    quiet: float = 2.0


@frozen
class Waited:
    """How waiting ended: `matched`, `exited`, `idle` or `timeout`, with the line that matched."""

    terminal: Terminal
    ended: str
    line: str | None


class _Wait:
    """One wait: what it began with, and what it has seen since."""

    def __init__(self, folder: Path, name: str, wish: WaitWish) -> None:
        if wish.seconds < 0 or wish.quiet <= 0:
            raise BadInput("bad-params", "times must be positive", "timeout")
        if wish.pattern is not None:
            try:
                re.compile(wish.pattern)
            except (re.error, OverflowError, RecursionError) as error:
                text = f"not a regular expression: {error}"
                raise BadInput("bad-pattern", text, wish.pattern) from error
        self._folder, self._name, self._wish = folder, name, wish
        self._end = time.monotonic() + wish.seconds
        self._log = log = log_folder.log_of(folder, name)
        begin = from_last(log)[0]
        self._file, self._at = number_of(begin.path) or log.number, begin.start
        """The number of a file, and a place in it: what is before it is looked at, and stays."""
        self._runs = log.record if _is_running(log) else None
        """The command that ran when the wait began."""
        self._seen: tuple[int, int, int] | None = None
        self._quiet_since = time.monotonic()
        self._look_until = max(self._end, time.monotonic() + SEARCH_S)
        """What there is is looked at for so long at least, also where nothing is waited for."""
        self._is_cut = False

    def news(self) -> Iterator[bytes]:
        """What there is to look at since the last call, in pieces of whole lines.

        Once the time is over there are no more, and the wait has ended without an answer.
        """
        with ExitStack() as opened:
            files, n_pieces = self._opened(opened), 0
            for number, file in files:
                if number != self._file:
                    self._file, self._at = number, SIZE
                for piece in self._pieces(file, is_newest=file is files[-1][1]):
                    if n_pieces and time.monotonic() >= self._look_until:
                        self._is_cut = True
                        return
                    n_pieces += 1
                    yield piece

    def _opened(self, opened: ExitStack) -> Sequence[tuple[int, BinaryIO]]:
        """The files with something new, and their numbers; what is open stays as it is."""
        while True:
            log = self._log = log_folder.log_of(self._folder, self._name)
            now = (log.changed_ns, log.size, log.number)
            if now == self._seen:
                return []
            numbers = {number_of(path) or log.number: path for path in log.files}
            wanted = {} if self._wish.pattern is None else numbers
            with ExitStack() as trying, log.reading():
                files = [
                    (number, trying.enter_context(path.open("rb")))
                    for number, path in wanted.items()
                    if number >= self._file or path == log.path
                ]
                if log.is_as_found():
                    opened.enter_context(trying.pop_all())
                    self._seen, self._quiet_since = now, time.monotonic()
                    return files

    def _pieces(self, file: BinaryIO, *, is_newest: bool) -> Iterator[bytes]:
        settled: object = sys.maxsize
        if is_newest:  # a log of the form before does not say how much of it stays
            settled = log_header.parse(file.read(SIZE)).get("settled")
        stays = settled if isinstance(settled, int) else 0
        file.seek(self._at)
        while data := file.read(PIECE_BYTES) + file.readline():
            at = file.tell() - len(data)
            if at < stays:
                self._at = at + data.rfind(b"\n", 0, stays - at) + 1
            yield data

    def answer(self, line: str | None) -> Waited | None:
        """The end of the wait, if this is it."""
        log, wish = self._log, self._wish
        ended = None
        if line is not None:
            ended = "matched"
        elif self._is_cut:  # what was not looked at may hold the line
            ended = "timeout"
        elif self._has_ended():
            ended = "exited"
        elif wish.until == "idle" and time.monotonic() - self._quiet_since >= wish.quiet:
            ended = "idle"
        elif time.monotonic() >= self._end:
            ended = "timeout"
        return None if ended is None else Waited(terminal_of(log), ended, line)

    def _has_ended(self) -> bool:
        log = self._log
        if not log.is_running:
            return True
        if self._runs is None:  # nothing ran; what comes now may still hold the line
            return self._wish.pattern is None
        return not _is_running(log) or log.record != self._runs


def wait(root: Path, name: str, wish: WaitWish) -> Waited:
    """Wait in this process; raises BadInput `bad-pattern`, `bad-params`, `unknown-terminal`."""
    waiting = _Wait(folder_of(root), name, wish)
    while True:
        lines = (find(piece, wish.pattern or "") for piece in waiting.news())
        answer = waiting.answer(next((line for line in lines if line is not None), None))
        if answer is not None:
            return answer
        time.sleep(POLL_S)


async def wait_in(folder: Path, name: str, wish: WaitWish, workers: Workers) -> Waited:
    """The same, while the host does other things; a pattern is looked for in a worker.

    Raises also OutsideFailure `work-too-long` for a pattern that takes for ever.
    """
    waiting = _Wait(folder, name, wish)
    while True:
        news, line = waiting.news(), None
        while line is None and (piece := await asyncio.to_thread(next, news, b"")):
            line = await workers.run_elsewhere(find, piece, wish.pattern or "", seconds=SEARCH_S)
        answer = waiting.answer(line)
        if answer is not None:
            return answer
        await asyncio.sleep(POLL_S)


def find(piece: bytes, pattern: str) -> str | None:
    """The first line of output that matches."""
    wanted, lines = re.compile(pattern), piece.decode("utf-8", "replace").split("\n")
    return next((line for line in lines if not line.startswith(MARK) and wanted.search(line)), None)


def _is_running(log: Log) -> bool:
    return log.is_running and log.header.get("status") == "running"
