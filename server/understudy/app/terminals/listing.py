"""The verbs `terminals list` and `read`, and which terminal the user looks at."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.disk.layout import make_private_folder, open_private, workspace_layout
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.folder import Log
from understudy.terminal.log.spans import Span, all_of, from_last, lines_of, of_ended
from understudy.terminal.log.text import HEADER_LINES
from understudy.terminal.stops import is_stopped
from understudy.terminal.switch import is_off
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root

LAST_FAILED = 0
"""Stands for the last command that failed where a command's number is asked for."""


@frozen
class Failure:
    """A command that failed: its number in its terminal, its exit code, and where it begins."""

    command: int
    text: str
    exit_code: int
    path: Path
    """The terminal's file that it lies in: the newest, or an older one."""
    line: int


@frozen
class Terminal:
    """One terminal's state; `complete` says that all it ever wrote is in its files."""

    id: str
    path: Path
    status: str
    """running, idle (a shell waits for a command), off, closed, or lost: its recorder ended without
    saying how."""
    command: str | None
    """What runs now, or ran last."""
    exit_code: int | None
    """Of the last command that ended; None also while one runs."""
    grade: str
    complete: bool
    size: int
    """Bytes of the file."""
    raw_bytes: int
    """Bytes the terminal showed, as far as its commands have ended."""
    pid: int | None
    cwd: str
    shell: str
    capture: str
    """The header's last line: the grade, and whatever is to be known about it."""
    n_commands: int
    """Commands that have ended, in the newest file."""
    failed: Failure | None
    """The last command that failed, in whichever of its files."""
    is_active: bool
    """Whether the user looks at it, by the editor; else whether it was written last."""
    older: Sequence[Path]


@frozen
class TerminalReading:
    """A terminal and the lines that were asked for; `left_out` counts the lines before them.

    `record` holds the facts of the one command that was asked for.
    """

    terminal: Terminal
    text: str
    left_out: int
    record: dict[str, Any] | None = None


def folder_of(root: Path) -> Path:
    """Where the logs of a workspace lie."""
    return workspace_layout(Root.open(root)).terminals


def list_terminals(root: Path) -> list[Terminal]:
    """Every recorded terminal, oldest first."""
    return listed(folder_of(root))


def listed(folder: Path) -> list[Terminal]:
    """Every terminal of a folder of logs, oldest first."""
    found = log_folder.logs(folder)
    active = _active(folder, found)
    return [terminal_of(log, is_active=log.name == active) for log in found]


def terminal_in(folder: Path, name: str) -> Terminal:
    """One terminal of a folder of logs; raises BadInput `unknown-terminal`."""
    return terminal_of(log_folder.log_of(folder, name))


def read(
    root: Path, name: str, tail: int | None = None, command: int | None = None
) -> TerminalReading:
    """The text of a terminal or of one command in it, or the last `tail` lines of that.

    Raises BadInput `unknown-terminal`, `unknown-command`, `bad-tail`.
    """
    return read_in(folder_of(root), name, tail, command)


def read_in(folder: Path, name: str, tail: int | None, command: int | None) -> TerminalReading:
    """The same in a folder of logs."""
    if tail is not None and tail < 1:
        raise BadInput("bad-tail", "ask for one line or more", str(tail))
    while True:
        log = log_folder.log_of(folder, name)
        placed, record = (all_of(log), None) if command is None else _place(log, command)
        placed = [replace(one, inode=log.inode * (one.path == log.path)) for one in placed]
        with log.reading():
            shown, left_out = lines_of(placed, tail)
            break
    text = "".join(f"{line}\n" for line in shown)
    return TerminalReading(terminal_of(log), text, left_out, record)


