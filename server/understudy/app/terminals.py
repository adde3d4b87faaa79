"""The verbs `terminals`: list, read and wait for what was recorded."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.disk.layout import workspace_layout
from understudy.terminal import log_folder
from understudy.terminal.log_folder import Log
from understudy.terminal.log_header import SIZE
from understudy.values.errors import BadInput
from understudy.values.paths import Root

POLL_S = 0.05


@dataclass(frozen=True)
class Terminal:
    """One terminal's state; `complete` says that all it ever wrote is in the file."""

    id: str
    path: Path
    status: str
    """running, idle, closed, or lost: its recorder ended without saying how."""
    command: str | None
    exit_code: int | None
    grade: str
    complete: bool
    size: int
    """Bytes of the file."""
    raw_bytes: int
    """Bytes the terminal showed, as far as its commands have ended."""


@dataclass(frozen=True)
class Reading:
    """A terminal and the lines that were asked for; `left_out` counts the lines before them."""

    terminal: Terminal
    text: str
    left_out: int


@dataclass(frozen=True)
class Waited:
    """How waiting ended: `matched`, `exited` or `timeout`, with the line that matched."""

    terminal: Terminal
    ended: str
    line: str | None


def folder_of(root: Path) -> Path:
    """Where the logs of a workspace lie."""
    return workspace_layout(Root.open(root)).folder / "terminals"


def list_terminals(root: Path) -> list[Terminal]:
    """Every recorded terminal, oldest first."""
    return [_terminal(log) for log in log_folder.logs(folder_of(root))]


def read(root: Path, name: str, tail: int | None = None) -> Reading:
    """The text of a terminal, or its last `tail` lines; raises BadInput `unknown-terminal`."""
    if tail is not None and tail < 1:
        raise BadInput("bad-tail", "ask for one line or more", str(tail))
    log = log_folder.log_of(folder_of(root), name)
    lines = _body(log.path).split("\n")
    if lines[-1] == "":
        lines.pop()
    shown = lines if tail is None else lines[-tail:]
    text = "".join(f"{line}\n" for line in shown)
    return Reading(_terminal(log), text, len(lines) - len(shown))


def wait(root: Path, name: str, pattern: str | None, seconds: float) -> Waited:
    """Wait until a line matches, or until the command has ended; at most `seconds`.

    Raises BadInput `bad-pattern`, `unknown-terminal`.
    """
    try:
        wanted = None if pattern is None else re.compile(pattern)
    except re.error as error:
        raise BadInput("bad-pattern", f"not a regular expression: {error}", pattern) from error
    folder = folder_of(root)
    end = time.monotonic() + seconds
    while True:
        log = log_folder.log_of(folder, name)
        is_over = not log.is_running
        if wanted is not None:
            found = (line for line in _body(log.path).split("\n") if wanted.search(line))
            line = next((line for line in found if not line.startswith("#|")), None)
            if line is not None:
                return Waited(_terminal(log), "matched", line)
        if is_over:
            return Waited(_terminal(log), "exited", None)
        if time.monotonic() >= end:
            return Waited(_terminal(log), "timeout", None)
        time.sleep(POLL_S)


def _body(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(SIZE)
        return file.read().decode("utf-8", "replace")


def _terminal(log: Log) -> Terminal:
    header = log.header
    status = str(header.get("status", "lost"))
    if status != "closed" and not log.is_running:
        status = "lost"
    capture = str(header.get("capture", "none"))
    last: dict[str, Any] = dict(log.commands[-1]) if log.commands else {}
    is_complete = status == "closed" and bool(log.commands) and "failed=" not in capture
    code = last.get("exit_code")
    command = header.get("active_command") or header.get("last_command")
    return Terminal(
        id=log.name,
        path=log.path,
        status=status,
        command=last.get("command") or (None if command is None else str(command)),
        exit_code=code if isinstance(code, int) else None,
        grade=capture.partition(" ")[0],
        complete=is_complete and all(entry.get("complete") is True for entry in log.commands),
        size=log.size,
        raw_bytes=sum(int(entry.get("raw_bytes", 0)) for entry in log.commands),
    )
