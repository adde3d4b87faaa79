"""Runs a command on a pty of its own inside the user's terminal, and has its output written down.

The terminal comes first: bytes are passed on before anything else is done with them, nothing here
waits for the log, and a recorder that cannot record still runs the command.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
import termios
import time
import tty
from collections import deque
from contextlib import suppress

from understudy.process.heard_signals import heard_signals
from understudy.terminal import scribe
from understudy.terminal.log.file import LogFile
from understudy.terminal.marks import start_of_marks
from understudy.terminal.overflow import Event, Overflow
from understudy.terminal.program import (
    NOT_STARTED,
    OwnProgram,
    TerminalProgram,
    set_size,
    size_of,
)
from understudy.terminal.ring import Ring
from understudy.terminal.shells import ShellStart

log = logging.getLogger(__name__)

WAIT_FOR_LOG_S = 1.0
"""What a terminal waits at most for its log; a scribe that has more to do goes on alone."""
NEAR_BYTES = 16 * 1024 * 1024
"""A log that is further behind is not waited for: it would take longer than that."""
SPARED = 4 * 1024 * 1024
"""Bytes of the spool that a flood does not get: they are for its end and for what follows it."""
_READ = 65536
_AT_ONCE = 32_768
"""Bytes that are gathered for one write: a pty gives 4 KiB at a time, and keys wait meanwhile."""
_MOST_ENDS = 3000
"""A terminal has room for as many that nobody reads."""
_SLOWER, _RARELY_S = 1.02, 1.0
"""Each end is told a little later than the one before, until they are so far apart."""
_LOOK_S = 0.05
"""How often is looked whether a full spool has room again."""
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)


def record(
    start: ShellStart, log_file: LogFile | None, program: TerminalProgram | None = None
) -> int:
    """Run a program in this terminal and record it; returns its exit code.

    A signal that ended it gives 128 + its number; a program that is missing 127, one that cannot
    be executed 126, as in a shell. Without a log it only runs the program. `program` is one that
    runs elsewhere; what it raises at its start is raised here.
    """
    return _Recording(start, log_file, program or OwnProgram(start)).run()


class _Recording:
    def __init__(
        self, start: ShellStart, log_file: LogFile | None, program: TerminalProgram
    ) -> None:
        self._size = size_of(0)
        self._started = time.monotonic()
        self._ring = Ring()
        self._overflow = Overflow(SPARED)
        self._events = -1
        self._untold: deque[bytes] = deque()
        self._scribe = 0
        self._start = start
        self._mark = b"" if start.nonce is None else start_of_marks(start.nonce)
        self._last = b""
        if log_file is not None:
            self._start_scribe(log_file)
        self._stdin_open = True
        self._ends_left, self._end_pause = _MOST_ENDS, _LOOK_S
        self._program = program
        try:
            self._master = program.start(
                self._size, None if log_file is None else str(log_file.path)
            )
        except BaseException:  # whatever it is: the log is ended, and it is raised again
            self._end_log(NOT_STARTED)
            raise

    def run(self) -> int:
        modes = termios.tcgetattr(0) if os.isatty(0) else None
        with heard_signals((signal.SIGWINCH, signal.SIGCHLD, *_PASSED_ON)) as wake:
            try:
                if modes is not None:
                    tty.setraw(0)
                status = self._pump(wake)
            finally:
                if modes is not None:
                    with suppress(termios.error):  # the terminal is gone
                        termios.tcsetattr(0, termios.TCSADRAIN, modes)
        code = 128 - status if status < 0 else status
        self._finish(code)
        return code

    # ---- passing bytes on

    def _pump(self, wake: int) -> int:
        """Copy until the command has ended and nothing of its output is left."""
        status: int | None = None
        while True:
            watched = [self._master, wake] + ([0] if self._stdin_open else [])
            if self._program.end is not None and status is None:
                watched.append(self._program.end)
            tells_end = not self._stdin_open and self._ends_left
            pause = _LOOK_S if self._overflow else self._end_pause if tells_end else None
            ready, _, _ = select.select(watched, [], [], 0 if status is not None else pause)
            if not ready:
                self._catch_up()
                if not self._stdin_open and status is None:
                    self._pass_end()
            if wake in ready:
                self._act_on(os.read(wake, 4096))
            if 0 in ready:
                self._pass_input()
            if self._master in ready and not self._pass_output():
                return self._program.wait() if status is None else status
            if status is None:
                status = self._program.poll()
            elif self._master not in ready:
                return status

    def _pass_output(self) -> bool:
        data = self._read_output()
        if not data:
            return False
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]
        except OSError:  # whoever read our output has gone: the command hears of it as usual
            self._program.send(signal.SIGHUP)
        try:
            self._note(data)
        except Exception:  # the terminal goes on, whatever is wrong with the writing down
            log.exception("the recording has failed")
            self._stop_telling()
        return True

    def _read_output(self) -> bytes:
        """What the command has written so far; nothing once no program has the terminal open."""
        parts: list[bytes] = []
        n_bytes = 0
        while n_bytes < _AT_ONCE and (not parts or select.select([self._master], [], [], 0)[0]):
            try:
                data = os.read(self._master, _READ)
            except OSError:  # how Linux says that it is over; said again at the next read
                break
            if not data:
                break
            parts.append(data)
            n_bytes += len(data)
        return b"".join(parts)

    def _pass_input(self) -> None:
        try:
            data = os.read(0, _READ)
        except OSError:  # the terminal is gone
            data = b""
        if not data:
            self._stdin_open = False
            self._pass_end()
            return
        with suppress(OSError):  # the command has closed its side
            os.write(self._master, data)

    def _pass_end(self) -> None:
        """Say that there is no more input; and again, as each read is told once.

        A shell drops what came before its prompt, which may take long on a busy machine.
        """
        if self._ends_left:
            self._ends_left -= 1
            self._end_pause = min(self._end_pause * _SLOWER, _RARELY_S)
            with suppress(OSError):  # as above
                os.write(self._master, termios.tcgetattr(self._master)[6][termios.VEOF])

    def _act_on(self, numbers: bytes) -> None:
        if signal.SIGWINCH in numbers:
            size = size_of(0)
            set_size(self._master, size)
            self._tell({"columns": size.columns, "rows": size.rows})
        for number in _PASSED_ON:
            if number in numbers:
                self._program.send(number)

    # ---- writing down

    def _start_scribe(self, log_file: LogFile) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(writing)
            code = 1
            try:
                scribe.follow(self._ring, reading, log_file, self._size, self._start.nonce)
                code = 0
            except BaseException as error:  # noqa: BLE001 - a process of its own ends here
                log_file.fail(f"{type(error).__name__}: {error}")
            finally:
                os._exit(code)
        os.close(reading)
        os.set_blocking(writing, False)
        self._scribe, self._events = pid, writing

    def _note(self, data: bytes) -> None:
        if self._events < 0:
            return
        has_mark = bool(self._mark) and self._has_mark(data)
        self._catch_up()
        n_left = len(data) if self._overflow else self._ring.write(data, SPARED)
        if n_left:
            self._overflow.add(data[-n_left:], has_mark=has_mark)
        elif self._ring.behind <= len(data):  # the scribe may be asleep
            self._untold.append(b"\n")
        if self._untold:
            self._send()

    def _has_mark(self, data: bytes) -> bool:
        """Whether a mark begins in the data; says when: the scribe may read it much later."""
        around = len(self._mark) - 1
        has_mark = self._mark in data or self._mark in self._last + data[:around]
        if has_mark:
            milliseconds = int((time.monotonic() - self._started) * 1000)
            self._tell({"clock": milliseconds, "time": int(time.time())})
            self._start.forget()
        self._last = (self._last + data)[-around:] if len(data) < around else data[-around:]
        return has_mark

    def _catch_up(self, *, is_over: bool = False) -> None:
        """Pass on what a full spool had no room for, once half of that has been read.

        As much as is spared stays free behind it: at the end there is room for all that is held.
        """
        if not self._overflow:
            return
        is_full = self._ring.room - self._overflow.n_bytes < SPARED
        if (is_full or self._ring.behind * 2 >= self._ring.capacity) and not is_over:
            return
        for item in self._overflow.take():
            if isinstance(item, bytes):
                self._ring.write(item)
            else:
                self._tell(item)
        self._untold.append(b"\n")  # the scribe may be asleep
        self._send()

    def _tell(self, event: Event) -> None:
        if self._events < 0:
            return
        if self._overflow:
            self._overflow.tell(event)
            return
        self._untold.append(json.dumps({**event, "at": self._ring.written}).encode() + b"\n")
        self._send()

    def _send(self) -> None:
        """Pass on what there is room for; each line is shorter than what a pipe takes whole."""
        try:
            while self._untold:
                os.write(self._events, self._untold[0])
                self._untold.popleft()
        except BlockingIOError:  # the scribe is far behind; the rest goes with what comes next
            return
        except OSError:  # the scribe has gone; the terminal goes on
            self._stop_telling()

    def _stop_telling(self) -> None:
        if self._events >= 0:
            os.close(self._events)
        self._events = -1
        self._untold.clear()
        self._overflow = Overflow(0)

    def _finish(self, code: int) -> None:
        os.close(self._master)
        self._end_log(code)

    def _end_log(self, code: int) -> None:
        self._start.forget()
        if self._events < 0:
            return
        self._catch_up(is_over=True)
        self._tell({"exit": code, "clock": int((time.monotonic() - self._started) * 1000)})
        end = time.monotonic() + WAIT_FOR_LOG_S
        while self._untold and time.monotonic() < end:
            self._send()
            time.sleep(0.005)
        self._stop_telling()
        while self._ring.behind <= NEAR_BYTES and time.monotonic() < end:
            if os.waitpid(self._scribe, os.WNOHANG)[0]:
                break
            time.sleep(0.005)
