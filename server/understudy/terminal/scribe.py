"""The process that turns a recorded terminal's bytes into its log, beside the terminal.

It owns the log. The recorder never waits for it: bytes come through a ring, events (sizes, times,
gaps, the end) through a pipe, each with its place in the stream.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from understudy.terminal.log.file import LogFile
from understudy.terminal.log.session import SessionLog
from understudy.terminal.marks import IN_ITS_PLACE, MarkSplitter
from understudy.terminal.overflow import Event
from understudy.terminal.ring import Ring
from understudy.terminal.screen.transcript import Transcript
from understudy.values.frozen import frozen

PIECE = 256 * 1024
FLUSH_S, BEHIND_FLUSH_S = 0.05, 0.5
_IDLE_S = 0.5
"""How often is looked whether the user has switched the recording off or on."""

STEP_CPU_S = 60.0
"""Processor time of one step; a scribe that takes longer is stuck, and is ended by the system."""
REST_CPU_S = 150.0
"""Processor time for what is left when the terminal has ended; more is given up, and counted.

A full ring of random bytes, which take longest, needs 70 s.
"""


@frozen
class Size:
    """A terminal's size in characters."""

    columns: int
    rows: int


class Scribe:
    """Follows one terminal to its end."""

    def __init__(
        self,
        ring: Ring,
        events: int,
        log: LogFile,
        size: Size,
        nonce: str | None,
        on_step: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_step = on_step
        self._ring = ring
        self._events = events
        self._log = log
        self._queue: deque[Event] = deque()
        self._unread = b""
        self._is_over = False
        self._over_since = 0.0
        """The processor time that was used when the terminal had ended."""
        self._marks = MarkSplitter(nonce)
        self._flushed = 0.0
        self._is_dirty = False
        self._is_behind = False
        self._session = SessionLog(log, has_marks=nonce is not None)
        self._transcript = Transcript(
            size.columns,
            size.rows,
            self._session.write,
            on_alternate=self._session.on_alternate,
            find=log.find,
        )
        self._session.transcript = self._transcript

    def run(self) -> None:
        """Write until the recorder says that the program has ended, or is gone itself."""
        end: Event = {}
        while not end:
            self._on_step()
            pause = FLUSH_S if self._is_dirty else _IDLE_S
            self._listen(0 if self._ring.behind else pause)
            end = self._given_up() if self._is_to_end() else self._advance()
            pause = FLUSH_S if self._ring.behind <= PIECE else BEHIND_FLUSH_S
            if time.monotonic() - self._flushed >= pause:
                self._flush()
        if self._is_behind:  # it ended before the header was written anew
            self._log.say("behind", "")
        self._on_step()
        rest = self._marks.rest()
        if rest:
            self._session.feed(rest)
        code = end.get("exit", -1)
        self._session.finish(code if code >= 0 else None)
        self._log.close()

    def _listen(self, seconds: float) -> None:
        """Read events as they come; the end of the pipe is the end of the recorder."""
        if self._is_over or not select.select([self._events], [], [], seconds)[0]:
            return
        data = os.read(self._events, 65536)
        if not data:
            self._is_over, self._over_since = True, time.process_time()
        *lines, self._unread = (self._unread + data).split(b"\n")
        self._queue.extend(json.loads(line) for line in lines if line)

    def _advance(self) -> Event:
        """Act on the next bytes and events; returns the last event once it has come."""
        limit = PIECE
        if self._queue:
            limit = min(limit, self._queue[0]["at"] - self._ring.read)
        if limit > 0 and self._ring.behind:
            self._is_dirty = True
            for piece in self._marks.split(self._ring.take(limit)):
                if isinstance(piece, bytes):
                    self._session.feed(piece)
                else:
                    self._transcript.feed(IN_ITS_PLACE)
                    self._session.mark(piece)
        while self._queue and self._queue[0]["at"] <= self._ring.read:
            event = self._queue.popleft()
            if "clock" in event:
                self._session.now(event["clock"] / 1000, event.get("time", 0))
            if "exit" in event:
                return event
            self._is_dirty = True
            if "columns" in event:
                self._transcript.resize(event["columns"], event["rows"])
            if "missed" in event:
                n_marks = event["marks"] + bool(self._marks.rest())
                self._session.miss(event["missed"], n_marks)
        if self._is_over and not self._queue and not self._ring.behind:
            return {"exit": -1}
        return {}

    def _is_to_end(self) -> bool:
        """Whether the terminal has gone and the rest is not worth writing, or takes too long."""
        if not self._is_over or not self._ring.behind:
            return False
        return time.process_time() - self._over_since > REST_CPU_S or self._log.is_gone()

    def _given_up(self) -> Event:
        """Count what is left instead of writing it; how the command ended is in there."""
        self._session.miss(self._ring.behind, 1, "the terminal had ended long before")
        return {"exit": -1}

    def _flush(self) -> None:
        behind = self._ring.behind
        if behind > PIECE or self._is_behind:
            self._is_behind = behind > PIECE
            self._log.say("behind", f"behind={behind} bytes" if self._is_behind else "")
        self._session.look_for_switch()
        if self._is_dirty:
            self._session.show()
        self._is_dirty = self._ring.behind > 0
        self._flushed = time.monotonic()


def follow(ring: Ring, events: int, log: LogFile, size: Size, nonce: str | None) -> None:
    """Be the scribe: run apart from the terminal and its signals, at a lower priority."""
    os.setsid()
    _let_go_of_terminal()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    os.nice(5)
    Scribe(ring, events, log, size, nonce, on_step=_end_if_stuck).run()


def _end_if_stuck() -> None:
    """Have the system end this process unless it comes here again in time, whatever it does."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, STEP_CPU_S)


def _let_go_of_terminal() -> None:
    """Whoever reads the terminal, or a pipe in its place, is not to wait for a scribe that lags."""
    with suppress(OSError):  # no /dev/null here: the log matters more
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        if nothing > 2:
            os.close(nothing)
