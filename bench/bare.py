"""A bare loop that drives one language server: shows a text, asks by the rule, and no more.

The reference for `warm`; a program of its own that imports nothing of the product. Its first line
of input is a JSON object: command, cwd, env, initialize (parameters), settings, all_settings (asked
for without a name), rule, uri, language, text. Each further line is a text (JSON string); it prints
the milliseconds from showing it to its diagnostics, and how many there are.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from typing import Any

Json = Any
COMMAND = "typescript.tsserverRequest"
KINDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync")


class Server:
    """One server with one open document."""

    def __init__(self, setup: dict[str, Any], process: asyncio.subprocess.Process) -> None:
        self.setup = setup
        self.process = process
        self.uri = setup["uri"]
        self.version = 1
        self.last_id = 0
        self.answers: dict[int, asyncio.Future[Json]] = {}
        self.published = asyncio.Condition()
        self.latest: dict[str, Any] | None = None

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def ask(self, method: str, params: Json) -> Json:
        """The result of a request."""
        self.last_id += 1
        future = asyncio.get_running_loop().create_future()
        self.answers[self.last_id] = future
        self.send({"id": self.last_id, "method": method, "params": params})
        return await future

    async def serve(self) -> None:
        """Read and answer for ever."""
        assert self.process.stdout is not None
        while True:
            header = await self.process.stdout.readuntil(b"\r\n\r\n")
            length = int(header.split(b"Content-Length:")[1].split(b"\r\n")[0])
            message = json.loads(await self.process.stdout.readexactly(length))
            method = message.get("method")
            if method == "textDocument/publishDiagnostics":
                if message["params"]["uri"] == self.uri:
                    async with self.published:
                        self.latest = message["params"]
                        self.published.notify_all()
            elif method is not None and "id" in message:
                self.send(
                    {"id": message["id"], "result": self.result(method, message.get("params"))}
                )
            elif method is None:
                future = self.answers.pop(message["id"])
                if "error" in message:
                    future.set_exception(RuntimeError(str(message["error"])))
                else:
                    future.set_result(message["result"])

    def result(self, method: str, params: Json) -> Json:
        """What the server is answered when it asks."""
        if method == "workspace/configuration":
            return [self.section(item.get("section")) for item in params["items"]]
        return None

    def section(self, name: str | None) -> Json:
        """The settings under a dotted name; without one, all that concern this server."""
        value: Any = self.setup["settings"] if name else self.setup["all_settings"]
        for part in (name or "").split(".") if name else []:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    async def diagnostics(self) -> list[Json]:
        """The diagnostics of the text shown last, by the server's rule."""
        rule = self.setup["rule"]
        if rule in ("pull", "pull_status"):
            document = {"textDocument": {"uri": self.uri}}
            return (await self.ask("textDocument/diagnostic", document))["items"]
        if rule == "pull_command":
            answers = await asyncio.gather(*(self.command(kind) for kind in KINDS))
            return [item for answer in answers for item in answer["body"]]
        async with self.published:
            await self.published.wait_for(
                lambda: self.latest is not None and self.latest.get("version") == self.version
            )
        assert self.latest is not None
        return self.latest["diagnostics"]

    async def command(self, kind: str) -> Json:
        """One kind of tsserver's diagnostics."""
        arguments = [kind, {"file": self.uri}]
        return await self.ask(
            "workspace/executeCommand", {"command": COMMAND, "arguments": arguments}
        )

    async def round(self, text: str) -> tuple[float, int]:
        """Milliseconds from showing a text to its diagnostics, and their number."""
        began = time.perf_counter()
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        change = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.send({"method": "textDocument/didChange", "params": change})
        items = await self.diagnostics()
        return (time.perf_counter() - began) * 1000, len(items)

    async def open(self) -> None:
        """Shake hands and open the document."""
        await self.ask("initialize", self.setup["initialize"])
        self.send({"method": "initialized", "params": {}})
        settings = {"settings": self.setup["settings"]}
        self.send({"method": "workspace/didChangeConfiguration", "params": settings})
        document = {
            "uri": self.uri,
            "languageId": self.setup["language"],
            "version": self.version,
            "text": self.setup["text"],
        }
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})


async def main() -> None:
    """Serve the lines of standard input."""
    loop = asyncio.get_running_loop()
    setup = json.loads(sys.stdin.readline())
    process = await asyncio.create_subprocess_exec(
        *setup["command"],
        cwd=setup["cwd"],
        env={**os.environ, **setup["env"]},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=64 * 1024 * 1024,
        start_new_session=True,
    )
    server = Server(setup, process)
    reading = asyncio.create_task(server.serve())
    try:
        await asyncio.wait_for(server.open(), 120)
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            round_ = asyncio.ensure_future(server.round(json.loads(line)))
            await asyncio.wait([round_, reading], return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()  # raises what ended the reader
            elapsed, n_items = await round_
            sys.stdout.write(json.dumps([elapsed, n_items]) + "\n")
            sys.stdout.flush()
    finally:
        reading.cancel()
        os.killpg(process.pid, signal.SIGKILL)  # some servers are started by a wrapper
        await process.wait()


if __name__ == "__main__":
    asyncio.run(main())
