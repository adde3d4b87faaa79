"""What a rehearsal gives its stage: the way to its branch, and the program that knows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.rehearse import Rehearsal
from understudy.faces.hosting.link import HostLink
from understudy.faces.rehearsal.branch_socket import BranchSocket
from understudy.faces.rehearsal.host import BranchHost
from understudy.faces.rehearsal.rounds import Rounds
from understudy.values import version
from understudy.values.errors import OutsideFailure
from understudy.values.started_by import BRANCH_SOCKET

if TYPE_CHECKING:
    from understudy.workspace.rehearsals.place import RehearsalPlace

TAKEN_S = 5.0
"""How long a host is waited for that is to journal what was written last."""
_LOOK_S = 0.02


@dataclass
class Way:
    """The socket of a branch whose rehearsal is `begun` once its stage is open."""

    link: HostLink
    place: RehearsalPlace
    socket: BranchSocket = field(init=False)
    _rehearsal: Rehearsal | None = None

    def shown_by(self, options: RehearseOptions) -> RehearseOptions:
        """The same with this socket, and our own program, on the stage."""
        return replace(
            options,
            way_out=self.socket.path,
            visible=(*options.visible, Path(version.__file__).parents[2]),
            env={**options.env, BRANCH_SOCKET: str(self.socket.path)},
        )

    def begun(self, rehearsal: Rehearsal) -> None:
        """From now on, what is asked is about what this rehearsal has on its stage."""
        self._rehearsal = rehearsal
        self.socket.turn_over = rehearsal.truth.end_turn

    async def settle(self) -> None:
        """Have the branch take all that was written until now.

        Raises OutsideFailure `not-taken` where no host journals it within a time.
        """
        if self._rehearsal is None:
            return
        await self._rehearsal.settle()
        if not await until_taken(self.link, self.place):
            text = "no host has taken what was written last, so nothing can be said of it yet"
            raise OutsideFailure("not-taken", text, self.place.folder.name)


@asynccontextmanager
async def opened_way(
    link: HostLink, place: RehearsalPlace, branch: str, until_clean: int | None
) -> AsyncGenerator[Way, None]:
    """A way to a branch while the body runs; `until_clean` is how many rounds an agent may be told.

    Raises as `BranchSocket.open` does.
    """
    way = Way(link, place)
    host = BranchHost(link.root, branch)
    way.socket = await BranchSocket.open(host, way.settle, Rounds(until_clean))
    try:
        yield way
    finally:
        await way.socket.close()


async def until_taken(link: HostLink, place: RehearsalPlace) -> bool:
    """Give the host the time to journal what was written last; whether it has."""
    deadline = time.monotonic() + TAKEN_S
    while place.has_batches and time.monotonic() < deadline:
        if not link.is_open:
            await link.open()
        await asyncio.sleep(_LOOK_S)
    return not place.has_batches
