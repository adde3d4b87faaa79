"""The folder of terminal logs: names for new ones, room for them, and what is there."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from understudy.terminal.log import header as log_header
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log.lock import is_locked
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen

T = TypeVar("T")

TRIES = 300
"""How often a log is looked at that goes on in a new file just then: 6 s in all."""
_LEAST_BYTES = 100_000
"""What a log may take however little room there is: with less it would be all new files."""


@frozen
class Room:
    """What the logs of a folder may take: their number, bytes, seconds since the last change."""

    n_logs: int = 50
    n_bytes: int = 200_000_000
    seconds: float = 7 * 86_400.0

    def of_one(self, n_bytes: int) -> int:
        """What is kept of one log: what is wished, but so little that the newest is never removed.

        Half of the whole, as a log may be twice that for a while where no new file can be made.
        """
        return max(min(n_bytes, self.n_bytes // 2), _LEAST_BYTES)


_USUAL = Room()


@frozen
class Log:
    """A terminal's log as it is now: its name, header, finished commands and size in bytes."""

    name: str
    path: Path
    header: dict[str, str | int | None]
    commands: Sequence[dict[str, Any]]
    size: int
    is_running: bool
    """Whether somebody may still write it: its recorder, or the scribe that outlives it."""

    changed_ns: int = 0
    """When the file was written last, as its file system counts."""

    older: Sequence[Path] = ()
    """The files that it has left behind, the oldest first."""

    earlier: Sequence[tuple[Path, dict[str, Any]]] = ()
    """The finished commands in these, each with its file."""

    files: Sequence[Path] = ()
    """All its files, each once, the newest last."""

    inode: int = 0
    """Of the newest file, whatever comes into its place."""

    @property
    def number(self) -> int:
        """The number that the newest file will have once it is left behind."""
        return log_rotation.number_of(self.files[-2]) + 1 if len(self.files) > 1 else 1

    @property
    def ended(self) -> Sequence[tuple[Path, dict[str, Any]]]:
        """Every finished command that is still there, with its file, the oldest first."""
        return (*self.earlier, *((self.path, entry) for entry in self.commands))

    @property
    def record(self) -> int:
        """The number of the command that runs, or ran last."""
        number = self.header.get("record")
        if isinstance(number, int):
            return number
        ended = self.ended  # a log of the form before does not say it
        is_open = self.header.get("status") == "running"
        return (int(ended[-1][1]["id"]) if ended else 0) + is_open

    def is_as_found(self) -> bool:
        """Whether it has not gone on in a new file since: then each path is still what it was."""
        return log_rotation.files(self.path) == self.files

    @contextmanager
    def reading(self) -> Generator[None]:
        """Pass over a file that has made room or got a number meanwhile: who reads looks again.

        Raises OutsideFailure `state-unreadable` for one that is there and cannot be read.
        """
        with readable(self.path):
            try:
                yield
            except FileNotFoundError:
                if self.is_as_found() and self.path.exists():  # a link that leads nowhere
                    raise _unreadable(self.path, "one of its files is not there") from None


