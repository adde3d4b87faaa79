"""The end of a rehearsal at its user's word: its process ends what lives in the branch.

Where the process has others, too, those live on.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.rehearsals.place import RehearsalPlace, place_of, places
from understudy.workspace.session import Session


async def stop_rehearsal(session: Session, branch_id: str) -> tuple[str, ...]:
    """Ask for the end, as closing its terminal does; the branches that it is of: of a process of an
    earlier version that has several, all. What was written stays in them.

    Raises BadInput `unknown-branch`, `no-rehearsal`; OutsideFailure `not-stopped`.
    """
    branch = await session.branches.get(branch_id)
    return await asyncio.to_thread(_stop, session, branch.id)


def _stop(session: Session, branch: str) -> tuple[str, ...]:
    place = place_of(session.layout, branch)
    record = place.record() if place.is_live else None
    if record is None:
        raise BadInput("no-rehearsal", "nothing lives in this branch", branch)
    stopped = (branch,)
    try:
        if not _is_owner(record.pid, place):
            raise ProcessLookupError
        if record.has_fellows:
            place.ask_to_end()
        else:
            found = (other.record() for other in places(session.layout) if other.is_live)
            stopped = tuple(one.branch for one in found if one and one.pid == record.pid)
            os.kill(record.pid, signal.SIGTERM)
    except OSError as error:
        text = "its process is not to be seen from here; end it in its own terminal"
        raise OutsideFailure("not-stopped", text, branch) from error
    return stopped


def _is_owner(pid: int, place: RehearsalPlace) -> bool:
    """Whether that process holds the rehearsal's lock: a number alone may be another's by now, or
    of another container."""
    lock = place.lock.resolve()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # it is closed meanwhile
            if descriptor.readlink() == lock:
                return True
    return False
