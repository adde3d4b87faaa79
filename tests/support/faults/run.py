"""One run of a program in a child of ours, with one of its calls made to fail, or with none."""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from tests.support.faults.calls import (
    CALLS,
    EXIT_GROUP,
    NUMBERS,
    WRITING,
    Reader,
    changes,
    memory,
)
from tests.support.faults.watch import Asked, Listener, borrowed, watch_myself

DEADLINE_S = 300.0
LEFT_OVER_S = 60.0
"""What a program leaves running must have ended by then."""

How = int | Literal["cut", "kill", "torn"]
"""An error number; one byte written; killed right before; killed with half of it written."""


class Site(NamedTuple):
    """A call of a run: which, on what file, and the how-manieth of these."""

    call: str
    place: str
    nth: int


class Fault(NamedTuple):
    """What is done to one call."""

    site: Site
    how: How


@dataclass
class Seen:
    """A call that could be made to fail, and the ways for it."""

    site: Site
    ways: tuple[How, ...]


@dataclass
class Ended:
    """How a run ended: its exit code (negative: the signal), what it said, what it called.

    `reached` says of each fault whether its call was made; `leaked` are processes that stayed.
    """

    code: int
    out: str
    err: str
    calls: list[Seen] = field(default_factory=list[Seen])
    reached: int = 0
    leaked: int = 0


@dataclass(frozen=True)
class Place:
    """The folders of a run. `roots` are those whose files count."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def roots(self) -> tuple[Path, ...]:
        return (self.project, self.state, self.folder / "tmp")

    def variables(self) -> dict[str, str]:
        """The environment: nothing of the user's own, and no host is left behind."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "UNDERSTUDY_STATE_DIR": str(self.state),
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "CI": "true",
        }


def run(
    place: Place,
    program: Callable[[], object],
    faults: Sequence[Fault] = (),
    *,
    watched: bool = True,
    note: Callable[[Asked, list[str]], None] | None = None,
    given: bytes = b"",
) -> Ended:
    """Run it to its end in a fork of this process, which has no threads.

    `note` hears of each call on our files right before it is made.
    """
    ours, theirs = socket.socketpair()
    (place.folder / "in").write_bytes(given)
    names = [place.folder / name for name in ("out", "err")]
    handles = [os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600) for name in names]
    child = os.fork()
    if child == 0:
        ours.close()
        _be_the_program(place, program, theirs if watched else None, handles)
    theirs.close()
    for handle in handles:
        os.close(handle)
    watching = _Watching(child, Reader(place.roots), faults, note)
    listener = Listener(socket.recv_fds(ours, 1, 1)[1][0]) if watched else None
    ours.close()
    watching.follow(listener)
    assert watching.code is not None
    out, err = (name.read_text("utf-8", "replace") for name in names)
    return Ended(watching.code, out, err, watching.calls, watching.reached, watching.leaked)


def _be_the_program(
    place: Place,
    program: Callable[[], object],
    tell: socket.socket | None,
    handles: Sequence[int],
) -> None:
    """Never returns: as a process of its own would, from its first line to its exit."""
    code = 1
    try:
        os.setsid()
        os.chdir(place.project)
        os.environ.clear()
        os.environ.update(place.variables())
        tempfile.tempdir = None
        os.dup2(os.open(place.folder / "in", os.O_RDONLY), 0)
        for handle, standard in zip(handles, (1, 2), strict=True):
            os.dup2(handle, standard)
            os.close(handle)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - the process's own
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as above
        if tell is not None:
            listener = watch_myself(NUMBERS)
            socket.send_fds(tell, [b"!"], [listener])
            os.close(listener)
            tell.close()
        code = _exit_code(program)
        threading._shutdown()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] - what an interpreter does at its end
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
    finally:
        os._exit(code)


def _exit_code(program: Callable[[], object]) -> int:
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter says it
        traceback.print_exc()
        return 1
    return 0


