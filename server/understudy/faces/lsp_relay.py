"""An attached `understudy lsp`: passes messages between the client and the host.

If the host ends, every request that it has not answered gets an error, and this process ends too:
the client's next start finds no host, and becomes it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any, cast

from understudy.app.attach import Attached
from understudy.faces.frames import FrameReader, frame, read_frame

_REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: valid, but it could not be done."""
_LINGER_SECONDS = 15.0
"""How long the host may take to end what this client has asked."""


async def relay(first: bytes, client: FrameReader, host: Attached) -> int:
    """Pass everything on, `first` before all; returns the exit code when either side has gone."""
    passing = _Passing(host)
    passing.to_host(first)
    up = asyncio.ensure_future(passing.client_to_host(client))
    down = asyncio.ensure_future(passing.host_to_client())
    try:
        await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
        if up.done() and not up.cancelled():
            await asyncio.wait([down], timeout=_LINGER_SECONDS)
    finally:
        up.cancel()
        down.cancel()
        await asyncio.gather(up, down, return_exceptions=True)
        await host.close()
    if passing.is_over:
        return 0 if passing.shut_down else 1
    passing.fail_the_rest()
    sys.stderr.write("understudy: host-ended: the host that this server was attached to has gone\n")
    return 1


class _Passing:
    """What goes through, and which requests of the client are not answered yet."""

    def __init__(self, host: Attached) -> None:
        self._host = host
        self._pending: dict[str | int, str] = {}
        self.is_over = False
        """The client has said `exit`, or has gone away."""
        self.shut_down = False

    def to_host(self, body: bytes) -> None:
        self._host.writer.write(frame(body))  # before it is read: the host works meanwhile
        message = _read(body)
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str) and isinstance(number, str | int):
            self._pending[number] = method
        self.shut_down |= method == "shutdown"
        self.is_over |= method == "exit"

    async def client_to_host(self, client: FrameReader) -> None:
        while not self.is_over and (body := await read_frame(client)) is not None:
            self.to_host(body)
            with suppress(ConnectionError):  # the other direction sees it too
                await self._host.writer.drain()
        self.is_over = True
        with suppress(OSError):
            self._host.writer.write_eof()

    async def host_to_client(self) -> None:
        while (body := await read_frame(self._host.reader)) is not None:
            _tell_client(body)
            message = _read(body)
            if "method" not in message:
                self._pending.pop(cast("str | int", message.get("id")), None)

    def fail_the_rest(self) -> None:
        text = "the host has ended; start again"
        for number, method in self._pending.items():
            data = {"code": "host-ended", "text": text, "where": method}
            error = {"code": _REQUEST_FAILED, "message": text, "data": data}
            answer = {"jsonrpc": "2.0", "id": number, "error": error}
            _tell_client(json.dumps(answer).encode())


def _read(body: bytes) -> dict[str, Any]:
    """The message; what is none goes through as it is, the other side says so."""
    try:
        message: object = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", message) if isinstance(message, dict) else {}


def _tell_client(body: bytes) -> None:
    with suppress(BrokenPipeError):  # the client is gone; the other direction sees it too
        sys.stdout.buffer.write(frame(body))
        sys.stdout.buffer.flush()
