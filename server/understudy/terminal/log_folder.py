"""The folder of terminal logs: names for new ones, room for them, and what is there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from understudy.terminal import log_header
from understudy.values.errors import BadInput

MAX_LOGS = 50
MAX_BYTES = 200_000_000
MAX_AGE_S = 7 * 86_400.0

T = TypeVar("T")


@dataclass(frozen=True)
class Log:
    """A terminal's log as it is now: its name, header, finished commands and size in bytes."""

    name: str
    path: Path
    header: dict[str, str | int | None]
    commands: Sequence[dict[str, Any]]
    size: int
    is_running: bool
    """Whether somebody may still write it: its recorder, or the scribe that outlives it."""


def logs(folder: Path) -> list[Log]:
    """Every log of the folder, oldest first."""
    names = sorted(int(path.stem) for path in folder.glob("*.txt") if path.stem.isdigit())
    found: list[Log] = []
    for name in names:
        with suppress(BadInput):  # removed meanwhile
            found.append(log_of(folder, str(name)))
    return found


def log_of(folder: Path, name: str) -> Log:
    """One log; raises BadInput `unknown-terminal` naming those that there are."""
    path = folder / f"{name}.txt"
    try:
        if not name.isdigit():
            raise FileNotFoundError(name)
        is_locked = _is_locked(path)  # looked at first: what is unlocked is in its last state
        with path.open("rb") as file:
            header = log_header.parse(file.read(log_header.SIZE))
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        there = sorted(path.stem for path in folder.glob("*.txt"))
        text = f"there is no such terminal; there are: {', '.join(there) or 'none'}"
        raise BadInput("unknown-terminal", text, name) from error
    commands = _commands(folder / f"{name}.cmds.jsonl")
    is_running = is_locked and header.get("status") != "closed"
    return Log(name, path, header, commands, size, is_running)


def create(folder: Path, make: Callable[[str], T]) -> T:
    """Make a log by a number that no other has; older logs make room first."""
    _make_room(folder)
    taken = [int(path.stem) for path in folder.glob("*.txt") if path.stem.isdigit()]
    number = max(taken, default=0) + 1
    while (folder / f"{number}.txt").exists():
        number += 1
    return make(str(number))


def _make_room(folder: Path) -> None:
    total = 0
    now = time.time()
    for index, log in enumerate(reversed(logs(folder))):
        total += log.size
        with suppress(OSError):  # somebody else has removed it
            is_old = now - log.path.stat().st_mtime > MAX_AGE_S
            if (is_old or index >= MAX_LOGS - 1 or total > MAX_BYTES) and not log.is_running:
                log.path.with_suffix(".cmds.jsonl").unlink(missing_ok=True)
                log.path.unlink()


def _commands(path: Path) -> list[dict[str, Any]]:
    """The finished commands; a last line that is just being written is left out."""
    commands: list[dict[str, Any]] = []
    with suppress(OSError):
        for line in path.read_bytes().split(b"\n")[:-1]:
            with suppress(ValueError):
                commands.append(json.loads(line))
    return commands


def _is_locked(path: Path) -> bool:
    import fcntl  # noqa: PLC0415 - only POSIX has it, and only there are logs written

    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # removed meanwhile
        return False
    return False
