"""The tools over MCP: each call goes to its folder's host, over a branch of the session's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.faces.calls.tools import AgentBranch, AgentReply, tool_named
from understudy.faces.hosting.link import HostLink
from understudy.faces.inside.place import way_out
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.progress import NOBODY, Audience

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network


@frozen
class _Place:
    """A folder that this session works on."""

    link: HostLink
    agent_branch: AgentBranch


class AgentSession:
    """One agent's session: its folders, each with a host and a branch of this session's own.

    `network` is what the user allows its commands at most.
    """

    def __init__(self, network: Network = "none") -> None:
        self._network: Network = network
        self._places: dict[Path, _Place] = {}

    async def call(
        self, name: str, arguments: Mapping[str, Any], root: Root, audience: Audience = NOBODY
    ) -> AgentReply:
        """What answers a tool's call about a folder; raises UnderstudyError."""
        tool = tool_named(name)
        return await self._place(root).agent_branch.answer(tool, arguments, audience)

    async def open(self, root: Root) -> None:
        """Come to the folder's host now: what changes from here on is this session's."""
        await self._place(root).link.open()

    async def close(self) -> None:
        """Leave every host, and end those that are in this process."""
        for place in self._places.values():
            await place.link.close()

    def _place(self, root: Root) -> _Place:
        if root.path not in self._places:
            link = HostLink(root, agent=True, stays=True, network=self._network)
            ours = _agent_branch(link) if way_out() is None else AgentBranch(link.call, _never)
            self._places[root.path] = _Place(link, ours)
        return self._places[root.path]


async def _never() -> bool:
    """An agent that lives in a branch has it compared with what the branch began from."""
    return False


def _agent_branch(link: HostLink) -> AgentBranch:
    known = 1  # the host whose checkpoint the session counts on: at first the one it began with

    async def begin() -> bool:
        nonlocal known
        was_open = link.is_open
        # A host that ended took the checkpoint with it: with the next one the session begins anew,
        # whichever call came to it first.
        await link.call("begin", {"renewed": link.n_hosts > (1 if was_open else 0)})
        begins = not was_open or link.n_hosts > known
        known = link.n_hosts
        return begins

    return AgentBranch(link.call, begin)
