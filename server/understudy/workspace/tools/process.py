"""The program of the process that talks to MCP servers: a connection each, kept while it is used.

It is spoken to in frames of JSON on its stdin and stdout: `{id, do: "list"|"call"|"leave", …}` or
`{cancel: id}` one way; `{id, result}`, `{id, error}` or `{changed: name}` the other. It ends, and
ends all servers, when its stdin does. The SDK is loaded here alone.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, BinaryIO, cast

from understudy.mcpclient.connection import ToolConnection, connect
from understudy.mcpclient.model import ToolServerStart
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.workspace.tasks import Tasks
from understudy.workspace.worker_process import FRAME, read_frame

Json = dict[str, Any]
What = Callable[[ToolConnection], Awaitable[Json]]
IDLE_SECONDS = 300.0
"""A server that was not asked anything for so long is ended."""

_LEAVE_SECONDS = 6.0
log = logging.getLogger(__name__)


def main(path: list[str]) -> None:
    """Serve the process that started us; `path` is its `sys.path`."""
    sys.path[:] = path
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not stand between the answers
    asyncio.run(_serve(sys.stdin.buffer, answers))


async def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    board = _Switchboard(answers)
    while (body := await asyncio.to_thread(read_frame, requests)) is not None:
        board.take(cast("Json", json.loads(body)))
    await board.close()


class _Switchboard:
    """Every server by its name, and every request that is being answered."""

    def __init__(self, answers: BinaryIO) -> None:
        self.tasks = Tasks()
        self._answers = answers
        self._lines: dict[str, _Line] = {}
        self._running: dict[int, asyncio.Task[None]] = {}

    def take(self, message: Json) -> None:
        if "cancel" in message:
            running = self._running.get(message["cancel"])
            if running is not None:
                running.cancel()
            return
        number = message["id"]
        self._running[number] = task = self.tasks.spawn(self._answer(message), "answer")
        task.add_done_callback(lambda _: self._running.pop(number, None))

    def say(self, message: Json) -> None:
        body = json.dumps(message).encode()
        self._answers.write(FRAME.pack(len(body)) + body)
        self._answers.flush()

    async def close(self) -> None:
        await asyncio.gather(*(line.leave() for line in self._lines.values()))
        await self.tasks.close()

    async def _answer(self, message: Json) -> None:
        number = message["id"]
        try:
            self.say({"id": number, "result": await self._done(message)})
        except UnderstudyError as error:
            self.say({"id": number, "error": {"code": error.code, "text": error.text}})
        except Exception as error:  # the boundary of the process: the host is told, the log has it
            log.exception("%s failed", message.get("do"))
            text = f"{type(error).__name__}: {error}"
            self.say({"id": number, "error": {"code": "mcp-failed", "text": text}})

    async def _done(self, message: Json) -> Json:
        if message["do"] == "leave":
            line = self._lines.pop(message["name"], None)
            if line is not None:
                await line.leave()
            return {}
        line = await self._line(ToolServerStart.of_json(message["start"]))
        seconds = float(message["seconds"])
        if message["do"] == "list":
            return await line.ask(lambda session: session.tools(), seconds)
        tool, arguments = message["tool"], message["arguments"]
        return await line.ask(lambda session: session.call(tool, arguments), seconds)

    async def _line(self, start: ToolServerStart) -> _Line:
        """The connection to a server, opened if there is none, or if it is to be started anew."""
        line = self._lines.get(start.name)
        if line is not None and line.start == start and not line.is_over:
            return line
        made = self._lines[start.name] = _Line(start, self)
        if line is not None:
            await line.leave()
        return made


class _Line:
    """One server: a task of its own opens the connection, keeps it, and closes it."""

    def __init__(self, start: ToolServerStart, board: _Switchboard) -> None:
        self.start = start
        self._board = board
        self._opened: asyncio.Future[ToolConnection] = asyncio.get_running_loop().create_future()
        self._leaving = asyncio.Event()
        self._used = asyncio.Event()
        self._n_asked = 0
        self._task = board.tasks.spawn(self._keep(), f"server {start.name}")

    @property
    def is_over(self) -> bool:
        """Whether another one is to take its place."""
        return self._task.done() or self._leaving.is_set()

    async def ask(self, what: What, seconds: float) -> Json:
        """An answer; raises what `connect` does, OutsideFailure `mcp-timeout`, `mcp-refused`."""
        self._n_asked += 1
        self._used.set()
        try:
            return await asyncio.wait_for(self._asked(what), seconds)
        except asyncio.TimeoutError:
            text = f"no answer within {seconds:g} s"
            if not self._opened.done():
                self._fail(OutsideFailure("mcp-timeout", text))
                self._task.cancel()
            raise OutsideFailure("mcp-timeout", text) from None
        except OutsideFailure as failure:
            if failure.code in ("mcp-failed", "needs-auth"):
                self._leaving.set()
            raise
        finally:
            self._n_asked -= 1
            self._used.set()

    async def leave(self) -> None:
        """Close the connection and end the server, within a limit."""
        self._leaving.set()
        await asyncio.wait([self._task], timeout=_LEAVE_SECONDS)
        self._task.cancel()

    async def _asked(self, what: What) -> Json:
        return await what(await asyncio.shield(self._opened))

    async def _keep(self) -> None:
        start, board = self.start, self._board
        try:
            async with connect(
                start, board.tasks.spawn, lambda: board.say({"changed": start.name})
            ) as connection:
                if not self._opened.done():
                    self._opened.set_result(connection)
                while not self._leaving.is_set() and await self._is_wanted():
                    pass
                self._leaving.set()
        except OutsideFailure as failure:
            log.warning("server %s: %s", start.name, failure.code)  # its text may hold a secret
            self._fail(failure)
        finally:
            self._fail(OutsideFailure("mcp-failed", "the connection was given up"))

    def _fail(self, failure: OutsideFailure) -> None:
        if not self._opened.done():
            self._opened.set_exception(failure)
            self._opened.exception()  # it is seen, whether anybody waits for it or not

    async def _is_wanted(self) -> bool:
        """Wait until it is time to go, or it was not used for so long."""
        self._used.clear()
        leaving = asyncio.ensure_future(self._leaving.wait())
        used = asyncio.ensure_future(self._used.wait())
        done, waiting = await asyncio.wait(
            [leaving, used], timeout=IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        for wait in waiting:
            wait.cancel()
        return bool(done) or self._n_asked > 0
