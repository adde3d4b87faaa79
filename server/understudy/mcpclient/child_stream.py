"""The SDK's streams over a program that was started through our own door to processes."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from understudy.process.launch import Child

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

    Streams = tuple[
        MemoryObjectReceiveStream[SessionMessage | Exception],
        MemoryObjectSendStream[SessionMessage],
    ]

MOST_LINE_BYTES = 64 * 1024 * 1024
"""A longer message ends the connection."""

_CHUNK = 256 * 1024
log = logging.getLogger(__name__)


@asynccontextmanager
async def child_streams(child: Child) -> AsyncGenerator[Streams, None]:
    """One JSON-RPC message a line each way; lines that are none are skipped, and logged."""
    import anyio  # noqa: PLC0415 - loaded where it is used
    from mcp.shared.message import SessionMessage  # noqa: PLC0415 - as above

    into, messages = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    outgoing, out = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with into:
            async for line in _lines(child):
                message = _message(line)
                if message is None:
                    if line.strip():
                        log.warning("process %d printed what is no message", child.pid)
                    continue
                try:
                    await into.send(SessionMessage(message))
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    return

    async def write() -> None:
        async with out:
            async for item in out:
                body = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    child.stdin.write(body.encode() + b"\n")
                    await child.stdin.drain()
                except (ConnectionError, RuntimeError):
                    await into.aclose()  # whoever waits for an answer sees the end
                    return

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield messages, outgoing
        finally:
            group.cancel_scope.cancel()
            for stream in (into, messages, outgoing, out):
                stream.close()


async def _lines(child: Child) -> AsyncGenerator[bytes, None]:
    """Whole lines of any length up to the limit; the rest without an end is no message."""
    pieces: list[bytes] = []
    held = 0
    while data := await child.stdout.read(_CHUNK):
        *whole, rest = data.split(b"\n")
        for line in whole:
            yield b"".join([*pieces, line])
            pieces, held = [], 0
        pieces.append(rest)
        held += len(rest)
        if held > MOST_LINE_BYTES:
            log.error("process %d sent a message of more than %d bytes", child.pid, MOST_LINE_BYTES)
            return


def _message(line: bytes):  # noqa: ANN202 - one of the SDK's messages, which load when they are used
    import mcp_types as types  # noqa: PLC0415 - as above

    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None
