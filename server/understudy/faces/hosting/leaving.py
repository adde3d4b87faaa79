"""Leaving a host behind: a process of its own that goes on when its first caller has ended.

Where nothing else runs yet in the caller's process, that process is forked: what it has loaded is
not loaded again, so the first call takes no longer. The child leaves the session and gives up every
descriptor of the caller's. Elsewhere, and on Windows, a program is started that does the same.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import NoReturn

from understudy.app.host.attach import PATIENCE_SECONDS
from understudy.app.host.terms import Terms, terms_of_caller
from understudy.disk.layout import Layout, workspace_layout
from understudy.disk.trust import is_trusted
from understudy.faces.hosting.coming import ComingHost, is_unattended, take_early
from understudy.process.detached import run_detached
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module

_PROGRAM = (
    "import sys; root, sys.path[:] = sys.argv[1], sys.argv[2:]; "
    "from understudy.faces.hosting.leaving import main; main(root)"
)
log = logging.getLogger(__name__)


def may_leave(root: Root, *, trusts: bool = False) -> bool:
    """Whether a host may stay in the folder: not where CI is set, and as the settings have it."""
    if is_unattended():
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
    coming = take_early() or ComingHost.fork()
    return coming is not None and coming.be(root, place, terms, PATIENCE_SECONDS)


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
        from understudy.faces.hosting.staying import stay  # noqa: PLC0415 - others fork

        stay(root, place, terms, lambda: None)
    sys.exit(0 if leave_by_fork(root, place, terms) else 1)
