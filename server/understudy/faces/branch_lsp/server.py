"""The life of a connection that serves one branch: from the first message to the last."""

from __future__ import annotations

from typing import Any

from understudy.app.host.host import Host
from understudy.faces.branch_lsp.capabilities import initialize_result
from understudy.faces.branch_lsp.peer import Answering, Json, Peer
from understudy.faces.branch_lsp.service import Service
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.view import BranchView
from understudy.faces.branch_lsp.wish import Wish
from understudy.faces.frames import FrameReader
from understudy.values.errors import BadInput, UnderstudyError
from understudy.workspace.options import CheckOptions, refuse_unknown_servers
from understudy.workspace.tasks import Tasks


class BranchServer:
    """One client's server; `host` is the folder's, or why there is none (told at `initialize`)."""

    def __init__(self, host: Host | UnderstudyError, wish: Wish, peer: Peer, tasks: Tasks) -> None:
        self._host = host
        self._wish = wish
        self._peer = peer
        self._tasks = tasks
        self._service: Service | None = None

    async def serve(self, reader: FrameReader) -> None:
        """Serve the client until it says `exit` or goes away."""
        try:
            await self._peer.serve(reader, self._begin, self._hear)
        finally:
            await self._peer.end()
            if self._service is not None:
                await self._service.close()
            await self._tasks.close()

    def _begin(self, method: str, params: Json) -> Answering:
        if method == "initialize":
            return self._initialize(params)
        if self._service is None:
            if method == "shutdown":
                return _nothing()
            raise BadInput("not-initialized", "send `initialize` first", method)
        return self._service.begin(method, params)

    def _hear(self, method: str, params: Json) -> None:
        if self._service is not None:
            self._service.hear(method, params)

    async def _initialize(self, params: Json) -> Json:
        if self._service is not None:
            raise BadInput("bad-request", "`initialize` was answered already", "initialize")
        if isinstance(self._host, UnderstudyError):
            raise self._host
        view = BranchView(self._host.session, self._wish)
        try:
            await view.stamp()
            refuse_unknown_servers(view.session.servers, CheckOptions(servers=self._wish.through))
        except BadInput as error:
            view.close()
            raise _explained(error, view) from error
        abilities = Abilities.of(params.get("capabilities"))
        self._service = Service(self._host, view, abilities, self._peer, self._tasks)
        return initialize_result(pulls=abilities.pulls, decides=view.decides)


async def _nothing() -> Any:  # noqa: ANN401 - null, as JSON has it
    return None


def _explained(error: BadInput, view: BranchView) -> BadInput:
    """The error with what there is instead."""
    if error.code != "unknown-branch":
        return error
    session = view.session
    there = ", ".join(one.id for one in session.branches.summaries()) or "none"
    text = f"{error.text} in {session.root.path}; there are: {there}"
    return BadInput(error.code, text, error.where)
