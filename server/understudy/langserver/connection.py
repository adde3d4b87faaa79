"""JSON-RPC over a child's pipes: framing, requests by id, arrival order kept.

Written for this project because evidence depends on it: pygls' client never waits for a slow reader
and hides the order of messages, and importing lsprotocol would dominate a cold start.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Literal

from understudy.langserver.json_values import Json, fields_of
from understudy.langserver.methods import CANCEL_REQUEST
from understudy.langserver.waiting import result_by

Recorder = Callable[[Literal["sent", "received"], "dict[str, Json]"], None]
"""Sees every message in the order of its sending or arrival."""

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_MAX_DIGITS = 20
_TURN_S = 0.004
_HELD_BYTES = 64 * 1024

_BROKEN = (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)
"""What looking at a message raises that is not as the protocol has it: of another shape, a text
that is none (half a surrogate pair), numbers too long, without an end or none, too deep."""

_log = logging.getLogger(__name__)


class Dead(Exception):
    """The connection is over; the text says why."""


class ErrorAnswer(Exception):
    """The server answered a request with an error."""

    def __init__(self, code: int, message: str, data: Json) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class Connection:
    """One server's pipes. `serve` reads until the end; everything else is called meanwhile."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_message: Callable[[dict[str, Json]], None],
        recorder: Recorder | None = None,
    ) -> None:
        self.dead: str | None = None
        self.n_received = 0
        self._reader = reader
        self._writer = writer
        self._on_message = on_message
        self._recorder = recorder
        self._pending: dict[int, asyncio.Future[Json]] = {}
        self._last_id = 0
        self._unwritten = bytearray()

    async def serve(self) -> None:
        """Read and dispatch messages until the server ends or breaks the protocol."""
        loop = asyncio.get_running_loop()
        turn_began = loop.time()
        try:
            while True:
                if loop.time() - turn_began > _TURN_S:
                    # Buffered messages never suspend the reader; let the editor's events through.
                    await asyncio.sleep(0)
                    turn_began = loop.time()
                self._dispatch(await read_message(self._reader))
        except Dead as end:
            self.declare_dead(str(end))
        except OSError as error:
            self.declare_dead(f"its output cannot be read: {error}")
        except _BROKEN as error:
            # The boundary to a foreign program: whatever it sent, only its own connection ends.
            _log.debug("a message that breaks the protocol", exc_info=True)
            self.declare_dead(f"it sent a message that breaks the protocol: {error!r}")
        finally:
            self.declare_dead("the connection was closed")

    def declare_dead(self, reason: str) -> None:
        """End the connection; the first reason stays, pending requests fail with it."""
        if self.dead is not None:
            return
        self.dead = reason
        for future in self._pending.values():
            if not future.done():
                future.set_exception(Dead(reason))
                future.exception()  # its owner may be gone: then nobody else would ask
        self._pending.clear()
        self._on_message({})

    def notify(self, method: str, params: Json) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def respond(self, request_id: Json, result: Json) -> None:
        """Answer a request of the server's."""
        self._send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def refuse(self, request_id: Json, code: int, message: str) -> None:
        """Answer a request of the server's with an error."""
        error = {"code": code, "message": message}
        self._send({"jsonrpc": "2.0", "id": request_id, "error": error})

    async def request(self, method: str, params: Json, deadline: float) -> Json:
        """The result of a request; `deadline` in loop time.

        Raises Dead, ErrorAnswer, or asyncio.TimeoutError; a request that nobody waits for any more
        is cancelled at the server, and its late answer is ignored by its id.
        """
        self._last_id += 1
        request_id = self._last_id
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        self._pending[request_id] = future
        try:
            return await result_by(future, deadline)
        finally:
            if self._pending.pop(request_id, None) is not None and self.dead is None:
                self.notify(CANCEL_REQUEST, {"id": request_id})

    async def drain(self, deadline: float) -> None:
        """Wait until the server has taken most of what was sent; raises asyncio.TimeoutError."""
        if len(self._unwritten) > _HELD_BYTES:
            self.flush()
        if self._writer.transport.get_write_buffer_size() == 0:
            return
        loop = asyncio.get_running_loop()
        try:
            await asyncio.wait_for(self._writer.drain(), max(deadline - loop.time(), 0.001))
        except asyncio.TimeoutError:
            raise  # an OSError since Python 3.11
        except OSError as error:
            self.declare_dead(f"it no longer takes input: {error}")

    def _send(self, message: dict[str, Json]) -> None:
        if self.dead is not None:
            raise Dead(self.dead)
        if self._recorder is not None:
            self._recorder("sent", message)
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        if not self._unwritten:
            asyncio.get_running_loop().call_soon(self.flush)
        self._unwritten += b"Content-Length: %d\r\n\r\n" % len(body) + body

    def flush(self) -> None:
        """Write what was sent in this turn of the loop, at once.

        Woken by a new text alone, a server would begin to work on it before it reads the question
        that follows.
        """
        if self._unwritten:
            held, self._unwritten = self._unwritten, bytearray()
            self._writer.write(held)

    def _dispatch(self, message: dict[str, Json]) -> None:
        self.n_received += 1
        if self._recorder is not None:
            self._recorder("received", message)
        if "method" in message:
            self._on_message(message)
            return
        future = self._pending.pop(message.get("id") or 0, None)
        if future is None or future.done():
            _log.debug("an answer that nobody waits for: id %r", message.get("id"))
        elif "error" in message:
            future.set_exception(_error_answer(message["error"]))
        elif "result" in message:
            future.set_result(message["result"])
        else:
            future.set_exception(ErrorAnswer(0, "an answer without result and error", None))


async def read_message(reader: asyncio.StreamReader) -> dict[str, Json]:
    """The next message; raises Dead at the end of the stream and on anything malformed."""
    try:
        header = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if end.partial.strip():
            raise Dead(f"it wrote something that is no message: {_shown(end.partial)}") from end
        raise Dead("it closed its output") from end
    except asyncio.LimitOverrunError as error:
        raise Dead("it wrote something that is no message") from error
    length = _content_length(header)
    try:
        body = await reader.readexactly(length)
    except asyncio.IncompleteReadError as end:
        raise Dead("it ended in the middle of a message") from end
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Dead(f"it sent invalid JSON: {_shown(body)}") from error
    if not isinstance(message, dict):
        raise Dead(f"it sent a message that is no object: {_shown(body)}")
    return fields_of(message)


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        value = value.strip()
        if colon and name.strip().lower() == b"content-length" and value.isdigit():
            if len(value) > _MAX_DIGITS or int(value) > MAX_MESSAGE_BYTES:
                raise Dead(f"it announced a message of {value[:60].decode('ascii')} bytes")
            return int(value)
    raise Dead(f"it wrote something that is no message header: {_shown(header)}")


def _shown(data: bytes) -> str:
    return ascii(data[:60].decode("utf-8", "replace"))


def _error_answer(error: Json) -> ErrorAnswer:
    fields = fields_of(error)
    code = fields.get("code")
    return ErrorAnswer(
        code if isinstance(code, int) else 0, str(fields.get("message")), fields.get("data")
    )
