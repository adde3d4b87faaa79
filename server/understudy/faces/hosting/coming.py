"""A process that will be a host once it is told of which folder.

It is forked from the caller, so that what the caller has loaded is not loaded again. A check forks
it before anything else: it loads what a host needs while the caller reads its command line. It has
left the caller's session and given up the caller's descriptors; it ends when the caller does, if it
has been told nothing by then.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import select
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from understudy.disk.layout import Layout, workspace_layout
from understudy.faces.inside.place import way_out
from understudy.process.detached import END_SIGNALS, close_inherited
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root

if TYPE_CHECKING:  # the caller needs it later, while the child loads
    from understudy.app.host.terms import Terms

_ELSEWHERE = frozenset(("-h", "--help", "--no-host", "--branch", "--agent", "github", "sarif"))
"""Arguments of a check that leaves no host, or asks for another folder than it names."""
_NO = frozenset(("", "0", "false", "no"))
_NEEDED = tuple(
    f"understudy.faces.{name}" for name in ("calls.serve", "hosting.leaving", "hosting.visits")
)
log = logging.getLogger(__name__)


class ComingHost:
    """The caller's end of it; POSIX only, for a process without a loop or threads."""

    def __init__(self, way: socket.socket) -> None:
        self._way = way

    @staticmethod
    def fork(*, loads: bool = False) -> ComingHost | None:
        """Fork; None if no process can begin. `loads` has it load at once what a host needs."""
        gc.freeze()  # looking through what is loaded would have the child copy all of it
        ours, theirs = socket.socketpair()
        kept = signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
        try:
            if os.fork() == 0:
                _come(theirs.fileno(), loads=loads)
        except OSError as error:
            log.warning("no host stays behind: %s", error)
            ours.close()
            return None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, kept)
            theirs.close()
        return ComingHost(ours)

    def be(self, root: Root, place: Layout, terms: Terms, patience: float) -> bool:
        """Have it be the host of a folder, with its state there; whether it listens in time (s)."""
        with self._way as way:
            try:
                way.sendall(pickle.dumps((root, place, terms)))
                way.shutdown(socket.SHUT_WR)
                ready, _, _ = select.select([way], [], [], patience)
                return bool(ready) and way.recv(1) != b""
            except OSError as error:
                log.warning("no host stays behind: %s", error)
                return False

    def give_up(self) -> None:
        """Have it end, told nothing."""
        self._way.close()


_early: ComingHost | None = None


def begin_early(arguments: Sequence[str]) -> None:
    """Begin a host for the check that these arguments ask for, if a glance says it will need one.

    Where the glance is wrong, that one ends unused, or the check forks another.
    """
    global _early  # noqa: PLW0603 - one a process, from its first line to where a host is looked for
    if sys.platform != "win32" and _will_leave_one(arguments):
        _early = ComingHost.fork(loads=True)


def take_early() -> ComingHost | None:
    """What was begun, once: the caller has it be a host."""
    global _early
    begun, _early = _early, None
    return begun


def give_up_early() -> None:
    """Have what was begun end, where it is not needed."""
    begun = take_early()
    if begun is not None:
        begun.give_up()


def is_unattended() -> bool:
    """Whether this is a machine of continuous integration, where nothing stays behind."""
    return os.environ.get("CI", "").lower() not in _NO


def _will_leave_one(arguments: Sequence[str]) -> bool:
    words = {word for argument in arguments for word in argument.split("=")}
    if arguments[:1] != ["check"] or not _ELSEWHERE.isdisjoint(words):
        return False
    if is_unattended() or way_out() is not None:
        return False
    try:
        return not workspace_layout(Root.open(_folder_named(arguments))).host.exists()
    except (UnderstudyError, OSError, ValueError):
        return False  # the command says what is wrong


def _folder_named(arguments: Sequence[str]) -> Path:
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if argument == "--root":
            return Path(following)
        if argument.startswith("--root="):
            return Path(argument.removeprefix("--root="))
    return Path()


def _come(way: int, *, loads: bool) -> NoReturn:
    """In the child: leave the caller's session and descriptors, and wait for word."""
    try:
        os.setsid()
        way = close_inherited(but=way)
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if loads:
            _load()
        told = b"".join(iter(lambda: os.read(way, 1 << 16), b""))
        if not told:
            os._exit(0)
        from understudy.faces.hosting.staying import stay  # noqa: PLC0415 - few callers need it

        root, place, terms = pickle.loads(told)  # noqa: S301 - of the process that has forked us
    except BaseException:  # noqa: BLE001 - whatever it is: what the caller does next is not for us
        os._exit(1)

    def tell() -> None:
        with suppress(BrokenPipeError):  # the caller did not wait
            os.write(way, b"+")
        os.close(way)

    stay(root, place, terms, tell)


def _load() -> None:
    """Load what a host of a folder needs for its first check, without looking through it yet."""
    gc.disable()
    for name in _NEEDED:
        import_module(name)
    gc.freeze()
    gc.enable()