class _Watching:
    """Answers the calls of one run."""

    def __init__(
        self,
        child: int,
        reader: Reader,
        faults: Sequence[Fault],
        note: Callable[[Asked, list[str]], None] | None,
    ) -> None:
        self._note = note
        self._child = child
        self._reader = reader
        self._faults: Mapping[Site, How] = dict(faults)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._is_main: dict[int, bool] = {}
        self.calls: list[Seen] = []
        self.code: int | None = None
        self.reached = self.leaked = 0

    def follow(self, listener: Listener | None) -> None:
        """Until nobody is left that could call; then `code` is how the child ended."""
        poll = select.poll()
        main = os.pidfd_open(self._child)
        poll.register(main, select.POLLIN)
        if listener is not None:
            poll.register(listener.descriptor, select.POLLIN)
        until = time.monotonic() + DEADLINE_S
        while True:
            events = dict(poll.poll(100))
            asked = None
            if listener is not None and events.get(listener.descriptor, 0) & select.POLLIN:
                asked = listener.next()
            if listener is not None and asked is not None:
                self._take(listener, asked)
            elif self._reaped() and main >= 0:
                poll.unregister(main)
                os.close(main)
                main = -1
                until = time.monotonic() + LEFT_OVER_S
            if main < 0 and not _children():
                break
            if time.monotonic() > until:
                left = _children()
                self.leaked += len(left) - (self._child in left)
                for pid in left:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                until = time.monotonic() + LEFT_OVER_S
        if listener is not None:
            listener.close()

    def _reaped(self) -> bool:
        """Reap whoever has ended; whether the child is among them, now or before."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self._child:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def _take(self, listener: Listener, asked: Asked) -> None:
        site = self._site(asked)
        if site is None:
            listener.let(asked)
            return
        self.calls.append(Seen(site, _ways(asked)))
        how = self._faults.get(site)
        if how is None:
            if self._note is not None and asked.number != EXIT_GROUP:
                self._note(asked, self._reader.paths(asked))
            listener.let(asked)
            return
        self.reached += 1
        if isinstance(how, int):
            listener.fail(asked, how)
        elif how == "kill":
            os.kill(self._child, signal.SIGKILL)
        else:
            size = asked.arguments[2]
            written = self._write(asked, 1 if how == "cut" else size // 2)
            if how == "cut":
                listener.give(asked, written)
            else:
                os.kill(self._child, signal.SIGKILL)

    def _site(self, asked: Asked) -> Site | None:
        if not self._is_of_main(asked.thread):
            return None
        if asked.number == EXIT_GROUP:
            return Site("exit_group", "", 1)
        place = self._reader.place(asked)
        if place is None:
            return None
        name = CALLS[asked.number].name
        self._counts[name, place] += 1
        return Site(name, place, self._counts[name, place])

    def _is_of_main(self, thread: int) -> bool:
        if thread not in self._is_main:
            self._is_main[thread] = Path(f"/proc/{self._child}/task/{thread}").exists()
        return self._is_main[thread]

    def _write(self, asked: Asked, size: int) -> int:
        """Do so much of a write that waits."""
        handle, address, _, offset = asked.arguments[:4]
        data = memory(asked.thread, address, size)
        ours = borrowed(self._child, handle)
        try:
            if CALLS[asked.number].name == "pwrite64":
                return os.pwrite(ours, data, offset)
            return os.write(ours, data)
        finally:
            os.close(ours)


def _ways(asked: Asked) -> tuple[How, ...]:
    if asked.number == EXIT_GROUP:
        return ("kill",)
    call = CALLS[asked.number]
    ways: list[How] = list(call.errors)
    if not changes(asked):
        return tuple(ways)
    if call.name in WRITING and asked.arguments[2] > 1:
        return (*ways, "cut", "torn", "kill")
    return (*ways, "kill")


def _children() -> list[int]:
    """Our children, those that were theirs and are left to us included."""
    return list(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