@contextmanager
def readable(path: Path) -> Generator[None]:
    """Raise OutsideFailure `state-unreadable` for what the disk does not let us read of a log."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from error


def _unreadable(path: Path, reason: str) -> OutsideFailure:
    return OutsideFailure(
        "state-unreadable", f"a terminal's log cannot be read: {reason}", str(path)
    )


def logs(folder: Path) -> list[Log]:
    """Every log of the folder, oldest first; one that cannot be read says why.

    Raises OutsideFailure `state-unreadable`.
    """
    found: list[Log] = []
    for number in _numbers(folder):
        try:
            found.append(log_of(folder, str(number)))
        except BadInput:  # removed meanwhile
            continue
        except OutsideFailure as failure:
            said: dict[str, str | int | None] = {
                "status": "lost", "capture": f"none reason={json.dumps(str(failure))}",
            }  # fmt: skip
            path = folder / f"{number}.txt"
            found.append(Log(str(number), path, said, (), 0, is_running=True))  # perhaps it is
    return found


def has_recorder(folder: Path, pid: int) -> bool:
    """Whether a recorder keeps a log here of the terminal with this process."""
    for path in folder.glob("*.txt"):
        with suppress(OSError), path.open("rb") as file:  # none that can be read: it is not known
            header = log_header.parse(file.read(log_header.SIZE))
            grade = str(header.get("capture", "")).partition(" ")[0]
            if header.get("pid") == pid and grade == "full" and is_locked(file.fileno(), pid):
                return True
    return False


def log_of(folder: Path, name: str) -> Log:
    """One log; raises BadInput `unknown-terminal` naming those that there are.

    Raises OutsideFailure `state-unreadable` for one that is there.
    """
    path = folder / f"{name}.txt"
    for tried in range(TRIES * name.isdecimal()):
        time.sleep(min(tried, 20) / 1000)  # a writer may be in the midst of a step
        with readable(path):
            with suppress(FileNotFoundError):
                log = _read(name, path)
                if log is None:
                    continue
                return log
            if not log_rotation.finish(path):
                break
    else:
        if name.isdecimal():
            raise _unreadable(path, "its newest file is not in its place")
    there = ", ".join(map(str, _numbers(folder))) or "none"
    raise BadInput("unknown-terminal", f"there is no such terminal; there are: {there}", name)


def _read(name: str, path: Path) -> Log | None:
    """What a log is; None: it has gone on in a new file meanwhile."""
    with path.open("rb") as file:
        facts = os.fstat(file.fileno())
        header = log_header.parse(file.read(log_header.SIZE))
        was_locked = is_locked(file.fileno(), header.get("pid"))
        if not was_locked:  # nobody writes it any more: this is its last state
            file.seek(0)
            header = log_header.parse(file.read(log_header.SIZE))
        commands = _commands(path)
        older = log_rotation.older(path)
        files = log_rotation.files(path, older)
        number = log_rotation.number_of(files[-2]) + 1 if len(files) > 1 else 1
        moved = _commands(log_rotation.numbered(path, number))  # its index goes before it
        earlier = tuple((left, entry) for left in older for entry in _commands(left))
        if not os.path.samestat(path.stat(), facts):
            return None
    ids = {entry.get("id") for _, entry in earlier}  # it may be left behind at this moment
    by_id = {entry.get("id"): entry for entry in (*moved, *commands)}
    commands = tuple(entry for number, entry in by_id.items() if number not in ids)
    is_running = was_locked and header.get("status") != "closed"
    return Log(
        name, path, header, commands, facts.st_size, is_running, facts.st_mtime_ns, older, earlier,
        files, facts.st_ino,
    )  # fmt: skip


def _numbers(folder: Path) -> list[int]:
    """The numbers of all logs, also of one of which only older files are in their places."""
    try:
        names = {path.name.partition(".")[0] for path in folder.glob("*.txt")}
    except OSError as error:
        text = f"the terminals' logs cannot be read: {error.strerror}"
        raise OutsideFailure("state-unreadable", text, str(folder)) from error
    return sorted(int(name) for name in names if name.isdecimal())


def create(folder: Path, make: Callable[[str], T], room: Room = _USUAL) -> T:
    """Make a log by a number that no other has; older logs make room first."""
    _make_room(folder, room)
    number = max(_numbers(folder), default=0) + 1
    while True:
        try:
            return make(str(number))
        except OutsideFailure as error:
            if not isinstance(error.__cause__, FileExistsError):
                raise
            number += 1  # another recorder was as fast


def _make_room(folder: Path, room: Room) -> None:
    total = 0
    now = time.time()
    for index, log in enumerate(reversed(logs(folder))):
        with suppress(OSError):  # somebody else has removed it
            total += log.size + sum(path.stat().st_size for path in log.older)
            is_old = now - log.path.stat().st_mtime > room.seconds
            is_one_too_many = index >= room.n_logs - 1 or total > room.n_bytes
            if (is_old or is_one_too_many) and not log.is_running:
                for path in folder.glob(f"{log.name}.*"):
                    if path != log.path:
                        path.unlink(missing_ok=True)
                log.path.unlink(missing_ok=True)  # the last: until then it is tried again


def _commands(path: Path) -> Sequence[dict[str, Any]]:
    """A file's finished commands; a last line that is just being written is left out."""
    index = log_rotation.index_of(path)
    with suppress(FileNotFoundError):
        facts = index.stat()
        return _read_commands(index, facts.st_ino, facts.st_mtime_ns, facts.st_size)
    return ()


@lru_cache(maxsize=256)
def _read_commands(path: Path, _inode: int, _time: int, size: int) -> Sequence[dict[str, Any]]:
    """The file only grows; but the next one of this name may have the number of one that went."""
    commands: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for line in file.read(size).split(b"\n")[:-1]:
            with suppress(ValueError):
                commands.append(json.loads(line))
    return tuple(commands)
