"""What an MCP client says on stdin, line by line: each request gets an answer, whatever it holds.

The SDK's own reader drops a line that it cannot read, and the client waits for ever.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from understudy.values.errors import BadInput
from understudy.values.json_input import id_in, may_be_unsound, read_json, refuse_unsound

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.shared._stream_protocols import WriteStream
    from mcp.shared.message import SessionMessage

_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
"""JSON-RPC 2.0, "Error object"."""
Refusals = dict[str | int, BadInput]
log = logging.getLogger(__name__)


@asynccontextmanager
async def stdio_streams(
    refusals: Refusals,
) -> AsyncGenerator[tuple[Incoming, WriteStream[SessionMessage]]]:
    """The messages that come, and where answers go.

    A tool's call whose arguments no tool can take comes without them; why that is stands in
    `refusals`, by the id of the call, so that it is answered as tools answer.
    """
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - it takes half a second to load

    async with stdio_server(stdin=cast("Any", _nothing())) as (silent, outgoing):
        await silent.aclose()
        yield Incoming(outgoing, refusals), outgoing


class Incoming:
    """The messages of stdin, as the SDK takes them; what is none is answered here."""

    def __init__(self, outgoing: WriteStream[SessionMessage], refusals: Refusals) -> None:
        self._outgoing = outgoing
        self._refusals = refusals
        self._lines = _Lines()

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> SessionMessage:
        from mcp.shared.message import SessionMessage  # noqa: PLC0415 - see above

        while line := await self._lines.next():
            if not line.strip():
                continue
            try:
                return SessionMessage(_message(line, self._refusals))
            except _Unreadable as refusal:
                log.warning("a message of the client was refused: %s", refusal.error)
                await self._outgoing.send(SessionMessage(refusal.answer()))
        raise StopAsyncIteration

    async def receive(self) -> SessionMessage:
        """The next message."""
        return await self.__anext__()

    async def aclose(self) -> None:
        """Nothing is to be done: the process ends with its client."""

    async def __aenter__(self) -> Incoming:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Lines:
    """The lines of stdin, each read when the one before has been taken.

    A thread of its own waits for them, whose end nobody waits for: where stdin is a console or a
    pipe of Windows, nothing else can.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        self._has_ended = False
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def next(self) -> bytes:
        """The next line with its end; empty at the end of the stream, however often asked."""
        if self._has_ended:
            return b""
        self._wanted.release()
        line = await self._arrived.get()
        self._has_ended = not line
        return line

    def _read(self) -> None:
        line = b"-"
        while line:
            self._wanted.acquire()
            try:
                line = sys.stdin.buffer.readline()
            except (OSError, ValueError):  # it was closed
                line = b""
            with suppress(RuntimeError):  # the loop has ended: nobody wants it any more
                self._loop.call_soon_threadsafe(self._arrived.put_nowait, line)


async def _nothing() -> AsyncGenerator[str]:
    return
    yield ""


class _Unreadable(Exception):
    """What came is no message; `number` is its id, as far as it has one."""

    def __init__(self, error: BadInput, code: int, number: str | int | None) -> None:
        super().__init__(str(error))
        self.error, self.code, self.number = error, code, number

    def answer(self) -> Any:  # noqa: ANN401 - the SDK's, which is loaded late
        """What the client is told; it is the answer to its request where that has an id."""
        import mcp_types as types  # noqa: PLC0415 - see above

        error = self.error
        data = {"code": error.code, "text": error.text, "where": error.where}
        told = types.ErrorData(code=self.code, message=f"{error.code}: {error}", data=data)
        return types.JSONRPCError(jsonrpc="2.0", id=self.number, error=told)


def _message(line: bytes, refusals: Refusals) -> Any:  # noqa: ANN401 - the SDK's, which is loaded late
    """The message of a line, as the SDK has it; raises _Unreadable."""
    import mcp_types as types  # noqa: PLC0415 - see above

    try:
        raw = read_json(line, "message")
    except BadInput as error:
        raise _Unreadable(error, _PARSE_ERROR, id_in(line)) from error
    table = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    number = table.get("id")
    known = number if isinstance(number, str | int) and not isinstance(number, bool) else None
    try:
        if may_be_unsound(line):
            known = known if isinstance(known, int) else id_in(line)
            _refuse_unsound(table, known, refusals)
        _refuse_id(table, known)
        return types.jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except BadInput as error:
        raise _Unreadable(error, _INVALID_REQUEST, known) from error
    except ValueError as error:
        refusal = BadInput("bad-request", "this is no message of JSON-RPC 2.0", "message")
        raise _Unreadable(refusal, _INVALID_REQUEST, known) from error


def _refuse_id(table: dict[str, Any], number: str | int | None) -> None:
    """Raise BadInput `bad-request` for an id that is none: the SDK would see a notification."""
    if "id" in table and number is None:
        raise BadInput("bad-request", "an id is a text or a whole number", "message.id")


def _refuse_unsound(table: dict[str, Any], number: str | int | None, refusals: Refusals) -> None:
    """Raise BadInput `not-text`; a tool's call is let through, for its tool to answer."""
    params: object = table.get("params")
    if table.get("method") == "tools/call" and isinstance(params, dict) and number is not None:
        call = cast("dict[str, Any]", params)
        try:
            refuse_unsound(call.get("arguments"), "arguments")
        except BadInput as error:
            call["arguments"] = {}
            refusals[number] = error
    refuse_unsound(table, "message")
