"""An agent that calls `understudy mcp` through the official SDK, in a process of its own."""

from __future__ import annotations

import asyncio
import atexit
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.folders import TESTS, UNDERSTUDY, child_environment
from tests.support.servers import python_packages

SECONDS = 180.0
_RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
sys.argv.pop(0)
import runpy
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Harness:
    """The process of an agent: what it writes is read, until it ends."""

    def __init__(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.pid = number
        self.reader, self.writer = reader, writer
        self.ended = asyncio.Event()
        """Set by who reads what it writes."""

    def kill(self) -> None:
        """End it at once, unless it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> None:
        """Wait for its end."""
        await self.ended.wait()


class Agent:
    """Calls tools; every answer is a text, and whether it is an error."""

    def __init__(self, process: Harness) -> None:
        self.process = process
        self.hello: dict[str, Any] = {}
        self.progress: list[dict[str, Any]] = []
        """What was said before an answer, of the calls that have asked for it."""
        self.wants_progress = False
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def call(self, tool: str, /, **arguments: Any) -> str:
        """The text; an error fails the test."""
        answer = await self.answer(tool, arguments)
        assert not answer["failed"], answer["text"]
        return answer["text"]

    async def refusal(self, tool: str, /, **arguments: Any) -> str:
        """The text of the error that the call must be answered with."""
        answer = await self.answer(tool, arguments)
        assert answer["failed"], answer["text"]
        return answer["text"]

    async def answer(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await asyncio.wait_for(self.pending(tool, arguments)[1], SECONDS)

    def pending(
        self, tool: str, arguments: dict[str, Any]
    ) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Send a call; its id, and the answer to wait for."""
        number = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = future
        call = {"id": number, "tool": tool, "arguments": arguments}
        self.send({**call, "progress": self.wants_progress})
        return number, future

    def send(self, message: dict[str, Any]) -> None:
        self.process.writer.write(json.dumps(message).encode() + b"\n")

    async def read(self) -> None:
        with suppress(ConnectionResetError):  # one that is killed has not read all
            while line := await self.process.reader.readline():
                message = json.loads(line)
                if "id" in message:
                    self._answers[message["id"]].set_result(message)
                else:
                    self.progress.append(message)
        self.process.ended.set()


@asynccontextmanager
async def open_agent(
    state: Path, *arguments: str, sdk: int = 2, cwd: Path, root: Path | None = None
) -> AsyncIterator[Agent]:
    """An agent whose harness has started `understudy mcp` with these arguments."""
    ours, theirs = socket.socketpair()
    wish = {
        "arguments": [str(root or "-"), *UNDERSTUDY, "mcp", *arguments],
        "cwd": str(cwd),
        "environ": child_environment(state),
    }
    with theirs:
        socket.send_fds(harnesses(sdk), [json.dumps(wish).encode()], [theirs.fileno()])
    reader, writer = await asyncio.open_unix_connection(sock=ours, limit=1 << 26)
    reading = None
    process = None
    try:
        number = json.loads(await asyncio.wait_for(reader.readline(), SECONDS))["process"]
        process = Harness(number, reader, writer)
        agent = Agent(process)
        agent.hello = json.loads(await asyncio.wait_for(reader.readline(), SECONDS))
        reading = asyncio.create_task(agent.read())
        yield agent
        writer.write_eof()
        await asyncio.wait_for(process.wait(), SECONDS)
    finally:
        if reading is not None:
            reading.cancel()
        if process is not None and not process.ended.is_set():
            process.kill()
        writer.close()


@cache
def harnesses(sdk: int) -> socket.socket:
    """Where wishes for harnesses go: one process for each test process, as the SDK loads slowly."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = TESTS / "support" / "mcp_client.py"
    with theirs:
        command = [sys.executable, "-c", _RUN, str(python_packages(f"mcp-client-{sdk}")), program]
        process = subprocess.Popen(
            [*command, str(theirs.fileno())],
            cwd="/",
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait(SECONDS)

    atexit.register(end)
    return ours
