"""The messages about a folder as such: checkpoints, the state of all, what the editor decides."""

from __future__ import annotations

from understudy import __version__
from understudy.faces.answers.check import status_json
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.lsp.options import InitializationOptions, options_given
from understudy.faces.params import requests
from understudy.workspace.progress import Audience


async def checkpoint(server: UnderstudyServer, params: requests.SetCheckpoint, _: Audience) -> Json:
    """Pin the base, or drop a pin."""
    host = server.host
    if params.drop is not None:
        host.checkpoints.drop(params.drop)
        return {"dropped": params.drop}
    checkpoint = await host.checkpoints.create(await server.live_base.fresh(), params.title)
    return {
        "checkpoint": checkpoint.id,
        "title": checkpoint.title,
        "pinned": checkpoint.n_pinned,
        "notPinned": checkpoint.n_unpinned,
    }


async def status(server: UnderstudyServer, _params: requests.Nothing, _: Audience) -> Json:
    """The version, the branches and the servers."""
    session = server.host.session
    return {
        "version": __version__,
        **status_json(session, server.live_base.now, await session.pool.status()),
    }


async def take_options(
    server: UnderstudyServer, params: InitializationOptions, _: Audience
) -> Json:
    """Trust, interpreter and the like as the editor has them now; raises as `Host.reconfigure`."""
    if server.configuration is not None:
        server.configuration.give(options_given(params))
    return {}
