"""History logs: append-only JSON lines on disk, and their readable twin.

A crash can leave the last line half written: it is cut, and counted in a `repair` event. Whatever
else is wrong is an error that names the line; nothing is guessed.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from understudy.context.events import FIRST_SUM, Event, History, decode, lines_of
from understudy.context.twin import twin_head, twin_of
from understudy.disk.atomic import flush_folder, write_private
from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.lock import locked
from understudy.disk.room import what_disk_says
from understudy.values.errors import BadInput, OutsideFailure

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|.*\.(?:jsonl|md|lock)")

Build = Callable[[History], Sequence[Event]]
"""The events to append to a log as it is now; their numbers are given by the log."""


class HistoryLog:
    """One session's log; opened in several processes, each append sees all before it."""

    def __init__(self, folder: Path, name: str) -> None:
        """Name a log of a store's folder; raises BadInput `bad-log-name`. Nothing is opened."""
        if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
            text = "a log's name has letters, digits, `_`, `.` and `-`, at most 100"
            raise BadInput("bad-log-name", text, name)
        self.name = name
        self.folder = folder / "history"
        self.file = self.folder / f"{name}.jsonl"
        self.twin = self.folder / f"{name}.md"
        self._turn = threading.Lock()
        self._events: list[Event] = []
        self._sum = FIRST_SUM
        self._end = 0
        self._twin_size = len(twin_head(name).encode())

    def read(self) -> History:
        """The log as it is now; a half written last line is not part of it.

        Raises BadInput `no-such-log`; OutsideFailure `log-damaged`, `log-unreadable`.
        """
        with self._turn:
            if not self.file.exists():
                raise BadInput("no-such-log", "there is no log of this name", self.name)
            self._catch_up()
            return History(self.name, tuple(self._events))

    def append(self, build: Build, now: int) -> tuple[Event, ...]:
        """Append what `build` makes of the log as it is; on disk when it returns.

        Raises what `build` raises, and OutsideFailure `log-damaged`, `state-unwritable`, `busy`;
        then the log is as it was.
        """
        make_private_folder(self.folder, lasting=True)
        with self._turn, locked(self.folder / f".{self.name}.lock"):
            cut = self._catch_up()
            known = len(self._events)
            text = f"{cut} bytes of a half written line were cut"
            repair = [Event(known + 1, "repair", now, text)] if cut else []
            first = known + len(repair) + 1
            made = build(History(self.name, (*self._events, *repair)))
            numbered = [
                event.numbered(seq, event.at or now) for seq, event in enumerate(made, first)
            ]
            if numbered:
                self._write([*repair, *numbered])
        return tuple(numbered)

    def _catch_up(self) -> int:
        """Read what was appended since the last time; returns the bytes of a half written line."""
        try:
            with self.file.open("rb") as stream:
                size = os.fstat(stream.fileno()).st_size
                if size < self._end:
                    self._fail(len(self._events), "lines that were there are gone")
                stream.seek(self._end)
                data = stream.read()
        except FileNotFoundError:
            if self._end:
                self._fail(len(self._events), "the file is gone")
            return 0
        except OSError as error:
            text = f"cannot be read: {error.strerror}"
            raise OutsideFailure("log-unreadable", text, str(self.file)) from error
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take(line)
        return len(rest)

    def _take(self, line: bytes) -> None:
        seq = len(self._events) + 1
        try:
            event, self._sum = decode(line.decode("utf-8"), seq, self._sum)
        except ValueError as error:
            self._fail(seq, str(error))
        self._events.append(event)
        self._end += len(line) + 1
        self._twin_size += len(twin_of([event]).encode())

    def _fail(self, seq: int, why: str) -> NoReturn:
        text = f"line {seq} cannot be used ({why}); nothing was changed"
        raise OutsideFailure("log-damaged", text, str(self.file))

    def _write(self, events: list[Event]) -> None:
        lines, total = lines_of(events, self._sum)
        data = "".join(lines).encode()
        is_new = not self.file.exists()
        try:
            _append(self.file, data, self._end)
            if is_new:
                flush_folder(self.folder)
        except OSError as error:
            text = f"the log cannot be kept: {what_disk_says(error, self.file)}"
            raise OutsideFailure("state-unwritable", text, str(self.file)) from error
        self._events += events
        self._sum, self._end = total, self._end + len(data)
        self._keep_twin(twin_of(events).encode())

    def _keep_twin(self, new: bytes) -> None:
        """Append to the twin; it is made anew if it is not as long as it should be."""
        before = self._twin_size
        self._twin_size += len(new)
        try:
            if self.twin.is_file() and self.twin.stat().st_size == before:
                _append(self.twin, new, before)
            else:
                self.write_twin()
        except OSError:
            self.twin.unlink(missing_ok=True)  # the next append makes it whole again

    def write_twin(self) -> None:
        """Write the readable twin of the events read so far, all of it."""
        write_private(self.twin, (twin_head(self.name) + twin_of(self._events)).encode())


def log_names(folder: Path) -> list[str]:
    """The names of a store's logs, sorted."""
    return sorted(file.stem for file in (folder / "history").glob("*.jsonl"))


def _append(file: Path, data: bytes, at: int) -> None:
    """Write behind the byte `at`, dropping what is there, all or (after an error) nothing."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    descriptor = open_private(file, flags)
    try:
        os.ftruncate(descriptor, at)
        os.lseek(descriptor, at, os.SEEK_SET)
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(descriptor, view) :]
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, at)
            raise
    finally:
        os.close(descriptor)
