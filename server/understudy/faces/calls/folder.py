"""What every face may ask about a folder as such: checkpoints, and the state of all."""

from __future__ import annotations

import asyncio
from base64 import b64encode

from understudy.faces.answers.check import status_json
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import calls as takes
from understudy.faces.params import requests
from understudy.shadow.snapshot import Snapshot
from understudy.values.version import WIRE, __version__
from understudy.workspace.progress import Audience


async def checkpoint(side: Side, params: requests.SetCheckpoint, _: Audience) -> Json:
    """Pin the base, or drop a pin."""
    host = side.host
    if params.drop is not None:
        host.checkpoints.drop(params.drop)
        return {"dropped": params.drop}
    checkpoint = await host.checkpoints.create(await side.live_base.fresh(), params.title)
    return {
        "checkpoint": checkpoint.id,
        "title": checkpoint.title,
        "pinned": checkpoint.n_pinned,
        "notPinned": checkpoint.n_unpinned,
    }


async def text(side: Side, params: takes.ReadText, _: Audience) -> Json:
    """A file's text as the user or a branch has it, in base 64; null: there is no such file."""
    session, base = side.host.session, await side.live_base.fresh()
    path = session.root.relative(params.path)
    snapshot = Snapshot(base)
    if params.branch is not None:
        snapshot = await session.branches.snapshot(params.branch, base)
    found = await asyncio.to_thread(snapshot.read, path)
    data = None if found is None else found.content.encode("utf-8", "surrogateescape")
    return {"base64": None if data is None else b64encode(data).decode("ascii")}


async def status(side: Side, _params: requests.Nothing, _: Audience) -> Json:
    """The version, the branches and the servers."""
    session = side.host.session
    return {
        "version": __version__,
        "wire": WIRE,
        **status_json(session, side.live_base.now, await session.pool.status()),
    }
