"""The request `understudy/branch/run`: a command on a stage, its output as it comes, a receipt."""

from __future__ import annotations

import codecs
from typing import Any

from lsprotocol import types as lsp

from understudy.app.progress import Live, Stream, unheard
from understudy.app.run import RunOptions, run
from understudy.faces import params as wire
from understudy.faces.lsp_server import UnderstudyServer
from understudy.faces.receipt import receipt_json
from understudy.faces.run_options import limits_of
from understudy.stage.model import MIB
from understudy.values.errors import BadInput

LIVE_CAP = 4 * MIB
"""Bytes of an output that are sent as they come; what is beyond lies in the file alone."""


async def run_on_branch(server: UnderstudyServer, params: wire.RunOnBranch) -> dict[str, Any]:
    """Run it to its end; the answer is the receipt."""
    for name in ("memory", "processes", "disk"):
        value = getattr(params, name)
        if value is not None and value < 1:
            raise BadInput("bad-params", "a limit is at least 1", name)
    options = RunOptions(
        argv=params.command,
        cwd=params.cwd,
        env=params.env,
        network=params.network,
        limits=limits_of(params.memory, params.processes, params.disk),
        seconds=params.timeout,
        shared=params.stage,
        keep=params.keep,
        patch="beside" if params.patch else None,
        adopt=params.adopt,
    )
    live = _live(server, params.partialResultToken)
    session, base = server.host.session, server.live_base
    return receipt_json(await run(session, params.branch, options, live, live_base=base))


def _live(server: UnderstudyServer, token: str | int | None) -> Live:
    """Sends each piece of text under the token; a character in two pieces is put together."""
    if token is None:
        return unheard
    decoders = {
        stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in ("stdout", "stderr")
    }
    room = LIVE_CAP

    def send(value: dict[str, Any]) -> None:
        server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token=token, value=value))

    def live(stream: Stream, data: bytes) -> None:
        nonlocal room
        if room <= 0:
            return
        text = decoders[stream].decode(data[:room])
        room -= len(data)
        if text:
            send({"stream": stream, "text": text})
        if room <= 0:
            send({"stream": stream, "text": "", "cut": True})

    return live
