"""A client of `understudy mcp` that says any bytes, and reads what comes back for each id."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.e2e.folders import UNDERSTUDY, child_environment

SECONDS = 180.0
VERSION = "2025-06-18"


class RawClient:
    """Speaks the handshake protocol; `roots` is what it says it has open."""

    def __init__(self, process: asyncio.subprocess.Process, roots: list[Path]) -> None:
        self.process = process
        self.roots = roots
        self._answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._kept: dict[Any, dict[str, Any]] = {}

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")

    def send(self, message: dict[str, Any]) -> None:
        self.say(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def answer_to(self, number: object) -> dict[str, Any]:
        """The answer with this id."""
        while number not in self._kept:
            message = await asyncio.wait_for(self._answers.get(), SECONDS)
            self._kept[message.get("id")] = message
        return self._kept.pop(number)

    async def call(self, number: int, tool: str, /, **arguments: Any) -> str:
        """A tool's text, refusals too."""
        params = {"name": tool, "arguments": arguments}
        self.send({"id": number, "method": "tools/call", "params": params})
        return text_of(await self.answer_to(number))

    async def begin(self) -> None:
        capabilities = {"roots": {"listChanged": True}} if self.roots else {}
        client = {"name": "raw", "version": "0"}
        params = {"protocolVersion": VERSION, "capabilities": capabilities, "clientInfo": client}
        self.send({"id": 0, "method": "initialize", "params": params})
        assert "result" in await self.answer_to(0)
        self.send({"method": "notifications/initialized"})

    async def read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message = json.loads(line)
            if message.get("method") == "roots/list":
                listed = [{"uri": root.as_uri()} for root in self.roots]
                self.send({"id": message["id"], "result": {"roots": listed}})
            elif "method" not in message:
                self._answers.put_nowait(message)


def text_of(answer: dict[str, Any]) -> str:
    """What an agent reads of an answer, whichever form it has."""
    if "error" in answer:
        return str(answer["error"]["message"])
    return str(answer["result"]["content"][0]["text"])


@asynccontextmanager
async def open_raw(
    state: Path, *arguments: str, cwd: Path, roots: list[Path] | None = None
) -> AsyncIterator[RawClient]:
    """A client whose user has started `understudy mcp` with these arguments."""
    process = await asyncio.create_subprocess_exec(
        *UNDERSTUDY, "mcp", *arguments,
        cwd=cwd,
        env=child_environment(state),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )  # fmt: skip
    client = RawClient(process, roots or [])
    reading = asyncio.create_task(client.read())
    try:
        await client.begin()
        yield client
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), SECONDS)
    finally:
        reading.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
