"""Calls: what the command line and MCP ask of a host, in their own process or through its door.

Each call structures its params, calls one verb, and answers a JSON object; texts are made here, by
the host, which has the snapshots that they quote. Over the door a message is a frame of JSON:
`{id, call, params}` or `{cancel: id}` one way; `{id, result}`, `{id, error}`, `{id, progress}`,
`{id, placed}` or `{id, live}` (a command's output, in base 64) the other.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from base64 import b64encode
from collections.abc import Awaitable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from understudy.app.checkpoints import Checkpoint
from understudy.app.door import Visitor
from understudy.app.host import Host
from understudy.app.live_base import LiveBase
from understudy.app.progress import NOBODY, Audience, Stream
from understudy.faces.frames import frame, read_frame
from understudy.faces.sound_json import sound
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError

Caller = Literal["command", "agent"]
Json = dict[str, Any]
_LINGER_SECONDS = 10.0
log = logging.getLogger(__name__)


class Conversation:
    """One caller's side of a host: what it may ask, and the checkpoint that it began with.

    `live_base` is the base of the editor that the caller works in; without one, it works over that
    of the editor that was typed in last.
    """

    def __init__(self, host: Host, caller: Caller, live_base: LiveBase | None = None) -> None:
        self.host = host
        self.caller: Caller = caller
        self.title = "an agent's edits" if live_base is None else "edits of the editor's AI"
        """What a branch of this caller is called."""
        self._live_base = live_base
        self._beginning: asyncio.Task[Checkpoint] | None = None
        if caller == "agent":
            self._beginning = host.session.tasks.spawn(self._begin(), "pin where an agent began")

    @property
    def live_base(self) -> LiveBase:
        """The base that this caller's edits are over."""
        return self._live_base or self.host.session.bases.of_user

    async def began(self) -> Checkpoint:
        """The user's text as it was when this agent came; raises what pinning it has raised."""
        assert self._beginning is not None, "the table lets agents alone ask for it"
        return await asyncio.shield(self._beginning)

    async def end(self) -> None:
        """Drop what was kept for this caller."""
        beginning, self._beginning = self._beginning, None
        if beginning is not None:
            await asyncio.wait([beginning], timeout=_LINGER_SECONDS)
            if beginning.done() and not beginning.cancelled() and beginning.exception() is None:
                self.host.checkpoints.release(beginning.result())

    async def _begin(self) -> Checkpoint:
        base = await self.live_base.fresh()
        checkpoint = await self.host.checkpoints.shared(base)
        self.host.agent_began(self.live_base, base)
        return checkpoint

    async def call(self, name: str, params: object, audience: Audience = NOBODY) -> Json:
        """Answer one call; raises UnderstudyError, whatever happens."""
        from understudy.faces.call_table import CALLS  # noqa: PLC0415 - it names the verbs

        call = CALLS.get(name)
        if call is None:
            raise BadInput("unknown-call", f"there are: {', '.join(CALLS)}", name)
        if self.caller not in call.callers:
            raise Refused("not-for-agents", "only the user decides that", name)
        try:
            return sound(await call.answer(self, call.structured(params), audience))
        except Moved as moved:
            text = "the file changed on disk while it was read; ask again"
            raise OutsideFailure("base-moved", text, moved.path) from moved
        except UnderstudyError:
            raise
        except Exception as error:  # the boundary: the caller is told, the log has the traceback
            log.exception("%s failed", name)
            text = f"{type(error).__name__}: {error}"
            raise OutsideFailure("internal", text, name) from error


async def serve_calls(host: Host, visitor: Visitor) -> None:
    """Answer a visitor's calls until it goes away; what it has asked for then ends with it."""
    conversation = Conversation(host, "agent" if visitor.face == "agent" else "command")
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
        message: Json = {}
        with suppress(ValueError):  # no JSON: as any other message that is none of ours
            raw: object = json.loads(body)
            message = cast("Json", raw) if isinstance(raw, dict) else {}
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
            result = await self._conversation.call(name, params, self._audience(number))
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

        def live(stream: Stream, data: bytes) -> Awaitable[None]:
            text = b64encode(data).decode("ascii")
            self._say({"id": number, "live": [stream, text]})
            return self._taken()

        return Audience(progress, live, placed)

    async def _taken(self) -> None:
        """Wait until the visitor has taken most of what was said."""
        with suppress(ConnectionError):  # it has gone, and what it has asked for ends
            await self._writer.drain()

    def _say(self, message: Json) -> None:
        if not self._writer.is_closing():
            self._writer.write(frame(json.dumps(message).encode()))


def error_json(error: UnderstudyError) -> Json:
    """An error with its kind, so that it is the same one at the other end."""
    told = {"code": error.code, "text": error.text, "where": error.where}
    return {"kind": type(error).__name__, **sound(told)}
