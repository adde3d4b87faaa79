"""What the toy servers share: framing, and a well-behaved server to deviate from by one trait.

The toy language: every line that holds `BAD` is an error whose message is the line.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

Json = Any


def read() -> Json:
    """The next message from the client; the program ends with its input."""
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.partition(b":")[2])
    if not length:
        sys.exit(0)
    return json.loads(sys.stdin.buffer.read(length))


def write_raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message: Json) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    write_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def diagnostics(text: str) -> list[Json]:
    return [
        {
            "range": {
                "start": {"line": number, "character": 0},
                "end": {"line": number, "character": len(line)},
            },
            "severity": 1,
            "source": "toy",
            "message": line,
        }
        for number, line in enumerate(text.splitlines())
        if "BAD" in line
    ]


class Toy:
    """A server that does everything right, by pull and by push with versions."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def run(self) -> None:
        while True:
            message = read()
            method = message.get("method")
            if method == "initialize":
                self.initialize(message)
            elif method == "textDocument/didOpen":
                document = message["params"]["textDocument"]
                self.show(document["uri"], document["version"], document["text"])
            elif method == "textDocument/didChange":
                document = message["params"]["textDocument"]
                text = message["params"]["contentChanges"][0]["text"]
                self.show(document["uri"], document["version"], text)
            elif method == "textDocument/didClose":
                self.texts.pop(message["params"]["textDocument"]["uri"])
            elif method == "textDocument/diagnostic":
                self.diagnostic(message, message["params"]["textDocument"]["uri"])
            elif method == "shutdown":
                send({"id": message["id"], "result": None})
            elif method == "exit":
                sys.exit(0)
            else:
                self.other(message)

    def initialize(self, message: Json) -> None:
        send({"id": message["id"], "result": {"capabilities": self.capabilities()}})

    def capabilities(self) -> Json:
        return {
            "textDocumentSync": 1,
            "diagnosticProvider": {"interFileDependencies": False, "workspaceDiagnostics": False},
        }

    def show(self, uri: str, version: int, text: str) -> None:
        self.texts[uri], self.versions[uri] = text, version
        self.push(uri, version, text)

    def push(self, uri: str, version: int, text: str) -> None:
        self.publish(uri, version, diagnostics(text))

    def publish(self, uri: str, version: int | None, items: list[Json]) -> None:
        params = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        send({"method": "textDocument/publishDiagnostics", "params": params})

    def diagnostic(self, message: Json, uri: str) -> None:
        self.answer(message, {"kind": "full", "items": diagnostics(self.texts[uri])})

    def answer(self, message: Json, result: Json) -> None:
        send({"id": message["id"], "result": result})

    def refuse(self, message: Json, code: int) -> None:
        send({"id": message["id"], "error": {"code": code, "message": "no"}})

    def other(self, message: Json) -> None:
        """Anything else is ignored."""


def first_life() -> bool:
    """True in the first process that runs in this folder, False in later ones."""
    try:
        os.close(os.open(".lived", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
