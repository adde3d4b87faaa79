"""A low priority for programs that work beside the user's typing."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from understudy.process.tree import lower_class

NICENESS = 10
"""Of language servers, as `nice` gives it: lints for an agent wait for the editor and for us.

It costs nothing while a core is free.
"""

_TRIES = 8
_PAUSE_S = 0.15


def lower_priority(group: int) -> None:
    """Let a session of ours (named by its leader) yield to others.

    Where the system refuses, it runs as any other program does.
    """
    if os.name == "nt":
        lower_class(group)
        return
    niceness = max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0))
    with suppress(OSError):  # it has ended already
        os.setpriority(os.PRIO_PGRP, group, niceness)
    _lower_session(group, niceness, _TRIES)


def _lower_session(leader: int, niceness: int, tries: int) -> None:
    """Linux compares niceness within a session only; the sessions have their own (sched(7))."""
    try:
        if os.getsid(leader) != os.getsid(0):  # the editor's session may be our own
            Path(f"/proc/{leader}/autogroup").write_text(str(niceness))
    except BlockingIOError:  # it takes ten changes a second, from all users together
        if tries > 1:
            loop = asyncio.get_running_loop()
            loop.call_later(_PAUSE_S, _lower_session, leader, niceness, tries - 1)
    except OSError:
        return  # another system, a kernel without such groups, or it has ended already
