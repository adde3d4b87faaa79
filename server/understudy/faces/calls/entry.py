"""One entry of a table of requests: what it takes, who may ask it, and what answers it.

Calls and the LSP's custom requests are two tables of such entries over the same verbs.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, get_args

from understudy.app.host.host import Host
from understudy.disk.room import system_refusal
from understudy.faces.answers.sound_json import sound
from understudy.shadow.folder import Moved
from understudy.values.errors import OutsideFailure, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.structure import structure
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import Audience, ReaderGone

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network
    from understudy.workspace.settings import AgentQuestion

log = logging.getLogger(__name__)
Json = dict[str, Any]
Asker = Literal["user", "agent", "rehearsal"]
"""The user, in an editor or on the command line; whoever works for the user; or an agent that lives
in a branch, and may speak of that branch alone."""

USER: frozenset[Asker] = frozenset({"user"})
AGENT: frozenset[Asker] = frozenset({"agent"})
REHEARSAL: frozenset[Asker] = frozenset({"rehearsal"})
EVERYONE = USER | AGENT
"""Everyone who speaks of the folder as a whole."""


class Side(Protocol):
    """Who asks: a conversation of calls, or an LSP connection."""

    @property
    def host(self) -> Host:
        """The host that is asked."""
        ...

    @property
    def live_base(self) -> LiveBase:
        """The base that the asker's edits are over."""
        ...

    @property
    def asker(self) -> Asker:
        """Who sits at the other end."""
        ...

    @property
    def network(self) -> Network:
        """What the user allows the asker's commands at most."""
        ...


def refuse_switched_off(side: Side, what: AgentQuestion) -> None:
    """Raise Refused `switched-off` where the user's settings keep agents from asking this."""
    if side.asker != "user" and what not in side.host.session.settings.agents_may:
        text = f"the settings have switched {what} off for agents (agents_may)"
        raise Refused("switched-off", text, what)


SideT_contra = TypeVar("SideT_contra", bound=Side, contravariant=True)


@frozen
class RequestEntry(Generic[SideT_contra]):
    """One request; a table with one that nobody may ask cannot be made."""

    method: str
    takes: type[Any]
    askers: frozenset[Asker]
    answer: Callable[[SideT_contra, Any, Audience], Awaitable[Json]]

    def __post_init__(self) -> None:
        if not self.askers or not self.askers <= set(get_args(Asker)):
            raise TypeError(f"{self.method}: say who may ask it, not {set(self.askers)!r}")

    def refuse(self, asker: Asker) -> None:
        """Raise Refused `not-for-agents`, `for-agents` or `not-in-a-rehearsal` where the asker may
        not ask this."""
        if asker in self.askers:
            return
        if asker == "rehearsal":
            text = "from inside a branch nobody may ask for this"
            raise Refused("not-in-a-rehearsal", text, self.method)
        if asker == "user":
            raise Refused("for-agents", "only an agent's session has this", self.method)
        text = "only the user's editor or command line may; an editor that attaches to a host "
        raise Refused("not-for-agents", text + "says `user: true` at initialize", self.method)

    async def answered(
        self,
        side: SideT_contra,
        raw: object,
        hearing: Callable[[Any], AbstractAsyncContextManager[Audience]],
    ) -> Json:
        """Structure the params and answer; `hearing` is who hears of the work, by the params.

        Raises UnderstudyError, whatever happens, or ReaderGone.
        """
        try:
            self.refuse(side.asker)
            params = structure(raw or {}, self.takes, "bad-params", self.method)
            async with hearing(params) as audience:
                return sound(await self.answer(side, params, audience))
        except Moved as moved:
            text = "the file changed on disk while it was read; ask again"
            raise OutsideFailure("base-moved", text, moved.path) from moved
        except (UnderstudyError, ReaderGone):
            raise
        except Exception as error:  # the boundary: the asker is told, the log has the traceback
            refused = system_refusal(error)
            if refused is not None:
                raise refused from error
            log.exception("%s failed", self.method)
            text = f"{type(error).__name__}: {error}"
            raise OutsideFailure("internal", text, self.method) from error
