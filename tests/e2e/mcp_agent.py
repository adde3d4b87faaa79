"""An agent that calls `understudy mcp` through the official SDK, in a process of its own."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.e2e.folders import TESTS, UNDERSTUDY, child_environment
from tests.support.servers import python_packages

SECONDS = 180.0


class Agent:
    """Calls tools; every answer is a text, and whether it is an error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
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
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if "id" in message:
                self._answers[message["id"]].set_result(message)
            else:
                self.progress.append(message)


@asynccontextmanager
async def open_agent(
    state: Path, *arguments: str, sdk: int = 2, cwd: Path, root: Path | None = None
) -> AsyncIterator[Agent]:
    """An agent whose harness has started `understudy mcp` with these arguments."""
    packages = python_packages(f"mcp-client-{sdk}")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c",
        "import sys; sys.path.insert(0, sys.argv.pop(1)); sys.argv.pop(0); "
        "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')",
        str(packages), str(TESTS / "support" / "mcp_client.py"), str(root or "-"),
        *UNDERSTUDY, "mcp", *arguments,
        cwd=cwd,
        env=child_environment(state),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )  # fmt: skip
    agent = Agent(process)
    reading = None
    try:
        assert process.stdout is not None
        agent.hello = json.loads(await asyncio.wait_for(process.stdout.readline(), SECONDS))
        reading = asyncio.create_task(agent.read())
        yield agent
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), SECONDS)
    finally:
        if reading is not None:
            reading.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
