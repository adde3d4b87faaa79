"""A bare loop that drives one language server: shows a text, asks by the rule, and no more.

The reference for `warm`; a program of its own that imports nothing of the product. Its first line
of input is a JSON object: command, cwd, env, initialize (parameters), settings, rule, uri,
language, text. Each further line is a text (JSON string); it prints the milliseconds from showing
it to its diagnostics, and how many there are.
"""

import asyncio
import json
import os
import signal
import sys
import time

COMMAND = "typescript.tsserverRequest"
KINDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync")


class Server:
    def __init__(self, setup, process):
        self.setup = setup
        self.process = process
        self.uri = setup["uri"]
        self.version = 1
        self.last_id = 0
        self.answers = {}
        self.published = asyncio.Condition()
        self.latest = None

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def ask(self, method, params):
        self.last_id += 1
        future = asyncio.get_running_loop().create_future()
        self.answers[self.last_id] = future
        self.send({"id": self.last_id, "method": method, "params": params})
        return await future

    async def serve(self):
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

    def result(self, method, params):
        if method == "workspace/configuration":
            return [self.section(item.get("section")) for item in params["items"]]
        return None

    def section(self, name):
        value = self.setup["settings"]
        for part in (name or "").split(".") if name else []:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    async def diagnostics(self):
        rule = self.setup["rule"]
        if rule == "pull":
            document = {"textDocument": {"uri": self.uri}}
            return (await self.ask("textDocument/diagnostic", document))["items"]
        if rule == "pull_command":
            answers = await asyncio.gather(*(self.command(kind) for kind in KINDS))
            return [item for answer in answers for item in answer["body"]]
        async with self.published:
            await self.published.wait_for(
                lambda: self.latest is not None and self.latest.get("version") == self.version
            )
        return self.latest["diagnostics"]

    async def command(self, kind):
        arguments = [kind, {"file": self.uri}]
        return await self.ask(
            "workspace/executeCommand", {"command": COMMAND, "arguments": arguments}
        )

    async def round(self, text):
        began = time.perf_counter()
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        change = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.send({"method": "textDocument/didChange", "params": change})
        items = await self.diagnostics()
        return (time.perf_counter() - began) * 1000, len(items)

    async def open(self):
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


async def main():
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
            print(json.dumps([elapsed, n_items]), flush=True)
    finally:
        reading.cancel()
        os.killpg(process.pid, signal.SIGKILL)  # some servers are started by a wrapper
        await process.wait()


if __name__ == "__main__":
    asyncio.run(main())
