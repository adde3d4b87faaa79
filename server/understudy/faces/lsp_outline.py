"""The requests `understudy/outline` and `understudy/map`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from understudy.faces import params as wire
from understudy.faces.lsp_progress import client_progress
from understudy.faces.outline_calls import map_of, outline_of

if TYPE_CHECKING:
    from understudy.faces.lsp_server import UnderstudyServer


async def outline_file(server: UnderstudyServer, params: wire.OutlineFile) -> dict[str, Any]:
    """The outline or the text of a file, as the user or a branch has it."""
    return await outline_of(server.host.session, server.live_base, params)


async def map_files(server: UnderstudyServer, params: wire.MapFolder) -> dict[str, Any]:
    """The map of a folder, unsaved buffers and the branch's edits included."""
    async with client_progress(server, params.workDoneToken, "map") as progress:
        return await map_of(server.host.session, server.live_base, params, progress)
