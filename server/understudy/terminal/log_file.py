"""One terminal's log on disk: a header in place, records that only grow, a live tail.

A record opens and closes with a line that begins with `#|`; no output line can, as such a line is
written as `#\\|`. What is left out of a huge command is counted where it would have stood.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from understudy.disk.layout import open_private
from understudy.terminal import log_header
from understudy.terminal.log_header import Header
from understudy.terminal.redaction import Redactor

MARK = "#|"
HEAD_BYTES = 256 * 1024
TAIL_BYTES = 256 * 1024
_PIECE = 16 * 1024
MAX_LINE = 4096
"""Characters kept of one line."""


@dataclass(frozen=True)
class End:
    """How a command ended: its exit code (None: unknown), seconds, and bytes that were missed."""

    exit_code: int | None
    seconds: float
    missed: int
    raw_bytes: int


class LogFile:
    """Writes `<name>.txt` and `<name>.cmds.jsonl`.

    A disk that fails is never an error for the terminal: `failure` says what happened, the header
    says it if it can still be written, and every later record is incomplete.
    """

    def __init__(self, folder: Path, name: str, header: Header) -> None:
        self.path = folder / f"{name}.txt"
        self.failure: str | None = None
        self._index_path = folder / f"{name}.cmds.jsonl"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self._file = open_private(self.path, flags)
        fcntl.flock(self._file, fcntl.LOCK_EX)  # held as long as somebody may still write
        self._index = open_private(self._index_path, flags | os.O_APPEND)
        self._redactor = Redactor()
        self._header = header
        self._settled = log_header.SIZE
        """Bytes of the file that never change again."""
        self._lines = 10
        self._number = 0
        self._line_length = 0
        self._cut = 0
        self._held = ""
        self._entry: dict[str, object] = {}
        self._head_room = 0
        self._ring: deque[bytes] = deque()
        self._ring_bytes = 0
        self._dropped = (0, 0)
        self._behind = 0
        self._is_whole = True
        """Whether nothing of the record's output was cut or left out."""
        self._put(log_header.render(header), 0)

    def begin(self, command: str, cwd: str, started: str) -> None:
        """Open a record; `started` is a time in ISO 8601."""
        command = self._redactor.redact(command).replace("\x00", "")
        self._number += 1
        self._entry = {
            "id": self._number, "command": command, "cwd": cwd, "start": started,
            "offset": self._settled, "line": self._lines + 1,
        }  # fmt: skip
        self._head_room = HEAD_BYTES
        self._dropped = (0, 0)
        self._is_whole = True
        quoted = f"cwd={json.dumps(cwd)} command={json.dumps(command)}"
        self._append(f"{MARK} {self._number} start={started} {quoted}\n".encode())
        self.update(status="running", active_command=command)

    def write(self, text: str) -> None:
        """Add text that never changes again; a line may come in several pieces."""
        self._keep(self._clean(self._redactor.redact(text)).encode("utf-8", "replace"))

    def note(self, text: str) -> None:
        """Say within a record what is not in it; no output line looks like this one."""
        if self._line_length or self._cut:
            self.write("\n")
        self._is_whole = False
        self._keep(f"{MARK}   {text}\n".encode())

    def _keep(self, data: bytes) -> None:
        if not self._ring:
            cut = len(data)
            if cut > self._head_room:
                cut = data.rfind(b"\n", 0, self._head_room) + 1
                self._head_room = cut
            self._head_room -= cut
            self._append(data[:cut])
            data = data[cut:]
        if data:
            self._keep_tail(data)

    def show(self, lines: list[str]) -> None:
        """Replace the live tail: the lines that a program may still change."""
        text = "".join(f"{_escaped(line)[:MAX_LINE]}\n" for line in lines)
        live = self._redactor.peek(text).encode("utf-8", "replace")
        moving = self._tail() + live
        self._put(moving, self._settled)
        self._truncate(self._settled + len(moving))

    def end(self, end: End) -> None:
        """Close the record."""
        if self._line_length or self._cut or self._held:
            self.write("\n")
        self._settle_tail()
        self._look_for_the_file()
        n_lines = self._lines - int(str(self._entry["line"]))
        self._behind = 0
        is_cut = end.missed > 0 or self._dropped[0] > 0 or not self._is_whole
        is_complete = not is_cut and end.exit_code is not None and self.failure is None
        code = "unknown" if end.exit_code is None else end.exit_code
        mark = (
            f"{MARK} {self._number} exit={code} dur={end.seconds:.2f}s lines={n_lines} "
            f"bytes={end.raw_bytes} missed={end.missed} complete={str(is_complete).lower()}\n"
        )
        self._append(mark.encode())
        self._entry |= {
            "exit_code": end.exit_code, "seconds": round(end.seconds, 3), "lines": n_lines,
            "end": self._settled, "raw_bytes": end.raw_bytes, "missed": end.missed,
            "dropped_bytes": self._dropped[0], "redacted": self._redactor.count,
            "complete": is_complete and self.failure is None,
        }  # fmt: skip
        self._guard(lambda: os.write(self._index, json.dumps(self._entry).encode() + b"\n"))
        self.update(
            status="idle", active_command=None, last_command=str(self._entry["command"]),
            last_exit_code=end.exit_code,
        )  # fmt: skip

    def update(self, **changes: object) -> None:
        """Change the header."""
        self._header = replace(self._header, **changes)  # pyright: ignore[reportArgumentType]
        note = self._header.note
        if self._behind:
            note += f" behind={self._behind} bytes"
        if self._redactor.count:
            note += f" redacted={self._redactor.count}"
        if self.failure is not None:
            note += f" failed={json.dumps(self.failure)}"
        self._put(log_header.render(replace(self._header, note=note)), 0)

    def show_behind(self, n_bytes: int) -> None:
        """Say in the header how much output waits to be written down."""
        self._behind = n_bytes
        self.update()

    def fail(self, reason: str) -> None:
        """Say in the header that no more is written, and why."""
        self.failure = reason
        self.update(status="closed")

    def close(self) -> None:
        """Say that the terminal is closed, and close the files."""
        self.update(status="closed", active_command=None)
        os.close(self._file)
        os.close(self._index)

    # ---- text

    def _clean(self, text: str) -> str:
        """Escape what looks like a mark and clamp lines, across pieces."""
        text, self._held = self._held + text, ""
        at_start = self._line_length == 0 and self._cut == 0
        line_start = text.rfind("\n") + 1
        if text[line_start:] == MARK[0] and (at_start or line_start):
            text, self._held = text[:-1], MARK[0]  # whether it begins a mark shows with the rest
        if MARK in text:
            text = "\n".join(
                _escaped(line) if index or at_start else line
                for index, line in enumerate(text.split("\n"))
            )
        is_whole = at_start and text.endswith("\n")
        if is_whole and max(map(len, text.split("\n"))) <= MAX_LINE:
            return text
        return self._clamped(text) if text else ""

    def _clamped(self, text: str) -> str:
        kept: list[str] = []
        for index, piece in enumerate(text.split("\n")):
            if index:
                kept.append(self._end_of_cut() + "\n")
                self._line_length = 0
            room = MAX_LINE - self._line_length
            kept.append(piece[:room])
            self._line_length += len(piece[:room])
            self._cut += len(piece) - len(piece[:room])
        return "".join(kept)

    def _end_of_cut(self) -> str:
        cut, self._cut = self._cut, 0
        self._is_whole = self._is_whole and not cut
        return f" [{cut} characters of this line left out]" if cut else ""

    # ---- the end of a huge output

    def _keep_tail(self, data: bytes) -> None:
        """Hold the end of the output; what is pushed out of it goes by whole lines."""
        while data:
            cut = data.rfind(b"\n", 0, _PIECE) + 1 or _PIECE
            self._ring.append(data[:cut])
            data = data[cut:]
        self._ring_bytes = sum(map(len, self._ring))
        while self._ring_bytes - len(self._ring[0]) >= TAIL_BYTES:
            gone = self._ring.popleft()
            self._ring_bytes -= len(gone)
            n_bytes, n_lines = self._dropped
            self._dropped = (n_bytes + len(gone), n_lines + gone.count(b"\n"))

    def _tail(self) -> bytes:
        if not self._ring:
            return b""
        n_bytes, n_lines = self._dropped
        note = f"{MARK}   left out here: {n_bytes} bytes, {n_lines} lines\n" if n_bytes else ""
        return note.encode() + b"".join(self._ring)

    def _settle_tail(self) -> None:
        tail = self._tail()
        self._ring.clear()
        self._ring_bytes = 0
        self._append(tail)

    # ---- bytes

    def _append(self, data: bytes) -> None:
        if data and self._put(data, self._settled):
            self._settled += len(data)
            self._lines += data.count(b"\n")
        self._truncate(self._settled)

    def _put(self, data: bytes, at: int) -> bool:
        def write() -> None:
            view, place = memoryview(data), at
            while view:
                n_written = os.pwrite(self._file, view, place)
                view, place = view[n_written:], place + n_written

        return self._guard(write)

    def _truncate(self, size: int) -> None:
        self._guard(lambda: os.ftruncate(self._file, size))

    def _look_for_the_file(self) -> None:
        def look() -> None:
            if not os.path.samestat(self.path.stat(), os.fstat(self._file)):
                raise FileNotFoundError(errno.ENOENT, "the log was moved or removed")

        self._guard(look)

    def _guard(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except OSError as error:
            if self.failure is None:
                self.failure = error.strerror or str(error)
            return False
        return True


def _escaped(line: str) -> str:
    return f"#\\|{line[2:]}" if line.startswith(MARK) else line
