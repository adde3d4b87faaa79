"""Leaving a host behind: a process of its own that goes on when its first caller has ended.

Where nothing else runs yet in the caller's process, that process is forked: what it has loaded is
not loaded again, so the first call takes no longer. The child leaves the session and gives up every
descriptor of the caller's. Elsewhere, and on Windows, a program is started that does the same.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

from understudy.app.host.attach import PATIENCE_SECONDS
from understudy.app.host.terms import Terms, forget_session, terms_of_caller
from understudy.disk.layout import Layout, workspace_layout
from understudy.disk.lock import HostLock
from understudy.disk.trust import is_trusted
from understudy.process.detached import close_inherited, run_detached
from understudy.process.machine_memory import go_first
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module

_PROGRAM = (
    "import sys; root, sys.path[:] = sys.argv[1], sys.argv[2:]; "
    "from understudy.faces.hosting.leaving import main; main(root)"
)
_NO = frozenset(("", "0", "false", "no"))
log = logging.getLogger(__name__)


def may_leave(root: Root, *, trusts: bool = False) -> bool:
    """Whether a host may stay in the folder: not where CI is set, and as the settings have it."""
    if os.environ.get("CI", "").lower() not in _NO:
        return False
    try:
        settings = settings_module.load(root, trusted=trusts or is_trusted(root))
    except (UnderstudyError, OSError):
        return False  # whoever goes on without a host says what is wrong
    return settings.host_minutes > 0


def leave_by_fork(root: Root, place: Layout, terms: Terms) -> bool:
    """Leave a host by forking; whether it listens now.

    For a process without a loop, threads, or anything that has to be put away at its end.
    """
    gc.freeze()  # looking through what is loaded would have the child copy all of it
    said, telling = os.pipe()
    try:
        kept = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            if os.fork() == 0:
                _be_left(root, place, terms, telling)
        except OSError as error:
            log.warning("no host stays behind: %s", error)
            return False
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, kept)
            os.close(telling)
        ready, _, _ = select.select([said], [], [], PATIENCE_SECONDS)
        return bool(ready) and os.read(said, 1) != b""
    finally:
        os.close(said)


async def leave_by_program(root: Root) -> None:
    """Leave the workspace's own host by way of a program; returns when it listens, or does not."""
    command = (sys.executable, "-c", _PROGRAM, str(root.path), *sys.path)
    try:
        await asyncio.to_thread(run_detached, command, PATIENCE_SECONDS)
    except OutsideFailure as error:
        log.warning("no host stays behind: %s", error)


def main(folder: str) -> NoReturn:
    """Leave the host of a folder, and end: this is what `leave_by_program` starts."""
    root = Root.open(Path(folder))
    place, terms = workspace_layout(root), terms_of_caller()
    if sys.platform == "win32":
        _stay(root, place, terms, lambda: None)
    sys.exit(0 if leave_by_fork(root, place, terms) else 1)


if sys.platform != "win32":
    _SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
else:
    _SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _be_left(root: Root, place: Layout, terms: Terms, telling: int) -> NoReturn:
    """In the child: leave the caller's session and descriptors, and be the host until it ends."""

    def tell() -> None:
        with suppress(BrokenPipeError):  # the caller did not wait
            os.write(kept, b"+")
        os.close(kept)

    kept = -1
    try:
        os.setsid()
        kept = close_inherited(but=telling)
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
    except BaseException:  # noqa: BLE001 - whatever it is: the caller's end is not for us, too
        os._exit(1)
    _stay(root, place, terms, tell)


def _stay(root: Root, place: Layout, terms: Terms, tell: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        sys.path[:] = [str(Path(entry).absolute()) for entry in sys.path if entry]
        os.chdir(root.path.anchor)  # the folder that the caller stands in may go
        forget_session()
        go_first()
        lock = HostLock.acquire(place.create().lock)
        logging.basicConfig(
            filename=place.log("host"), filemode="w", level=logging.WARNING, force=True,
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        )  # fmt: skip
        asyncio.run(_serve(root, place, terms, lock, tell))
        code = 0
    except UnderstudyError as error:
        log.warning("no host stays behind: %s", error)
    except BaseException:  # as above; what it was is for the log
        log.exception("the host that stayed behind has failed")
    finally:
        os._exit(code)


async def _load_calls() -> None:
    """Load what the first visitor needs while a thread opens the journal."""
    from understudy.faces.calls import serve  # noqa: PLC0415 - see above

    del serve


async def _serve(
    root: Root, place: Layout, terms: Terms, lock: HostLock, tell: Callable[[], None]
) -> None:
    from understudy.app.host.host import HostOptions, open_host  # noqa: PLC0415 - it needs SQLite
    from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - only a host has visitors

    trusted = terms.trusts or is_trusted(root)
    opening = open_host(root, HostOptions(trusted=trusted), lock, place=place, terms=terms)
    host, _ = await asyncio.gather(opening, _load_calls())
    stay = host.stay
    assert stay is not None
    loop = asyncio.get_running_loop()
    try:
        for number in _SIGNALS:
            with suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, stay.end)
        await host.open_door(partial(welcome, host))
        if host.door is None:
            return
        tell()
        await stay.until_over(host.session)
    finally:
        await host.close()
