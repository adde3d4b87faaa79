"""One caller's side of a host: an agent's, the command line's."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import TYPE_CHECKING

from understudy.app.host.host import Host
from understudy.faces.calls.entry import Asker
from understudy.workspace.checkpoints import Checkpoint
from understudy.workspace.live_base import LiveBase

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.app.run.services import Services
    from understudy.stage.model import Network

RENEWED = "this session's second checkpoint (what was changed before it is not judged)"
_LINGER_SECONDS = 10.0


class Conversation:
    """One caller's side of a host: what it may ask, and the checkpoint that it began with.

    `live_base` is the base of the editor that the caller works in; without one, it works over that
    of the editor that was typed in last.
    """

    def __init__(
        self,
        host: Host,
        asker: Asker,
        live_base: LiveBase | None = None,
        *,
        network: Network = "none",
        bound: str | None = None,
    ) -> None:
        self.host = host
        self.bound = bound
        """The one branch that the caller may speak of."""
        self.asker: Asker = asker
        self.network: Network = "host" if asker == "user" else network
        """What the user allows the commands at most."""
        self.beginning = "the start of this session"
        """What the checkpoint that this caller began with is, in words."""
        self.told_asks: set[tuple[str, int, int]] = set()
        """What the user has asked and this caller has heard: branch, number and revision."""
        self._live_base = live_base
        self._beginning: asyncio.Task[Checkpoint] | None = None
        if asker == "agent":
            self._beginning = host.session.tasks.spawn(self._begin(), "pin where an agent began")

    @property
    def live_base(self) -> LiveBase:
        """The base that this caller's edits are over."""
        return self._live_base or self.host.session.bases.of_user

    @cached_property
    def services(self) -> Services:
        """Commands of this caller that go on until it ends them, or goes itself."""
        from understudy.app.run.services import Services  # noqa: PLC0415 - it loads stages

        return Services(self.host.session)

    async def began(self) -> Checkpoint:
        """The user's text as it was when this agent came; raises what pinning it has raised."""
        assert self._beginning is not None, "the table lets agents alone ask for it"
        return await asyncio.shield(self._beginning)

    async def end(self) -> None:
        """End this caller's services, and drop what was kept for it."""
        if "services" in self.__dict__:
            await self.services.close()
        beginning, self._beginning = self._beginning, None
        if beginning is not None:
            await asyncio.wait([beginning], timeout=_LINGER_SECONDS)
            if beginning.done() and not beginning.cancelled() and beginning.exception() is None:
                self.host.checkpoints.release(beginning.result())

    async def _begin(self) -> Checkpoint:
        self.host.refresh()
        base = await self.live_base.fresh()
        checkpoint = await self.host.checkpoints.shared(base)
        self.host.agent_began(self.live_base, base)
        return checkpoint
