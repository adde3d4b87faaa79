"""The process that turns a recorded terminal's bytes into its log, beside the terminal.

It owns the log. The recorder never waits for it: bytes come through a ring, events (sizes, gaps,
the end) through a pipe, each with its place in the stream.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections import deque
from dataclasses import dataclass

from understudy.terminal.log_file import End, LogFile
from understudy.terminal.ring import Ring
from understudy.terminal.transcript import Transcript

PIECE = 256 * 1024
FLUSH_S, BEHIND_FLUSH_S = 0.1, 0.5
_IDLE_S = 0.05


@dataclass(frozen=True)
class Size:
    """A terminal's size in characters."""

    columns: int
    rows: int


class Scribe:
    """Follows one command to its end."""

    def __init__(self, ring: Ring, events: int, log: LogFile, size: Size) -> None:
        self._ring = ring
        self._events = events
        self._log = log
        self._queue: deque[dict[str, int]] = deque()
        self._unread = b""
        self._is_over = False
        self._missed = 0
        self._flushed = 0.0
        self._is_behind = False
        self._started = time.monotonic()
        self._transcript = Transcript(
            size.columns, size.rows, log.write, on_alternate=self._on_alternate
        )

    def run(self) -> None:
        """Write until the recorder says that the command has ended, or is gone itself."""
        end: dict[str, int] = {}
        while not end:
            self._listen(0 if self._ring.behind else _IDLE_S)
            end = self._advance()
            pause = FLUSH_S if self._ring.behind <= PIECE else BEHIND_FLUSH_S
            if time.monotonic() - self._flushed >= pause:
                self._flush()
        self._transcript.finish()
        hidden = self._transcript.hidden
        if hidden:
            self._log.note(f"{hidden} characters of overlong control strings not shown")
        code = end.get("exit", -1)
        seconds = end.get("ms", int((time.monotonic() - self._started) * 1000)) / 1000
        exit_code = code if code >= 0 else None
        self._log.end(End(exit_code, seconds, self._missed, self._ring.read + self._missed))
        self._log.close()

    def _listen(self, seconds: float) -> None:
        """Read events as they come; the end of the pipe is the end of the recorder."""
        if self._is_over or not select.select([self._events], [], [], seconds)[0]:
            return
        data = os.read(self._events, 65536)
        self._is_over = not data
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._queue.extend(json.loads(line) for line in lines)

    def _advance(self) -> dict[str, int]:
        """Act on the next bytes and events; returns the last event once it has come."""
        limit = PIECE
        if self._queue:
            limit = min(limit, self._queue[0]["at"] - self._ring.read)
        if limit > 0 and self._ring.behind:
            self._transcript.feed(self._ring.take(limit))
        while self._queue and self._queue[0]["at"] <= self._ring.read:
            event = self._queue.popleft()
            if "exit" in event:
                return event
            if "columns" in event:
                self._transcript.resize(event["columns"], event["rows"])
            if "missed" in event:
                self._missed += event["missed"]
                self._transcript.settle()
                self._log.note(f"{event['missed']} bytes missed: the output was too fast")
        if self._is_over and not self._queue and not self._ring.behind:
            return {"exit": -1}
        return {}

    def _flush(self) -> None:
        behind = self._ring.behind
        if behind > PIECE or self._is_behind:
            self._is_behind = behind > PIECE
            self._log.show_behind(behind if self._is_behind else 0)
        self._log.show(self._transcript.live())
        self._flushed = time.monotonic()

    def _on_alternate(self, is_on: bool) -> None:
        if is_on:
            self._transcript.settle()
            self._log.note("a full-screen program drew here; what it drew is not kept")


def follow(ring: Ring, events: int, log: LogFile, size: Size) -> None:
    """Be the scribe: run apart from the terminal's signals, at a lower priority."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    os.nice(5)
    Scribe(ring, events, log, size).run()