def focus(folder: Path, pid: int) -> None:
    """Keep which terminal the user looks at, by the process that the editor started in it."""
    make_private_folder(folder)
    descriptor = open_private(folder / "focus", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(descriptor, "w") as file:
        file.write(f"{pid}\n")


def terminal_of(log: Log, *, is_active: bool = False) -> Terminal:
    """What a log says of its terminal."""
    header = log.header
    capture = str(header.get("capture", "none"))
    grade = capture.partition(" ")[0]
    status = _status(log, grade)
    ended = [entry for _, entry in log.ended]
    last: dict[str, Any] = ended[-1] if ended else {}
    gaps = any(word in capture for word in ("failed=", "gaps=", "removed="))
    is_complete = status == "closed" and bool(ended) and not gaps
    code = None if status == "running" else last.get("exit_code")
    command = header.get("active_command") or last.get("command") or header.get("last_command")
    pid = header.get("pid")
    return Terminal(
        id=log.name,
        path=log.path,
        status=status,
        command=None if command is None else str(command),
        exit_code=code if isinstance(code, int) else None,
        grade=grade,
        complete=is_complete and all(entry.get("complete") is True for entry in ended),
        size=log.size,
        raw_bytes=sum(int(entry.get("raw_bytes", 0)) for entry in ended),
        pid=pid if isinstance(pid, int) else None,
        cwd=str(header.get("cwd") or ""),
        shell=str(header.get("shell") or ""),
        capture=capture,
        n_commands=len(log.commands),
        failed=_failure(log),
        is_active=is_active,
        older=log.older,
    )


def _status(log: Log, grade: str) -> str:
    status = str(log.header.get("status", "lost"))
    if status != "closed" and not log.is_running:
        return "lost"
    if grade == "full" or status == "closed":
        return status
    # An editor's log has no recorder that looks by itself: the header follows when more is told,
    # and nothing is written before.
    pid = log.header.get("pid")
    if is_off(log.path) or (isinstance(pid, int) and is_stopped(pid)):
        return "off"
    return "idle" if status == "off" else status


def _active(folder: Path, found: Sequence[Log]) -> str | None:
    """The terminal that the editor says has the focus, or the running one that was written last."""
    open_ones = [log for log in found if log.is_running]
    with suppress(OSError, ValueError):
        pid = int((folder / "focus").read_text("ascii", "replace"))
        for log in reversed(open_ones):  # two windows may tell of one terminal, each in its log
            if log.header.get("pid") == pid:
                return log.name
    newest = max(open_ones, key=lambda log: log.changed_ns, default=None)
    return None if newest is None else newest.name


def _failure(log: Log) -> Failure | None:
    for path, entry in reversed(log.ended):
        code = _failed(entry)
        if code is not None:
            place, line = path, int(entry["line"])
            if "from" in entry:
                place = path.with_name(str(entry["from"]))
                if place not in log.files:  # it has made room: the record goes on here
                    place, line = path, HEADER_LINES + 1
            return Failure(int(entry["id"]), str(entry["command"]), code, place, line)
    return None


def _failed(entry: dict[str, Any]) -> int | None:
    """The exit code of a command that failed."""
    code = entry.get("exit_code")
    return code if isinstance(code, int) and code != 0 else None


def _place(log: Log, command: int) -> tuple[list[Span], dict[str, Any]]:
    """Where a command lies, and its facts; those of a running one are few."""
    ended = log.ended
    for path, entry in reversed(ended):
        if _failed(entry) is not None if command == LAST_FAILED else entry.get("id") == command:
            spans = of_ended(log, path, entry)
            return spans, {
                **entry,
                "complete": entry.get("complete") is True and not spans[0].before,
            }
    if command == LAST_FAILED:
        raise BadInput("unknown-command", "no command has failed in this terminal", log.name)
    last = int(ended[-1][1]["id"]) if ended else 0
    first = int(ended[0][1]["id"]) if ended else last + 1
    if command == log.record and log.header.get("status") == "running":
        facts = {"id": command, "command": log.header.get("active_command"), "complete": False}
        return from_last(log), {**facts, "exit_code": None}
    text = f"there are {first} to {last}" if last else "no command has ended in this terminal"
    raise BadInput("unknown-command", f"{text}; 0 stands for the last that failed", str(command))
