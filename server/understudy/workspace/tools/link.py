"""The host's side of the process that talks to MCP servers: started by use, ended when idle.

The SDK takes half a second to load and its checks hold the interpreter lock; a host beside an
editor never waits for either, and what a server sends can end that process alone.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from understudy.mcpclient.model import ToolServerStart
from understudy.process.launch import Child, launch
from understudy.values.errors import OutsideFailure
from understudy.workspace.tasks import Tasks
from understudy.workspace.worker_process import FRAME

Json = dict[str, Any]
IDLE_SECONDS = 900.0
"""That process outlives the servers, which end after five minutes without use."""

_SLACK_SECONDS = 10.0
_GRACE = 8.0
_PROGRAM = (
    "import sys; path = [*sys.argv[1:], *sys.path[1:]]; sys.path[:] = path; "
    "from understudy.workspace.tools.process import main; main(path)"
)
"""Our own libraries first; then the Python's packages, which a bundled host (-S) goes without."""


class ToolServerLink:
    """Asks servers through a process of its own; if that dies, only the open questions fail."""

    def __init__(self, tasks: Tasks, log: Path, changed: Callable[[str], None]) -> None:
        self._tasks = tasks
        self._log = log
        self._changed = changed
        self._starting = asyncio.Lock()
        self._child: Child | None = None
        self._is_heard = False
        """Whether what the process says is read: its end is seen there before its exit is."""
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._idle: asyncio.TimerHandle | None = None

    async def tools(self, start: ToolServerStart, seconds: float) -> Json:
        """`{tools, cut}` as the server lists them.

        Raises OutsideFailure `needs-auth`, `mcp-failed`, `mcp-timeout`, `mcp-missing`,
        `not-installed`, `cannot-start`.
        """
        return await self._ask({"do": "list", "start": start.as_json()}, seconds)

    async def call(
        self, start: ToolServerStart, tool: str, arguments: Mapping[str, object], seconds: float
    ) -> Json:
        """A tool's result as the server sent it; raises as `tools`, and `mcp-refused`."""
        message = {"do": "call", "start": start.as_json(), "tool": tool, "arguments": arguments}
        return await self._ask(message, seconds)

    async def leave(self, name: str) -> None:
        """End a server, if it runs."""
        if self._child is not None and self._child.exit_status is None:
            await self._ask({"do": "leave", "name": name}, _GRACE)

    async def close(self) -> None:
        """End every server and the process, within a limit."""
        if self._idle is not None:
            self._idle.cancel()
        async with self._starting:
            child, self._child = self._child, None
            if child is not None:
                child.stdin.close()
                await child.wait(_GRACE)
                await child.stop(1.0)

    async def _ask(self, message: Json, seconds: float) -> Json:
        child = await self._running()
        number = next(self._ids)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            _say(child, {**message, "id": number, "seconds": seconds})
            told = await asyncio.wait_for(answer, seconds + _SLACK_SECONDS)
        except asyncio.TimeoutError:
            text = f"no answer within {seconds + _SLACK_SECONDS:g} s"
            raise OutsideFailure("mcp-timeout", text) from None
        except asyncio.CancelledError:
            _say(child, {"cancel": number})
            raise
        finally:
            del self._answers[number]
            self._rest()
        if "error" in told:
            raise OutsideFailure(told["error"]["code"], told["error"]["text"])
        return told["result"]

    async def _running(self) -> Child:
        async with self._starting:
            if self._child is not None and self._is_heard and self._child.exit_status is None:
                return self._child
            if self._child is not None:
                await self._child.stop(0)
            path = [part or str(Path.cwd()) for part in sys.path]
            self._child = await launch(
                [sys.executable, "-E", "-c", _PROGRAM, *path],
                cwd=Path(sys.executable).parent, env={}, log=self._log, spawn=self._tasks.spawn,
            )  # fmt: skip
            self._is_heard = True
            self._tasks.spawn(self._read(self._child), "read what tool servers answer")
            return self._child

    async def _read(self, child: Child) -> None:
        try:
            while True:
                (length,) = FRAME.unpack(await child.stdout.readexactly(FRAME.size))
                self._take(cast("Json", json.loads(await child.stdout.readexactly(length))))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # it has ended
        finally:
            if self._child in (child, None):
                self._is_heard = False
                text = f"the process that talks to tool servers has ended; see {self._log}"
                for answer in self._answers.values():
                    if not answer.done():
                        answer.set_exception(OutsideFailure("mcp-failed", text))

    def _take(self, message: Json) -> None:
        if "changed" in message:
            self._changed(message["changed"])
            return
        answer = self._answers.get(message["id"])
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _rest(self) -> None:
        """Begin anew to count the time in which nobody asks."""
        if self._idle is not None:
            self._idle.cancel()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(IDLE_SECONDS, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if not self._answers and self._child is not None:
            self._child.stdin.close()


def _say(child: Child, message: Json) -> None:
    body = json.dumps(message).encode()
    with suppress(ConnectionError, RuntimeError):  # it has ended: `_read` says so
        child.stdin.write(FRAME.pack(len(body)) + body)
