"""Runs a command on a pty of its own inside the user's terminal, and has its output written down.

The terminal comes first: bytes are passed on before anything else is done with them, nothing here
waits for the log, and a recorder that cannot record still runs the command.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios
import time
import tty
from collections.abc import Sequence
from contextlib import suppress

from understudy.terminal import scribe
from understudy.terminal.log_file import LogFile
from understudy.terminal.ring import Ring
from understudy.terminal.scribe import Size

NOT_EXECUTABLE, NOT_FOUND = 126, 127
WAIT_FOR_LOG_S = 1.0
"""What a terminal waits at most for its log; a scribe that has more to do goes on alone."""
_READ = 65536
_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)


def record(command: Sequence[str], log: LogFile | None) -> int:
    """Run a command in this terminal and record it; returns its exit code.

    A signal that ended it gives 128 + its number; a program that is missing 127, one that cannot
    be executed 126, as in a shell. Without a log it only runs the command.
    """
    return _Recording(command, log).run()


class _Recording:
    def __init__(self, command: Sequence[str], log: LogFile | None) -> None:
        self._size = _size_of(0)
        self._started = time.monotonic()
        self._ring = Ring()
        self._missed = 0
        self._events = -1
        self._scribe = 0
        if log is not None:
            self._start_scribe(log)
        self._child, self._master = _start(command, self._size)
        self._stdin_open = True

    def run(self) -> int:
        wake, signals = os.pipe()
        for end in (wake, signals):
            os.set_blocking(end, False)
        handlers = {
            number: signal.signal(number, _heard)
            for number in (signal.SIGWINCH, signal.SIGCHLD, *_PASSED_ON)
        }
        before = signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
        modes = termios.tcgetattr(0) if os.isatty(0) else None
        try:
            if modes is not None:
                tty.setraw(0)
            status = self._pump(wake)
        finally:
            if modes is not None:
                with suppress(termios.error):  # the terminal is gone
                    termios.tcsetattr(0, termios.TCSADRAIN, modes)
            signal.set_wakeup_fd(before)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            os.close(wake)
            os.close(signals)
        code = os.waitstatus_to_exitcode(status)
        code = 128 - code if code < 0 else code
        self._finish(code)
        return code

    # ---- passing bytes on

    def _pump(self, wake: int) -> int:
        """Copy until the command has ended and nothing of its output is left."""
        status: int | None = None
        while True:
            watched = [self._master, wake] + ([0] if self._stdin_open else [])
            ready, _, _ = select.select(watched, [], [], 0 if status is not None else None)
            if wake in ready:
                self._act_on(os.read(wake, 4096))
            if 0 in ready:
                self._pass_input()
            if self._master in ready and not self._pass_output():
                return os.waitpid(self._child, 0)[1] if status is None else status
            if status is None:
                pid, found = os.waitpid(self._child, os.WNOHANG)
                status = found if pid else None
            elif self._master not in ready:
                return status

    def _pass_output(self) -> bool:
        try:
            data = os.read(self._master, _READ)
        except OSError:  # how Linux says that no program has the terminal open any more
            return False
        if not data:
            return False
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]
        except OSError:  # whoever read our output has gone: the command hears of it as usual
            os.killpg(self._child, signal.SIGHUP)
        self._note(data)
        return True

    def _pass_input(self) -> None:
        try:
            data = os.read(0, _READ)
        except OSError:  # the terminal is gone
            data = b""
        if not data:
            self._stdin_open = False
            data = termios.tcgetattr(self._master)[6][termios.VEOF]
        with suppress(OSError):  # the command has closed its side
            os.write(self._master, data)

    def _act_on(self, numbers: bytes) -> None:
        if signal.SIGWINCH in numbers:
            size = _size_of(0)
            _set_size(self._master, size)
            self._tell({"columns": size.columns, "rows": size.rows})
        for number in _PASSED_ON:
            if number in numbers:
                with suppress(ProcessLookupError):
                    os.killpg(self._child, number)

    # ---- writing down

    def _start_scribe(self, log: LogFile) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            os.close(writing)
            code = 1
            try:
                scribe.follow(self._ring, reading, log, self._size)
                code = 0
            except BaseException as error:  # noqa: BLE001 - a process of its own ends here
                log.fail(f"{type(error).__name__}: {error}")
            finally:
                os._exit(code)
        os.close(reading)
        os.set_blocking(writing, False)
        self._scribe, self._events = pid, writing

    def _note(self, data: bytes) -> None:
        if self._events < 0:
            return
        if self._missed and self._ring.behind * 2 < self._ring.capacity:
            missed, self._missed = self._missed, 0
            self._tell({"missed": missed})
        if self._missed:
            self._missed += len(data)
        else:
            self._missed = self._ring.write(data)

    def _tell(self, event: dict[str, int]) -> None:
        if self._events >= 0:
            line = json.dumps({**event, "at": self._ring.written}).encode() + b"\n"
            with suppress(OSError):  # the scribe has gone; the terminal goes on
                os.write(self._events, line)

    def _finish(self, code: int) -> None:
        os.close(self._master)
        if self._events < 0:
            return
        if self._missed:
            self._tell({"missed": self._missed})
        self._tell({"exit": code, "ms": int((time.monotonic() - self._started) * 1000)})
        os.close(self._events)
        end = time.monotonic() + WAIT_FOR_LOG_S
        while time.monotonic() < end and not os.waitpid(self._scribe, os.WNOHANG)[0]:
            time.sleep(0.005)


def _start(command: Sequence[str], size: Size) -> tuple[int, int]:
    """Start a command on a new terminal; its pid and our side of the terminal."""
    master, slave = os.openpty()
    _set_size(master, size)
    if os.isatty(0):
        termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(0))
    pid = os.fork()
    if pid:
        os.close(slave)
        return pid, master
    code = NOT_FOUND
    try:
        os.close(master)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(slave, number)
        os.execvp(command[0], list(command))  # noqa: S606 - the user's own command, as given
    except OSError as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
        os.write(2, f"understudy: {command[0]}: {error.strerror}\r\n".encode("utf-8", "replace"))
    finally:
        os._exit(code)


def _heard(number: int, frame: object) -> None:
    """Do nothing: the signal comes through the pipe as well."""


def _size_of(terminal: int) -> Size:
    try:
        columns, rows = os.get_terminal_size(terminal)
    except OSError:  # not a terminal
        return Size(80, 24)
    return Size(columns or 80, rows or 24)


def _set_size(terminal: int, size: Size) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
