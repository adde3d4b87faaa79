"""The user's editor as a process of its own: stands before a language server and types into it.

Everything that its client sends goes on to the server, and the server's answers back, so that the
client is the agents' side and its own work (many answers to read) delays no keystroke's clock.
A request of the client's with the method `typist/type` {uri, lines, n, pause_s} types n times: a
`didChange`, right behind it a small request, which the server takes up when the change has been
handled. It answers a list with a keystroke each: seconds from the change's writing to the answer's
arrival, and how long in that time the server and this process ran and waited for a core.
It imports nothing of the product. Usage: python typist.py COMMAND...
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

METHOD = "typist/type"
_PROBE = "understudy/branch/list"
_LIMIT = 64 * 1024 * 1024


class Typist:
    """Relays frames; `type` puts its own between them."""

    def __init__(self, server: asyncio.subprocess.Process, client: asyncio.StreamWriter) -> None:
        self._server = server
        self._client = client
        self._version = 1
        self._answered: asyncio.Future[float] | None = None

    async def relay_requests(self, reader: asyncio.StreamReader) -> None:
        """Everything that the client sends, until it goes away."""
        typing: set[asyncio.Task[None]] = set()
        while (body := await _frame(reader)) is not None:
            if METHOD.encode() in body:
                task = asyncio.create_task(self._type(json.loads(body)))
                typing.add(task)
                task.add_done_callback(typing.discard)
            else:
                _send(self._server.stdin, body)
        assert self._server.stdin is not None
        self._server.stdin.close()

    async def relay_answers(self) -> None:
        """Everything that the server sends, until it ends; the probes' answers stay here."""
        assert self._server.stdout is not None
        while (body := await _frame(self._server.stdout)) is not None:
            if b'"typist"' in body and self._answered is not None:
                self._answered.set_result(time.perf_counter())
            else:
                _send(self._client, body)

    async def _type(self, request: dict[str, Any]) -> None:
        params = request["params"]
        keystrokes: list[dict[str, float]] = []
        for _ in range(params["n"]):
            keystrokes.append(await self._keystroke(params["uri"], params["lines"]))
            await asyncio.sleep(params["pause_s"])
        _send_json(self._client, {"id": request["id"], "result": keystrokes})

    async def _keystroke(self, uri: str, lines: int) -> dict[str, float]:
        self._version += 1
        place = {"line": self._version % lines, "character": 0}
        change = {
            "textDocument": {"uri": uri, "version": self._version},
            "contentChanges": [{"range": {"start": place, "end": place}, "text": "#"}],
        }
        self._answered = asyncio.get_running_loop().create_future()
        server, own = _core_times(self._server.pid), _core_times("self")
        began = time.perf_counter()
        _send_json(self._server.stdin, {"method": "textDocument/didChange", "params": change})
        _send_json(self._server.stdin, {"id": "typist", "method": _PROBE, "params": {}})
        ended = await self._answered
        server_then, own_then = _core_times(self._server.pid), _core_times("self")
        return {
            "taken_s": ended - began,
            "server_ran_s": server_then[0] - server[0],
            "server_waited_s": server_then[1] - server[1],
            "own_waited_s": own_then[1] - own[1],
        }


def _core_times(process: int | str) -> tuple[float, float]:
    """Seconds that the process' main thread has run, and has waited for a core; Linux only."""
    try:
        ran, waited, _ = Path(f"/proc/{process}/schedstat").read_text().split()
    except OSError:
        return 0.0, 0.0
    return int(ran) / 1e9, int(waited) / 1e9


async def _frame(reader: asyncio.StreamReader) -> bytes | None:
    """The next message's body, None at the end."""
    try:
        header = await reader.readuntil(b"\r\n\r\n")
        length = int(header.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        return None


def _send_json(writer: asyncio.StreamWriter | None, message: dict[str, Any]) -> None:
    _send(writer, json.dumps({"jsonrpc": "2.0", **message}).encode())


def _send(writer: asyncio.StreamWriter | None, body: bytes) -> None:
    assert writer is not None
    writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


async def main() -> None:
    """Relay until the server has ended; it does so when its client goes away."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LIMIT)
    protocol = asyncio.StreamReaderProtocol(reader)
    await loop.connect_read_pipe(lambda: protocol, sys.stdin)
    transport, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, flow, None, loop)
    server = await asyncio.create_subprocess_exec(
        *sys.argv[1:], stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LIMIT
    )
    typist = Typist(server, writer)
    requests = asyncio.create_task(typist.relay_requests(reader))
    await typist.relay_answers()
    await server.wait()
    requests.cancel()


if __name__ == "__main__":
    asyncio.run(main())
