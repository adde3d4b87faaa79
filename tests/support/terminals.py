"""Real streams for the terminal tests: programs run on a pty of their own, and what they wrote."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from tests.support import servers

LIMIT_S = 300.0
COLUMNS, ROWS = 120, 30


class NeverEndedError(AssertionError):
    """A program on a pty neither ended nor wrote what was waited for."""


class OnPty:
    """A program on a pty: its bytes so far, keys to it, its exit code."""

    def __init__(
        self,
        command: Sequence[str | Path],
        cwd: Path,
        environment: Mapping[str, str] | None = None,
        columns: int = COLUMNS,
        rows: int = ROWS,
        *,
        keeps: bool = True,
        before: Callable[[], None] | None = None,
    ) -> None:
        env = {**servers.environment(), "TERM": "xterm-256color", **(environment or {})}
        self.seen = bytearray()
        self._keeps = keeps
        argv = [str(part) for part in command]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            if before is not None:
                before()
            os.execvpe(argv[0], argv, env)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def wait_for(self, text: bytes, since: int = 0) -> int:
        """Read until it was written; returns where it ends."""
        end = time.monotonic() + LIMIT_S
        at = since
        while (found := self.seen.find(text, at)) < 0:
            at = max(since, len(self.seen) - len(text) + 1)
            if not self._read(end):
                raise NeverEndedError(f"ended without {text!r}: {bytes(self.seen[-2000:])!r}")
        return found + len(text)

    def finish(self) -> bytes:
        """Read to the end of the program; all it wrote."""
        end = time.monotonic() + LIMIT_S
        while self._read(end):
            pass
        os.close(self.fd)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return bytes(self.seen)

    def hang_up(self) -> None:
        """End the terminal, as a closed window does, and wait for the program's end."""
        os.close(self.fd)
        psutil.Process(self.pid).wait(LIMIT_S)

    def read_some(self) -> bool:
        """Read what comes next; False at the end of the program."""
        return self._read(time.monotonic() + LIMIT_S)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], max(end - time.monotonic(), 0))
        if not ready:
            raise NeverEndedError(f"no more after {LIMIT_S} s: {bytes(self.seen[-2000:])!r}")
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        if self._keeps:
            self.seen += data
        return bool(data)


def record(
    command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str] | None = None
) -> bytes:
    """All that a program writes to a terminal of 120 columns and 30 rows."""
    return OnPty(command, cwd, environment).finish()
