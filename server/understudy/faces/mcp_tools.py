"""The tools over MCP: each call goes to its folder's host, over a branch of the session's own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.app.progress import NOBODY, Audience
from understudy.faces.agent_tools import Rehearsal, tool_named
from understudy.faces.host_link import HostLink
from understudy.values.errors import BadInput
from understudy.values.paths import Root


@dataclass(frozen=True)
class _Place:
    """A folder that this session works on."""

    link: HostLink
    rehearsal: Rehearsal


class AgentSession:
    """One agent's session: its folders, each with a host and a branch of this session's own."""

    def __init__(self) -> None:
        self._places: dict[Path, _Place] = {}

    async def call(
        self, name: str, arguments: Mapping[str, Any], folder: Path, audience: Audience = NOBODY
    ) -> str:
        """The text that answers a tool's call; raises UnderstudyError.

        `folder` is meant where the call names no `root`.
        """
        tool = tool_named(name)
        place = self._place(arguments.get("root"), folder)
        params = {key: value for key, value in arguments.items() if key != "root"}
        return await place.rehearsal.answer(tool, params, audience)

    async def open(self, folder: Path) -> None:
        """Come to the folder's host now: what changes from here on is this session's."""
        await self._place(None, folder).link.open()

    async def close(self) -> None:
        """Leave every host, and end those that are in this process."""
        for place in self._places.values():
            await place.link.close()

    def _place(self, named: object, folder: Path) -> _Place:
        if named is not None and not isinstance(named, str):
            raise BadInput("bad-params", "expected a string", "root")
        root = Root.open(folder if named is None else Path(named))
        if root.path in (Path(root.path.anchor), Path.home()):
            text = "too wide for a project; name the folder as `root`, or start with --root"
            raise BadInput("no-such-root", text, str(root.path))
        if root.path not in self._places:
            link = HostLink(root, agent=True, stays=True)
            self._places[root.path] = _Place(link, _rehearsal(link))
        return self._places[root.path]


def _rehearsal(link: HostLink) -> Rehearsal:
    async def begin() -> bool:
        # A host that ended took the checkpoint with it: with the next one the session begins anew.
        begins = not link.is_open
        if begins:
            await link.call("begin", {})
        return begins

    return Rehearsal(link.call, begin)
