"""JSON-RPC with an LSP client, both ways; params and results stay the JSON that they are."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, cast

from understudy.disk.room import system_refusal
from understudy.faces.answers.sound_json import sound, sound_text
from understudy.faces.frames import FrameReader, frame, read_frame
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.json_input import id_in, read_object
from understudy.workspace.tasks import Tasks

Json = dict[str, Any]
Answering = Coroutine[Any, Any, Any]
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
"""JSON-RPC 2.0, "Error object"."""
NOT_INITIALIZED, CANCELLED, CONTENT_MODIFIED, REQUEST_FAILED = -32002, -32800, -32801, -32803
"""LSP 3.17, "ErrorCodes"."""
_CODES: Mapping[str, int] = {
    "not-json": PARSE_ERROR,
    "bad-request": INVALID_REQUEST,
    "unknown-method": METHOD_NOT_FOUND,
    "not-initialized": NOT_INITIALIZED,
    "text-moved": CONTENT_MODIFIED,
}
_END_SECONDS = 5.0
log = logging.getLogger(__name__)


class ClientRefusal(Exception):
    """The client has answered a request of ours with an error, or has gone."""


class Peer:
    """The client: what it asks and tells is handed on in the order in which it comes.

    `begin` gets a request at once, and gives what answers it; `hear` gets what is only told.
    """

    def __init__(self, write: Callable[[bytes], None], tasks: Tasks) -> None:
        self._write = write
        self._tasks = tasks
        self._ids = itertools.count(1)
        self._asked: dict[str, asyncio.Future[Any]] = {}
        self._answering: dict[str | int, asyncio.Task[None]] = {}
        self.is_over = False
        """The client has said `exit`."""

    async def serve(
        self,
        reader: FrameReader,
        begin: Callable[[str, Json], Answering],
        hear: Callable[[str, Json], None],
    ) -> None:
        """Take messages until the client says `exit` or goes away."""
        while not self.is_over and (body := await read_frame(reader)) is not None:
            try:
                self._take(read_object(body, "message"), begin, hear)
            except UnderstudyError as error:
                log.warning("a message of the client was refused: %s", error)
                self._refuse(id_in(body), error)
            except Exception:  # the boundary: the next message may be sound
                log.exception("a message could not be handled")
        for future in self._asked.values():
            if not future.done():
                future.set_exception(ClientRefusal("the client has gone"))
                future.exception()  # nobody may be waiting any more

    def notify(self, method: str, params: Json) -> None:
        """Tell the client."""
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: Json, seconds: float) -> Any:  # noqa: ANN401 - as JSON has it
        """Ask the client; raises ClientRefusal, asyncio.TimeoutError."""
        number = f"understudy-{next(self._ids)}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._send({"id": number, "method": method, "params": params})
        try:
            return await asyncio.wait_for(future, seconds)
        finally:
            del self._asked[number]

    async def end(self) -> None:
        """Give up what is being answered; returns when that has ended, within a limit."""
        answering = list(self._answering.values())
        for task in answering:
            task.cancel()
        if answering:
            await asyncio.wait(answering, timeout=_END_SECONDS)

    def _take(
        self,
        message: Json,
        begin: Callable[[str, Json], Answering],
        hear: Callable[[str, Json], None],
    ) -> None:
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self._take_answer(number, message)
            return
        given: object = message.get("params") or {}
        if not isinstance(given, dict):
            raise BadInput("bad-params", "expected an object", method)
        params = cast("Json", given)
        if not isinstance(number, str | int):
            if method == "exit":
                self.is_over = True
            elif method == "$/cancelRequest":
                task = self._answering.get(params.get("id", ""))
                if task is not None:
                    task.cancel()
            else:
                hear(method, params)
            return
        answering = begin(method, params)
        task = self._tasks.spawn(self._answer(number, method, answering), f"answer {method}")
        self._answering[number] = task
        task.add_done_callback(partial(self._answered, number, answering))

    def _take_answer(self, number: object, message: Json) -> None:
        future = self._asked.get(number) if isinstance(number, str) else None
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(ClientRefusal(str(message["error"])))
        else:
            future.set_result(message.get("result"))

    async def _answer(self, number: str | int, method: str, answering: Answering) -> None:
        try:
            result = await answering
            self._send({"id": number, "result": result})
        except Moved as moved:
            text = "the file changed on disk while it was read; ask again"
            self._refuse(number, OutsideFailure("text-moved", text, moved.path))
        except UnderstudyError as error:
            self._refuse(number, error)
        except Exception as error:  # the boundary: the client is told, the log has the traceback
            log.exception("%s failed", method)
            text = f"{type(error).__name__}: {error}"
            refused = system_refusal(error)
            self._refuse(number, refused or OutsideFailure("internal", text, method))

    def _answered(self, number: str | int, answering: Answering, task: asyncio.Task[None]) -> None:
        self._answering.pop(number, None)
        if task.cancelled():  # perhaps before it has begun
            answering.close()
            data = {"code": "cancelled", "text": "the request was cancelled", "where": None}
            self._fail(number, CANCELLED, "cancelled", data)

    def _refuse(self, number: str | int | None, error: UnderstudyError) -> None:
        otherwise = INVALID_PARAMS if isinstance(error, BadInput) else REQUEST_FAILED
        data = sound({"code": error.code, "text": error.text, "where": error.where})
        self._fail(number, _CODES.get(error.code, otherwise), sound_text(str(error)), data)

    def _fail(self, number: str | int | None, code: int, text: str, data: Json) -> None:
        self._send({"id": number, "error": {"code": code, "message": text, "data": data}})

    def _send(self, message: Json) -> None:
        whole = {"jsonrpc": "2.0", **message}
        try:
            body = json.dumps(whole, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # a byte of a file that is no UTF-8
            body = json.dumps(sound(whole), ensure_ascii=False).encode()
        self._write(frame(body))
