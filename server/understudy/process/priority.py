"""Programs that work beside the user's typing give way to it, without starving."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from understudy.process.tree import lower_class

NICENESS = 5
"""Of language servers, as `nice` gives it: it costs nothing while a core is free.

It cannot be taken back without privileges, so it leaves a share to live on: beside four busy
programs on a core 7 %. Niceness 10 leaves 2.5 %, and Linux' class `idle` nothing at all.
"""

SESSION_NICENESS = 10
"""Of a whole session, where Linux shares the cores between sessions (sched(7), autogroups).

With it keys take no longer than without the servers; every user may take it back.
"""

_TRIES = 8
_PAUSE_S = 0.15


class Priority:
    """How a session of ours (named by its leader) stands to other programs: low, or their equal.

    Where the system refuses, it runs as any other program does.
    """

    def __init__(self, leader: int) -> None:
        self._leader = leader
        self._place = Path(f"/proc/{leader}/autogroup")
        self._own = _session_niceness()
        self._wanted: int | None = None
        self._trying: asyncio.TimerHandle | None = None

    def lower(self) -> None:
        """Give way to others from now on."""
        if os.name == "nt":
            lower_class(self._leader)
            return
        with suppress(OSError):  # it has ended already
            if os.getpriority(os.PRIO_PROCESS, self._leader) < NICENESS:
                os.setpriority(os.PRIO_PGRP, self._leader, NICENESS)
        self._set_session(max(SESSION_NICENESS, self._own))

    def equal(self) -> None:
        """Take the share that a program of the user's has, where the system lets us."""
        if os.name != "nt":
            self._set_session(self._own)

    def _set_session(self, niceness: int) -> None:
        if niceness != self._wanted:
            self._wanted = niceness
            if self._trying is not None:
                self._trying.cancel()
            self._try(_TRIES)

    def _try(self, tries: int) -> None:
        self._trying = None
        try:
            if os.getsid(self._leader) != os.getsid(0):  # the editor's session may be our own
                self._place.write_text(str(self._wanted))
        except BlockingIOError:  # it takes ten changes a second, from all users together
            if tries > 1:
                loop = asyncio.get_running_loop()
                self._trying = loop.call_later(_PAUSE_S, self._try, tries - 1)
        except OSError:
            return  # another system, a kernel without such groups, or it has ended already


def _session_niceness() -> int:
    """That of our own session, which the user may have lowered; 0 where there is no such thing."""
    try:
        return max(0, int(Path("/proc/self/autogroup").read_text().split()[-1]))
    except (OSError, ValueError, IndexError):
        return 0
