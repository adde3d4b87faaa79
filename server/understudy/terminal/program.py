"""A program on a terminal of its own: one that we start here, or one that runs on a stage."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios
from contextlib import suppress
from typing import Protocol

from understudy.terminal.recorded import LOG_VARIABLE, TERMINAL_VARIABLE
from understudy.terminal.scribe import Size
from understudy.terminal.shells import ShellStart

NOT_STARTED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127
_OF_ITS_OWN = (
    *(signal.SIGPIPE, signal.SIGXFSZ),  # Python ignores them
    *(signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP),
)
"""Signals that a program on a new terminal begins without: the keys there are for it.

A shell has commands in the background ignore keys, and what they start would, too, for good. What
is ignored for another reason (SIGHUP, by `nohup`) stays so.
"""


class TerminalProgram(Protocol):
    """What whoever passes a terminal through needs of the program on it."""

    @property
    def end(self) -> int | None:
        """A descriptor that is readable once it has ended; None: it is a child, SIGCHLD tells."""
        ...

    def start(self, size: Size, log: str | None) -> int:
        """Start it on a new terminal of this size, and give our side of that.

        `log` is the file that it is recorded in.
        """
        ...

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        ...

    def wait(self) -> int:
        """Wait for that."""
        ...

    def send(self, number: int) -> None:
        """Signal its process group, if it is still there."""
        ...


class OwnProgram:
    """A child of ours."""

    end: int | None = None

    def __init__(self, start: ShellStart) -> None:
        self._start = start
        self._pid = 0
        self._status: int | None = None

    def start(self, size: Size, log: str | None) -> int:
        """See `TerminalProgram.start`."""
        self._pid, terminal = _start(self._start, log, size)
        return terminal

    def poll(self) -> int | None:
        """See `TerminalProgram.poll`."""
        if self._status is None:
            pid, found = os.waitpid(self._pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(found) if pid else None
        return self._status

    def wait(self) -> int:
        """See `TerminalProgram.wait`."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status

    def send(self, number: int) -> None:
        """See `TerminalProgram.send`."""
        with suppress(ProcessLookupError):
            os.killpg(self._pid, number)


def _start(start: ShellStart, log_path: str | None, size: Size) -> tuple[int, int]:
    """Start a program on a new terminal; its pid and our side of the terminal."""
    master, slave = os.openpty()
    set_size(master, size)
    if os.isatty(0):
        termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(0))
    device = None if log_path is None else os.ttyname(slave)
    given = {TERMINAL_VARIABLE: device, LOG_VARIABLE: log_path, **start.environment}
    environment = {k: v for k, v in {**os.environ, **given}.items() if v is not None}
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
        for number in _OF_ITS_OWN:
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(start.argv[0], list(start.argv), environment)  # noqa: S606 - the user's own
    except OSError as error:
        code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
        name = start.argv[0]
        os.write(2, f"understudy: {name}: {error.strerror}\r\n".encode("utf-8", "replace"))
    finally:
        os._exit(code)


def size_of(terminal: int) -> Size:
    """Its columns and rows; 80 by 24 where there is no terminal."""
    try:
        columns, rows = os.get_terminal_size(terminal)
    except OSError:  # not a terminal
        return Size(80, 24)
    return Size(columns or 80, rows or 24)


def set_size(terminal: int, size: Size) -> None:
    """Give a terminal another size: its programs are told."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
