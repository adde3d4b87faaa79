"""Calls: what the command line and MCP ask of a host, in their own process or through its door.

Each call structures its params, calls one verb, and answers a JSON object; texts are made here, by
the host, which has the snapshots that they quote. Over the door a message is a frame of JSON:
`{id, call, params}` or `{cancel: id}` one way; `{id, result}`, `{id, error}`, `{id, progress}`,
`{id, placed}`, `{id, told}` or `{id, live}` (a command's output, in base 64) the other.
"""

from __future__ import annotations

import asyncio
import json
import os
from base64 import b64encode
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from pathlib import Path

from understudy.app.host.door import FaceName, Visitor
from understudy.app.host.host import Host
from understudy.faces.answers.sound_json import error_json
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Asker, Json
from understudy.faces.calls.table import answer
from understudy.faces.frames import frame, read_frame
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.json_input import id_in, read_object
from understudy.workspace.progress import Audience, Stream

_LINGER_SECONDS = 10.0
_ASKERS: Mapping[FaceName, Asker] = {"agent": "agent", "rehearsal": "rehearsal"}


async def serve_calls(host: Host, visitor: Visitor) -> None:
    """Answer a visitor's calls until it goes away; what it has asked for then ends with it."""
    conversation = Conversation(
        host, _ASKERS.get(visitor.face, "user"), network=visitor.network, bound=visitor.branch
    )
    line = _Line(conversation, visitor.writer)
    try:
        while (body := await read_frame(visitor.reader)) is not None:
            line.take(body)
    finally:
        await line.close()
        await conversation.end()


class _Line:
    """The calls of one visitor that are being answered."""

    def __init__(self, conversation: Conversation, writer: asyncio.StreamWriter) -> None:
        self._conversation = conversation
        self._spawn = conversation.host.session.tasks.spawn
        self._writer = writer
        self._running: dict[int, asyncio.Task[None]] = {}

    def take(self, body: bytes) -> None:
        try:
            message = read_object(body, "message")
        except BadInput as error:
            self._say({"id": id_in(body), "error": error_json(error)})
            return
        number, cancelled = message.get("id"), message.get("cancel")
        if isinstance(cancelled, int) and cancelled in self._running:
            self._running[cancelled].cancel()
        if isinstance(number, int) and number not in self._running:
            task = self._spawn(self._answer(number, message), f"call {message.get('call')}")
            self._running[number] = task
            task.add_done_callback(lambda _: self._running.pop(number, None))

    async def close(self) -> None:
        running = set(self._running.values())
        for task in running:  # a check that is cancelled frees its leases
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=_LINGER_SECONDS)

    async def _answer(self, number: int, message: Json) -> None:
        try:
            name, params = str(message.get("call")), message.get("params")
            result = await answer(self._conversation, name, params, self._audience(number))
            self._say({"id": number, "result": result})
        except UnderstudyError as error:
            self._say({"id": number, "error": error_json(error)})
        except asyncio.CancelledError:
            ended = OutsideFailure("cancelled", "the call was cancelled, or the host has ended")
            self._say({"id": number, "error": error_json(ended)})
            raise

    def _audience(self, number: int) -> Audience:
        def progress(text: str, done: int, total: int) -> None:
            self._say({"id": number, "progress": [text, done, total]})

        def placed(place: Path) -> None:
            self._say({"id": number, "placed": os.fspath(place)})

        def told(line: str) -> None:
            self._say({"id": number, "told": line})

        def live(stream: Stream, data: bytes) -> Awaitable[None]:
            text = b64encode(data).decode("ascii")
            self._say({"id": number, "live": [stream, text]})
            return self._taken()

        return Audience(progress, live, placed, told)

    async def _taken(self) -> None:
        """Wait until the visitor has taken most of what was said."""
        with suppress(ConnectionError):  # it has gone, and what it has asked for ends
            await self._writer.drain()

    def _say(self, message: Json) -> None:
        if not self._writer.is_closing():
            self._writer.write(frame(json.dumps(message).encode()))
