"""The request `understudy/watch`."""

from __future__ import annotations

from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import requests
from understudy.workspace.progress import Audience


async def watch(server: UnderstudyServer, params: requests.WatchEdits, _: Audience) -> Json:
    """Begin, end, or look at this connection's watch."""
    watching = server.watching
    if params.action in ("start", "restart"):
        checkpoint = params.checkpoint
        await watching.start(
            None if checkpoint is None else server.host.checkpoints.get(checkpoint),
            again=params.action == "restart",
        )
    elif params.action == "stop":
        await watching.stop()
    return watching.told(whole=True)
