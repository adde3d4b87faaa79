"""The verbs `terminals off` and `on`: the user takes a terminal out of the recording."""

from __future__ import annotations

import os
import time
from pathlib import Path

from understudy.app.terminals.listing import Terminal, folder_of, terminal_of
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log.folder import Log
from understudy.terminal.recorded import LOG_VARIABLE
from understudy.terminal.stops import resume, stop
from understudy.terminal.switch import switch
from understudy.values.errors import BadInput, OutsideFailure

LIMIT_S = 30.0
"""A recorder runs behind all else on a busy machine, and must not be taken for one that hangs."""
_POLL_S = 0.02


def switch_terminal(root: Path, name: str | None, *, off: bool) -> Terminal:
    """Switch a terminal's recording, or this terminal's; returns when the recorder has done it.

    Raises BadInput `unknown-terminal`, `not-recorded`; OutsideFailure `timeout`.
    """
    if name is not None:
        return switch_in(folder_of(root), name, off=off)
    own = os.environ.get(LOG_VARIABLE)
    if own is None:
        text = "this terminal is not recorded; name one that `understudy terminals list` shows"
        raise BadInput("not-recorded", text)
    return switch_in(Path(own).parent, Path(own).stem, off=off)


def switch_in(folder: Path, name: str, *, off: bool) -> Terminal:
    """The same for a log of this folder."""
    log = _open_log(folder, name)
    _switch(log, off=off)
    end = time.monotonic() + LIMIT_S
    while ((terminal := terminal_of(log)).status == "off") is not off:
        if time.monotonic() >= end:
            raise OutsideFailure("timeout", "the recorder has not answered", name)
        time.sleep(_POLL_S)
        log = _open_log(folder, name)
    return terminal


def _switch(log: Log, *, off: bool) -> None:
    """A recorder looks beside its log; an editor's terminal may get a log in any folder."""
    pid = log.header.get("pid")
    grade = str(log.header.get("capture", "")).partition(" ")[0]
    if grade == "full" or not isinstance(pid, int):
        switch(log.path, off=off)
    elif off:
        stop(pid)
    else:
        resume(pid)
        switch(log.path, off=False)


def _open_log(folder: Path, name: str) -> Log:
    log = log_folder.log_of(folder, name)
    if not log.is_running:
        raise BadInput("not-recorded", "this terminal is not recorded any more", name)
    return log
