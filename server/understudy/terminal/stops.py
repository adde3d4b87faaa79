"""Which terminals of editors the user wants no log of: an empty file a process, for all folders.

It is apart from the logs, as it must hold where another folder's server is told of the terminal,
and outlast them: `stopped-terminals/PID-BEGAN` in the state folder, BEGAN as the system counts it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from understudy.disk.atomic import flush_folder
from understudy.disk.layout import make_private_folder, open_private, stopped_terminals
from understudy.disk.room import writing_state
from understudy.process.tree import began, is_known

_KEPT_S = 7 * 86_400
"""How long after its process was last seen: the next one in its terminal begins by asking."""


def is_stopped(pid: int) -> bool:
    """Whether this process has a stop, not one that had its number before.

    True where that cannot be told: a log that is not wanted is worse than one that is missed.
    """
    try:
        kept = _kept(pid)
    except OSError:
        return True
    now = began(pid) if kept else ""
    return bool(kept) if not now else not {now, ""}.isdisjoint(kept)


def is_stopped_before(pid: int) -> bool:
    """Whether a process of this number has had one: of a terminal's former process."""
    try:
        return bool(_kept(pid))
    except OSError:
        return True


def stop(pid: int) -> None:
    """Keep that this process is not to be written down; raises OutsideFailure."""
    folder = stopped_terminals()
    make_private_folder(folder)
    path = folder / f"{pid}-{began(pid)}"
    with writing_state(folder):
        os.close(open_private(path, os.O_WRONLY | os.O_CREAT))  # a name alone is there or not
        flush_folder(folder)
        _forget_ended(folder)


def resume(pid: int) -> None:
    """Keep it no longer; raises OutsideFailure."""
    folder = stopped_terminals()
    with writing_state(folder):
        now = began(pid)
        for kept in _kept(pid):
            if not now or kept in (now, ""):
                (folder / f"{pid}-{kept}").unlink(missing_ok=True)


def _kept(pid: int) -> set[str]:
    """When the processes of this number began that have a stop; empty: not known."""
    try:
        names = os.listdir(stopped_terminals())  # noqa: PTH208 - names alone
    except FileNotFoundError:
        return set()
    parts = [name.partition("-") for name in names]
    return {kept for number, _, kept in parts if number == str(pid)}


def _forget_ended(folder: Path) -> None:
    """Remove the stops of processes that ended long ago."""
    now = time.time()
    for path in folder.iterdir():
        number, _, kept = path.name.partition("-")
        if not number.isdecimal():
            continue
        with suppress(OSError):  # another server does so, too
            if _may_live(int(number), kept):
                os.utime(path)
            elif path.stat().st_mtime < now - _KEPT_S:
                path.unlink()


def _may_live(pid: int, kept: str) -> bool:
    now = began(pid)
    if now:
        return kept in (now, "")
    return not is_known()
