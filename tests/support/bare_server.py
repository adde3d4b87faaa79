"""A language server and the plainest client for it: every file is opened, then it is asked.

The truth that questions about code are compared with; it takes nothing of the product but the
command line and the settings that a profile has for the server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

Json = Any
_LIMIT = 64 * 1024 * 1024
_DEADLINE_S = 120.0


class ServerErrorAnswer(Exception):
    """The server answered a request with an error."""


class BareServer:
    """One process over one folder; `publishes` counts what it has said of each document."""

    def __init__(self, root: Path, settings: Mapping[str, Any]) -> None:
        self.root = root
        self.capabilities: dict[str, Any] = {}
        self.publishes: dict[str, int] = {}
        self._settings = settings
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._told = asyncio.Condition()
        self._process: asyncio.subprocess.Process | None = None

    def uri(self, path: str) -> str:
        """The address of a file of the folder."""
        return (self.root / path).as_uri()

    async def start(
        self, command: Sequence[str], env: Mapping[str, str], options: Json, client: Json
    ) -> None:
        """Launch it and shake hands."""
        self._process = await asyncio.create_subprocess_exec(
            *command, cwd=self.root, env={**os.environ, **env}, limit=_LIMIT,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self._reading = asyncio.ensure_future(self._read())
        params = {
            "processId": os.getpid(), "rootUri": self.root.as_uri(), "capabilities": client,
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
            "initializationOptions": options,
        }  # fmt: skip
        self.capabilities = (await self.ask("initialize", params))["capabilities"]
        self._notify("initialized", {})
        self._notify("workspace/didChangeConfiguration", {"settings": dict(self._settings)})

    async def open(self, path: str, language: str) -> None:
        """Show a file as it is on disk."""
        text = (self.root / path).read_text("utf-8")
        document = {"uri": self.uri(path), "languageId": language, "version": 1, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    async def heard_of(self, paths: Sequence[str]) -> None:
        """Wait until it has published something of each."""
        uris = [self.uri(path) for path in paths]
        async with self._told:
            heard = self._told.wait_for(lambda: all(uri in self.publishes for uri in uris))
            await asyncio.wait_for(heard, _DEADLINE_S)

    async def ask(self, method: str, params: Json) -> Json:
        """The result of a request; raises ServerErrorAnswer."""
        number = next(self._ids)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._send({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, _DEADLINE_S)

    async def close(self) -> None:
        """End it and all that it has started."""
        assert self._process is not None
        self._reading.cancel()
        os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    def _notify(self, method: str, params: Json) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        while True:
            header = await self._process.stdout.readuntil(b"\r\n\r\n")
            length = int(header.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            message = json.loads(await self._process.stdout.readexactly(length))
            method, number = message.get("method"), message.get("id")
            if method is None:
                answer = self._answers.pop(number)
                if "error" in message:
                    answer.set_exception(ServerErrorAnswer(message["error"]["message"]))
                else:
                    answer.set_result(message.get("result"))
            elif number is not None:
                self._send({"id": number, "result": self._result(method, message.get("params"))})
            elif method == "textDocument/publishDiagnostics":
                async with self._told:
                    uri = message["params"]["uri"]
                    self.publishes[uri] = self.publishes.get(uri, 0) + 1
                    self._told.notify_all()

    def _result(self, method: str, params: Json) -> Json:
        if method != "workspace/configuration":
            return None
        return [self._section(item.get("section")) for item in params["items"]]

    def _section(self, name: str | None) -> Json:
        value: Any = self._settings
        for part in (name or "").split(".") if name else []:
            value = value.get(part) if isinstance(value, dict) else None
        return value


@asynccontextmanager
async def bare_server(
    root: Path,
    command: Sequence[str],
    env: Mapping[str, str],
    settings: Mapping[str, Any],
    options: Json,
    client: Json,
) -> AsyncIterator[BareServer]:
    """The server, running over a folder; `client` are the capabilities that it is told."""
    server = BareServer(root, settings)
    try:
        await server.start(command, env, options, client)
        yield server
    finally:
        await server.close()
