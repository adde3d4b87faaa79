"""What a client hears of a request before its answer, under the tokens that the request brought."""

from __future__ import annotations

import codecs
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from understudy.faces.answers.check import first_wave_json
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import FirstWave
from understudy.workspace.progress import (
    Audience,
    Live,
    Stream,
    TellFirst,
    silent,
    unawaited,
    unheard,
)

LIVE_CAP = 4 * 1024 * 1024
"""Bytes of an output that are sent as they come; what is beyond lies in the file alone."""


@asynccontextmanager
async def audience_of(
    server: LanguageServer, method: str, params: object
) -> AsyncGenerator[Audience, None]:
    """The client, while the body runs; nobody for what it gave no token for."""
    partial = getattr(params, "partialResultToken", None)
    live, first = _live(server, partial), _first(server, partial)
    token: str | int | None = getattr(params, "workDoneToken", None)
    if token is None:
        yield Audience(silent, live, first=first)
        return
    progress = server.work_done_progress

    def report(message: str, done: int, total: int) -> None:
        percentage = round(100 * done / total) if total else None
        progress.report(token, lsp.WorkDoneProgressReport(message=message, percentage=percentage))

    title = method.rpartition("/")[2]
    progress.begin(token, lsp.WorkDoneProgressBegin(title=title, cancellable=True))
    try:
        yield Audience(report, live, first=first)
    finally:
        progress.end(token, lsp.WorkDoneProgressEnd())


def _first(server: LanguageServer, token: str | int | None) -> TellFirst:
    """Sends what the files nearest to an edit bring under the token."""
    if token is None:
        return unawaited

    def tell(wave: FirstWave, after: Snapshot) -> None:
        value = first_wave_json(wave, after)
        server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token=token, value=value))

    return tell


def _live(server: LanguageServer, token: str | int | None) -> Live:
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
