"""Terminals that an editor tells of: logs of the grade `commands`, or `none` with the reason.

An editor's shell integration may deliver only a part of what a command printed, and never says so.
Such a record is therefore never complete, and one without any output says `not captured`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from understudy.disk.layout import all_terminals, make_private_folder
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.file import LogFile
from understudy.terminal.log.folder import Log
from understudy.terminal.log.header import Header
from understudy.terminal.log.session import SessionLog
from understudy.terminal.marks import Begun, Ended
from understudy.terminal.screen.transcript import Transcript
from understudy.terminal.secrets.rules import own_rule
from understudy.terminal.stops import is_stopped, is_stopped_before, stop
from understudy.values.errors import Refused
from understudy.values.frozen import frozen
from understudy.workspace.settings import Settings

COLUMNS, ROWS = 500, 50
"""An editor does not tell a terminal's size: wide enough that nothing wraps by mistake."""
NOT_CAPTURED = "output: not captured (the editor delivered none)"


@frozen
class CommandBegin:
    """A command was started."""

    command: str
    cwd: str


@frozen
class CommandOutput:
    """What a command printed, as far as the editor delivers it."""

    text: str


@frozen
class MissedOutput:
    """So many characters were dropped on the way, as they came too fast."""

    n_characters: int


@frozen
class Finish:
    """A command ended; None: the editor does not know how."""

    exit_code: int | None


@frozen
class Closed:
    """The terminal was closed; or no more of it may be told (`withdrawn`)."""

    withdrawn: bool = False


Event = CommandBegin | CommandOutput | MissedOutput | Finish | Closed


@frozen
class Told:
    """What an editor says of one terminal.

    `reason`: why it can tell nothing of its commands; `follows`: the process before this one in it.
    """

    pid: int
    shell: str
    cwd: str
    reason: str | None
    events: Sequence[Event]
    follows: int | None = None


class EditorTerminals:
    """The logs of one editor's terminals."""

    def __init__(self) -> None:
        self._open: dict[int, _EditorTerminal] = {}

    def take(self, told: Told, folder: Path, settings: Settings) -> str | None:
        """Write down what was told; the terminal's id, None for the end of one that has no log.

        One that a recorder keeps is left to it: None, too, where that is in another folder.
        Raises Refused `switched-off`, OutsideFailure `state-unwritable`.
        """
        if not settings.terminal_recording:
            raise Refused("switched-off", "the setting `terminal_recording` says so")
        terminal = self._open.get(told.pid)
        if terminal is None:
            if told.events and all(isinstance(event, Closed) for event in told.events):
                return None
            logs = log_folder.logs(folder)
            recorded = _recorded(logs, told.pid)
            if recorded is not None:
                return recorded
            if any(log_folder.has_recorder(other, told.pid) for other in all_terminals()):
                return None
            terminal = self._open[told.pid] = _EditorTerminal(_to_write(told), folder, settings)
        terminal.take(told)
        if any(isinstance(event, Closed) for event in told.events):
            del self._open[told.pid]
        return terminal.name

    def follow_switches(self) -> None:
        """Say in the logs at once what the user has switched; else they would when more is told."""
        for terminal in self._open.values():
            terminal.follow_switch()

    def close(self) -> None:
        """Close all logs: the editor tells no more."""
        for terminal in self._open.values():
            terminal.close()
        self._open.clear()


class _EditorTerminal:
    def __init__(self, told: Told, folder: Path, settings: Settings) -> None:
        make_private_folder(folder)
        rules = [own_rule(pattern) for pattern in settings.terminal_redact]
        header = Header(
            pid=told.pid, cwd=told.cwd, shell=told.shell, status="idle", active_command=None,
            last_command=None, last_exit_code=None, note=_grade(told),
        )  # fmt: skip
        room = log_folder.Room(
            settings.terminal_logs, settings.terminal_mb * 1_000_000,
            settings.terminal_days * 86_400,
        )  # fmt: skip
        self._log = log_folder.create(
            folder,
            lambda name: LogFile(
                folder, name, header, rules,
                is_exact=False, kept_bytes=room.of_one(settings.terminal_record_mb * 1_000_000),
            ),
            room,
        )  # fmt: skip
        self._pid = told.pid
        self._began = time.monotonic()
        self._has_output = False
        self._session = SessionLog(self._log, has_marks=True)
        self._transcript = Transcript(
            COLUMNS,
            ROWS,
            self._session.write,
            on_alternate=self._session.on_alternate,
            find=self._log.find,
        )
        self._session.transcript = self._transcript

    @property
    def name(self) -> str:
        return self._log.path.stem

    def take(self, told: Told) -> None:
        self.follow_switch()
        self._log.update(note=_grade(told))
        for event in told.events:
            self._session.now(time.monotonic() - self._began, int(time.time()))
            self._act(event)
        if not any(isinstance(event, Closed) for event in told.events):
            self._session.show()

    def follow_switch(self) -> None:
        self._session.look_for_switch(is_stopped=is_stopped(self._pid))

    def _act(self, event: Event) -> None:
        session = self._session
        if isinstance(event, CommandBegin):
            self._has_output = False
            session.mark(Begun(event.cwd, event.command or None, 0))
        elif isinstance(event, CommandOutput):
            self._has_output = self._has_output or bool(event.text)
            session.feed(event.text.encode("utf-8", "replace"))
        elif isinstance(event, MissedOutput):
            self._has_output = True
            session.miss(event.n_characters, 0)
        elif isinstance(event, Finish):
            if not self._has_output:
                session.note(NOT_CAPTURED)
            session.mark(Ended(event.exit_code, ""))
        else:
            if event.withdrawn:
                session.withdraw()
            self.close()

    def close(self) -> None:
        self._session.finish(None)
        self._log.close()


def _to_write(told: Told) -> Told:
    """What a log may begin with; a stop goes from a terminal's former process to this one.

    Raises OutsideFailure where that cannot be kept: then there is no log.
    """
    if is_stopped(told.pid):
        return replace(told, cwd="")
    if told.follows is not None and is_stopped_before(told.follows):
        stop(told.pid)
        return replace(told, cwd="")
    return told


def _recorded(logs: Sequence[Log], pid: int) -> str | None:
    """The log that a recorder keeps of the terminal with this process."""
    for log in reversed(logs):
        if log.is_running and log.header.get("pid") == pid:
            grade = str(log.header.get("capture", "")).partition(" ")[0]
            if grade == "full":
                return log.name
    return None


def _grade(told: Told) -> str:
    return "commands" if told.reason is None else f"none reason={json.dumps(told.reason)}"
