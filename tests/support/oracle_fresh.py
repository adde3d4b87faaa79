"""The truth where no command line tells it: a language server started for one question only."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.support.oracle import DEADLINE_S, Find, Found
from tests.support.servers import environment, program

Diagnostic = dict[str, Any]


@dataclass(frozen=True)
class Fresh:
    """A server: its command, the files it judges by suffix, and what the handshake tells it."""

    command: tuple[str, ...]
    languages: Mapping[str, str]
    options: Mapping[str, Any]


def by_fresh(server: Fresh) -> Find:
    """The oracle that is a new process of that server."""

    def find(folder: Path) -> Iterator[Found]:
        for path, item in diagnostics(server, folder, DEADLINE_S):
            severity = ("error", "warning", "information", "hint")[item.get("severity", 1) - 1]
            code = item.get("code")
            line = item["range"]["start"]["line"]
            yield Found(path, line, None if code is None else str(code), severity)

    return find


def diagnostics(fresh: Fresh, folder: Path, deadline_s: float) -> Iterator[tuple[str, Diagnostic]]:
    """Every (root-relative path, LSP diagnostic) of the folder's documents, by a new process."""
    process = subprocess.Popen(
        [str(program(fresh.command[0])), *fresh.command[1:]],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    watchdog = threading.Timer(deadline_s, process.kill)
    watchdog.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        server = _Server(process.stdin, process.stdout)
        server.ask("initialize", {
            "processId": None,
            "rootUri": folder.as_uri(),
            "capabilities": {"textDocument": {"diagnostic": {}}},
            "initializationOptions": fresh.options,
        })  # fmt: skip
        server.tell("initialized", {})
        for path in sorted(path for path in folder.rglob("*") if path.suffix in fresh.languages):
            for item in _of_document(server, path, fresh.languages[path.suffix]):
                yield path.relative_to(folder).as_posix(), item
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def _of_document(server: _Server, path: Path, language: str) -> list[Diagnostic]:
    uri = path.as_uri()
    text = path.read_text(encoding="utf-8")
    document = {"uri": uri, "languageId": language, "version": 1, "text": text}
    server.tell("textDocument/didOpen", {"textDocument": document})
    report = server.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert report["kind"] in ("full", ""), report  # gopls leaves the word out
    return report["items"]


class _Server:
    """One question at a time; requests of the server's own get the answer null."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._last_id = 0

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params})
        while True:
            message = self._read()
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            elif message.get("id") == self._last_id:
                assert "error" not in message, message
                return message["result"]

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stdin.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while (line := self._stdout.readline().strip()) or not length:
            assert line, "the server ended before it had answered"
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self._stdout.read(length))
