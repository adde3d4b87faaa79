"""What happens in a host, told line by line for as long as somebody listens."""

from __future__ import annotations

import asyncio

from understudy.app.host.host import Listener
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import requests
from understudy.workspace.progress import Audience

BRANCHES_CHANGED, SERVERS_CHANGED, LISTENING = "branches", "servers", "listening"


async def listen(side: Side, _params: requests.Nothing, audience: Audience) -> Json:
    """Tell that branches or servers have changed until the asker goes, or cancels this."""
    listener = Listener(
        lambda: audience.told(BRANCHES_CHANGED), lambda: audience.told(SERVERS_CHANGED)
    )
    side.host.listeners.add(listener)
    try:
        audience.told(LISTENING)
        await asyncio.Event().wait()
    finally:
        side.host.listeners.discard(listener)
    return {}
