"""The verb `terminals wait`: until a line matches, a command has ended, or nothing more comes.

What is looked at is the file alone, so that every face and every process can wait in the same way.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from understudy.app.terminals.listing import Terminal, folder_of, terminal_of
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.folder import Log
from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK
from understudy.terminal.log.rotation import number_of
from understudy.terminal.log.spans import from_last
from understudy.values.errors import BadInput
from understudy.workspace.workers import Workers

POLL_S = 0.05
SEARCH_S = 5.0
Until = Literal["exit", "idle"]


@dataclass(frozen=True)
class WaitWish:
    """What to wait for: a line that matches `pattern`, or the end; at most `seconds`.

    `exit`: the command that runs now has ended, or the terminal is closed. `idle`: the same, or
    nothing was written for `quiet` s.
    """

    pattern: str | None = None
    until: Until = "exit"
    seconds: float = 60.0
    quiet: float = 2.0


@dataclass(frozen=True)
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
        self._number, self._start = number_of(begin.path) or log.number, begin.start
        """Of the file that was looked at last, and where in it what is looked at begins."""
        self._searched = b""
        """What was looked at of it."""
        self._runs = _number(log) if _is_running(log) else None
        """The command that ran when the wait began."""
        self._seen: tuple[int, int, int] | None = None
        self._quiet_since = time.monotonic()

    def news(self) -> list[bytes]:
        """What there is to look at since the last call, from the beginning of a line on."""
        while True:
            log = self._log = log_folder.log_of(self._folder, self._name)
            now = (log.changed_ns, log.size, log.number)
            if now == self._seen:
                return []
            try:
                found = self._pieces(log) if self._wish.pattern is not None else {}
            except FileNotFoundError:  # one has made room just now
                if log.is_as_found():
                    raise
                continue
            if log.is_as_found():
                break
        self._seen, self._quiet_since = now, time.monotonic()
        if not found:
            return []
        new = [*found.values()]
        if self._number in found:
            new[0] = new[0][_change(self._searched, new[0]) :]
        if self._number != log.number:
            self._number, self._start = log.number, SIZE
        self._searched = found[log.number]
        return new

    def _pieces(self, log: Log) -> dict[int, bytes]:
        """What stands in each file from where this looks on, by the files' numbers."""
        pieces: dict[int, bytes] = {}
        for path in log.files:
            number = number_of(path) or log.number
            if number >= self._number:
                with path.open("rb") as file:
                    file.seek(self._start if number == self._number else SIZE)
                    pieces[number] = file.read()
        return pieces

    def answer(self, line: str | None) -> Waited | None:
        """The end of the wait, if this is it."""
        log, wish = self._log, self._wish
        ended = None
        if line is not None:
            ended = "matched"
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
        return not _is_running(log) or _number(log) != self._runs


def wait(root: Path, name: str, wish: WaitWish) -> Waited:
    """Wait in this process; raises BadInput `bad-pattern`, `bad-params`, `unknown-terminal`."""
    waiting = _Wait(folder_of(root), name, wish)
    while True:
        new = waiting.news()
        answer = waiting.answer(find(new, wish.pattern or "") if new else None)
        if answer is not None:
            return answer
        time.sleep(POLL_S)


async def wait_in(folder: Path, name: str, wish: WaitWish, workers: Workers) -> Waited:
    """The same, while the host does other things; a pattern is looked for in a worker.

    Raises also OutsideFailure `work-too-long` for a pattern that takes for ever.
    """
    waiting = _Wait(folder, name, wish)
    while True:
        new = await asyncio.to_thread(waiting.news)
        line = None
        if new:
            line = await workers.run_elsewhere(find, new, wish.pattern or "", seconds=SEARCH_S)
        answer = waiting.answer(line)
        if answer is not None:
            return answer
        await asyncio.sleep(POLL_S)


def find(pieces: list[bytes], pattern: str) -> str | None:
    """The first line of output that matches."""
    wanted = re.compile(pattern)
    lines = (line for piece in pieces for line in piece.decode("utf-8", "replace").split("\n"))
    return next((line for line in lines if not line.startswith(MARK) and wanted.search(line)), None)


def _change(before: bytes, now: bytes) -> int:
    """Where the first line begins that is not as it was: what a log shows last may change."""
    low, high = 0, min(len(before), len(now))
    if before[:high] == now[:high]:
        low = high
    while high - low > 1:
        middle = (low + high) // 2
        if before[low:middle] == now[low:middle]:
            low = middle
        else:
            high = middle
    return now.rfind(b"\n", 0, low) + 1


def _is_running(log: Log) -> bool:
    return log.is_running and log.header.get("status") == "running"


def _number(log: Log) -> int:
    """The number of the command that runs, or will run next."""
    return int(log.ended[-1][1]["id"]) + 1 if log.ended else 1
