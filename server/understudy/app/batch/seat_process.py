"""The program of a seat's process: lots on standard input, rows on standard output, until told to
end or the driver is gone.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from understudy.app.batch.seat import JudgingSeat, SeatTerms
from understudy.workspace.worker_process import FRAME


def main(folder: str, terms: str) -> None:
    """Judge what comes; `folder` is this seat's own, `terms` are `SeatTerms` as JSON."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between the rows
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(Path(folder), terms_of(json.loads(terms)), answers))


def terms_of(raw: dict[str, Any]) -> SeatTerms:
    """The terms that came as JSON."""
    fields: dict[str, Any] = {**raw, "command": tuple(raw["command"])}
    return SeatTerms(**fields)


async def _serve(folder: Path, terms: SeatTerms, answers: BinaryIO) -> None:
    serving = asyncio.ensure_future(_judge_all(folder, terms, answers))
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows has no such handlers
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, serving.cancel)
    with suppress(asyncio.CancelledError):
        await serving


async def _judge_all(folder: Path, terms: SeatTerms, answers: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    lots = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lots), sys.stdin)
    seat = JudgingSeat(folder, terms)
    try:
        _say(answers, {"ready": True})
        while (lot := await read_message(lots)) is not None:
            judging = seat.judge(lot["repo"], Path(lot["mirror"]), lot["revision"], lot["rows"])
            async for row in judging:
                _say(answers, row or {"opened": True})
            _say(answers, {"end": True})
    except (BrokenPipeError, ConnectionError):
        return  # the driver is gone
    finally:
        await seat.close()


async def read_message(stream: asyncio.StreamReader) -> dict[str, Any] | None:
    """The next message; None once the other end is gone."""
    try:
        (length,) = FRAME.unpack(await stream.readexactly(FRAME.size))
        return cast("dict[str, Any]", json.loads(await stream.readexactly(length)))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def framed(message: dict[str, Any]) -> bytes:
    """A message as it goes over a pipe."""
    body = json.dumps(message).encode()
    return FRAME.pack(len(body)) + body


def _say(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(framed(message))
    answers.flush()
