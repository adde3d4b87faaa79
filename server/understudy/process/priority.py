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
_AUTOGROUPS = Path("/proc/sys/kernel/sched_autogroup_enabled")
_CGROUPS = Path("/sys/fs/cgroup")


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
        if _shares_by_session(group) and os.getsid(group) != os.getsid(0):
            os.sched_setscheduler(group, os.SCHED_IDLE, os.sched_param(0))
    _lower_session(group, niceness, _TRIES)


def _shares_by_session(pid: int) -> bool:
    """Whether Linux gives cores to sessions first, and by their niceness (sched(7), autogroups).

    Only there may a server be of the class `idle`: it then gives way to a key at once, and its
    session's share keeps it running beside a build on all cores. Elsewhere it would get nothing
    beside one, and no program without privileges can take the class back.
    """
    try:
        if _AUTOGROUPS.read_text().strip() != "1":
            return False
        groups = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:  # another system, or it has ended already
        return False
    return not any(_deals_out_cores(*group.split(":", 2)[1:]) for group in groups)


def _deals_out_cores(controllers: str, path: str) -> bool:
    """Whether a control group shares cores in the place of sessions (cgroups(7)); its line's ends.

    The root of all groups never does; a container may take its own group for that root.
    """
    if controllers:
        return "cpu" in controllers.split(",") and path != "/"
    place = _CGROUPS / path.lstrip("/")
    return any((above / "cpu.weight").exists() for above in (place, *place.parents))


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
