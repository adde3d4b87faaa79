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

from understudy.app.terminals.listing import Terminal, body, folder_of, running_from, terminal_of
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.folder import Log
from understudy.terminal.log.header import SIZE
from understudy.terminal.log.lines import MARK
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
        self._start, self._older = running_from(log), log.older
        self._runs = _number(log) if _is_running(log) else None
        """The command that ran when the wait began."""
        self._seen: tuple[int, int] | None = None
        self._quiet_since = time.monotonic()

    def search_in(self) -> tuple[Path, int, str] | None:
        """Where to look for the pattern, if there is something new to look at."""
        self._log = log_folder.log_of(self._folder, self._name)
        now = (self._log.changed_ns, self._log.size)
        if now == self._seen:
            return None
        self._seen, self._quiet_since = now, time.monotonic()
        if self._log.older != self._older:  # it goes on in a new file
            self._start, self._older = SIZE, self._log.older
        pattern = self._wish.pattern
        return None if pattern is None else (self._log.path, self._start, pattern)

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
        place = waiting.search_in()
        answer = waiting.answer(None if place is None else find(*place))
        if answer is not None:
            return answer
        time.sleep(POLL_S)


async def wait_in(folder: Path, name: str, wish: WaitWish, workers: Workers) -> Waited:
    """The same, while the host does other things; a pattern is looked for in a worker.

    Raises also OutsideFailure `work-too-long` for a pattern that takes for ever.
    """
    waiting = _Wait(folder, name, wish)
    while True:
        place = waiting.search_in()
        line = None
        if place is not None:
            line = await workers.run_elsewhere(find, *place, seconds=SEARCH_S)
        answer = waiting.answer(line)
        if answer is not None:
            return answer
        await asyncio.sleep(POLL_S)


def find(path: Path, start: int, pattern: str) -> str | None:
    """The first line of output from a place on that matches."""
    wanted = re.compile(pattern)
    lines = body(path, start).split("\n")
    return next((line for line in lines if not line.startswith(MARK) and wanted.search(line)), None)


def _is_running(log: Log) -> bool:
    return log.is_running and log.header.get("status") == "running"


def _number(log: Log) -> int:
    """The number of the command that runs, or will run next."""
    return int(log.ended[-1][1]["id"]) + 1 if log.ended else 1
