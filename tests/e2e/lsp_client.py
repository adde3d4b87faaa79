"""An editor that talks to `understudy lsp` over stdio and keeps every message that arrives."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient as PlainClient
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import configuration
from pytest_lsp.protocol import LanguageClientProtocol

from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.langserver.toybox import ended_in
from understudy.values.paths import uri_of

Json = dict[str, Any]
SECONDS = 120.0
"""Longest wait for anything: a cold language server on a loaded machine, past a check's limit."""
WELCOME = frozenset(f"understudy/{what}Changed" for what in ("branches", "servers", "mcp")) | {
    "$/progress",
    "understudy/watched",
}
"""All that the server may say unasked: nothing that an editor shows in the user's files."""


class Recorder:
    """Every message from the server, as it came, in the order of arrival."""

    def __init__(self) -> None:
        self.messages: list[Json] = []
        self.end: str | None = None
        """How the server ended, once nothing more can come."""
        self._arrived = asyncio.Event()

    def add(self, message: Json) -> None:
        self.messages.append(message)
        self._arrived.set()

    def finish(self, end: str) -> None:
        """Nothing more comes: whoever waits for it is told so, and need not wait out the limit."""
        self.end = end
        self._arrived.set()

    def unasked(self) -> list[Json]:
        """Notifications and requests of the server's own."""
        return [message for message in self.messages if "method" in message]

    def response(self, request_id: str) -> Json:
        """The one answer to a request."""
        found = [m for m in self.messages if m.get("id") == request_id and "method" not in m]
        assert len(found) == 1, f"{len(found)} answers to {request_id}"
        return found[0]

    async def wait_for(
        self, fits: Callable[[Json], bool], seconds: float = SECONDS, seen: int = 0
    ) -> Json:
        """The first message that fits after so many, be it here already or still to come.

        A server that has ended fails the test with its last words: nothing else would tell a crash
        from an answer that is slow.
        """

        async def search() -> Json:
            nonlocal seen
            while True:
                for message in self.messages[seen:]:
                    if fits(message):
                        return message
                seen = len(self.messages)
                assert self.end is None, self.end
                self._arrived.clear()
                await self._arrived.wait()

        return await asyncio.wait_for(search(), seconds)


class _Protocol(LanguageClientProtocol):
    """pytest-lsp's protocol; it drops versions, so what arrives is recorded before it is read."""

    def structure_message(self, data: Json) -> object:
        if "jsonrpc" in data:  # it is called for every object inside a message too
            self._server.recorder.add(data)
        return super().structure_message({**data})


class _Client(LanguageClient):
    """pytest-lsp's client with a recorder; stderr is kept, and read to its end."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter, protocol_cls=_Protocol)
        self.recorder = Recorder()
        self.stderr = bytearray()
        self._drainer: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self.feature(lsp.WORKSPACE_CONFIGURATION)(configuration)

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self._server is not None
        return self._server

    async def start_io(self, cmd: str, *args: str, **kwargs: Any) -> None:
        await PlainClient.start_io(self, cmd, *args, **kwargs)
        self._drainer = asyncio.create_task(self._drain())
        reading, _exit = self._async_tasks
        self._ending = asyncio.create_task(self._tell_end(reading, self._drainer))

    async def _tell_end(self, *streams: asyncio.Task[None]) -> None:
        """Tell the recorder of the end, after all that the server has written was read."""
        await asyncio.wait(streams)
        status, said = await self.process.wait(), self.stderr.decode(errors="replace")
        self.recorder.finish(f"the server has ended (status {status}):\n{said}")

    async def _drain(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.stderr += data

    async def finish(self) -> int:
        """The exit code of a server that is on its way out; it is killed if it does not go."""
        try:
            await asyncio.wait_for(self.process.wait(), SECONDS)
        except asyncio.TimeoutError:
            self.process.kill()
            raise
        finally:
            await asyncio.wait_for(self.stop(), SECONDS)
            assert self._drainer is not None
            await asyncio.wait_for(self._drainer, SECONDS)
            assert self._ending is not None
            await asyncio.wait_for(self._ending, SECONDS)
        assert self.process.returncode is not None
        return self.process.returncode


class Editor:
    """One connection of an editor that has a folder open."""

    def __init__(self, client: _Client, root: Path) -> None:
        self.client = client
        self.root = root
        self.recorder = client.recorder
        self._ids = itertools.count(1)

    def uri(self, path: str) -> str:
        return uri_of(self.root / path)

    async def answer(self, method: str, params: object = None, seconds: float = SECONDS) -> Json:
        """The whole response, whether it is a result or an error."""
        return await self.pending(method, params)[1](seconds)

    def pending(self, method: str, params: object = None) -> tuple[str, Callable[[float], Any]]:
        """Send a request; gives its id and a way to wait for the response."""
        request_id = f"r{next(self._ids)}"
        seen = len(self.recorder.messages)
        self.client.protocol.send_request(method, params, msg_id=request_id)

        def answers(message: Json) -> bool:
            return "method" not in message and message.get("id") == request_id

        async def response(seconds: float = SECONDS) -> Json:
            await self.recorder.wait_for(answers, seconds, seen)
            return self.recorder.response(request_id)

        return request_id, response

    async def ask(self, method: str, params: object = None, seconds: float = SECONDS) -> Any:
        """The result; an error fails the test."""
        response = await self.answer(method, params, seconds)
        assert "error" not in response, response
        return response["result"]

    async def refusal(self, method: str, params: object = None) -> Json:
        """The error that the request must be answered with."""
        response = await self.answer(method, params)
        assert "error" in response, response
        return response["error"]

    async def raw(self, message: Json) -> Json:
        """Send a request as it stands, sound or not; the response to it."""
        self.send(message)
        return await self.recorder.wait_for(
            lambda m: "method" not in m and m.get("id") == message["id"]
        )

    def send(self, message: Json) -> None:
        """Send a message as it stands."""
        self.client.protocol._send_data({"jsonrpc": "2.0", **message})

    def cancel(self, request_id: str) -> None:
        self.send({"method": "$/cancelRequest", "params": {"id": request_id}})

    async def initialize(
        self,
        options: Mapping[str, Any] | None = None,
        configuration: Json | None = None,
        abilities: Json | None = None,
        documents: Json | None = None,
        general: Json | None = None,
    ) -> Json:
        """The whole response to `initialize` with the folder and these options.

        With a configuration the editor has settings that it can be asked for; `abilities` are more
        of its `workspace` capabilities, `documents` those of `textDocument`, `general` the
        general ones.
        """
        workspace = {"configuration": configuration is not None, **(abilities or {})}
        params = {
            "processId": None,
            "capabilities": {
                "window": {"workDoneProgress": True},
                "workspace": workspace,
                "textDocument": documents or {},
                "general": general or {},
            },
            "workspaceFolders": [{"uri": uri_of(self.root), "name": self.root.name}],
            "rootUri": uri_of(self.root),
            "initializationOptions": dict(options) if options is not None else None,
        }
        self.client.capabilities = lsp.ClientCapabilities(
            workspace=lsp.WorkspaceClientCapabilities(configuration=configuration is not None)
        )
        self.client.set_configuration(configuration or {})
        request = {"id": f"i{next(self._ids)}", "method": "initialize", "params": params}
        response = await self.raw(request)
        if "result" in response:
            self.send({"method": "initialized", "params": {}})
        return response

    def open(self, path: str, text: str, language: str = "python") -> None:
        item = {"uri": self.uri(path), "languageId": language, "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})

    def change(self, path: str, *changes: Json, version: int = 2) -> None:
        document = {"uri": self.uri(path), "version": version}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.send({"method": "textDocument/didChange", "params": params})

    def close(self, path: str) -> None:
        params = {"textDocument": {"uri": self.uri(path)}}
        self.send({"method": "textDocument/didClose", "params": params})

    async def branch(self, *edits: Json, title: str = "") -> str:
        """A new branch with these edits; its id."""
        branch = (await self.ask("understudy/branch/create", {"title": title}))["branch"]
        if edits:
            await self.edit(branch, *edits)
        return branch

    async def edit(self, branch: str, *edits: Json) -> Json:
        params = {"branch": branch, "edits": list(edits)}
        return await self.ask("understudy/branch/edit", params)

    async def check(self, branch: str | None, **options: Any) -> Json:
        return await self.ask("understudy/branch/check", {"branch": branch, **options})

    async def diff(self, branch: str) -> str:
        return (await self.ask("understudy/branch/diff", {"branch": branch}))["diff"]

    async def shut_down(self) -> int:
        """End the session as the protocol has it; the server's exit code."""
        await self.ask("shutdown")
        self.send({"method": "exit"})
        return await self.client.finish()

    def assert_discreet(self) -> None:
        """The server has shown nothing to the user and logged no failure."""
        said = {message["method"] for message in self.recorder.unasked()}
        capabilities = self.client.capabilities
        if capabilities and capabilities.workspace and capabilities.workspace.configuration:
            said.discard(lsp.WORKSPACE_CONFIGURATION)
        assert said <= WELCOME
        assert b"Traceback" not in self.client.stderr, self.client.stderr.decode()


@asynccontextmanager
async def connect(root: Path, state: Path, *arguments: str) -> AsyncIterator[Editor]:
    """A server that was just started and knows of no folder yet; it is gone at the end."""
    config = ClientServerConfig(
        server_command=[*UNDERSTUDY, "lsp", *arguments],
        client_factory=_Client,
        server_env=child_environment(state),
    )
    client = await config.start()
    assert isinstance(client, _Client)
    editor = Editor(client, root)
    try:
        yield editor
    finally:
        if client.process.returncode is None:
            with suppress(ProcessLookupError):
                client.process.kill()
        if not client.stopped or client.process.returncode is None:
            await client.finish()


@asynccontextmanager
async def open_editor(
    root: Path,
    state: Path,
    options: Mapping[str, Any] | None = None,
    configuration: Json | None = None,
) -> AsyncIterator[Editor]:
    """An editor with the folder open; at the end the session is closed and everything is gone."""
    async with connect(root, state) as editor:
        response = await editor.initialize(options, configuration)
        assert "result" in response, response
        yield editor
        if editor.client.process.returncode is None:
            assert await editor.shut_down() == 0
        editor.assert_discreet()
        assert ended_in(root), "a language server outlived its host"


async def until(editor: Editor, is_so: Callable[[Json], bool]) -> None:
    """Wait until a language server is as it should be: `is_so` gets each one's status."""

    async def look() -> None:
        found = False
        while not found:
            found = any(map(is_so, (await editor.ask("understudy/status"))["servers"]))

    await asyncio.wait_for(look(), SECONDS)


def address_of(state: Path) -> Json:
    """Where the one host below a state folder listens, and its token."""
    (place,) = state.rglob("host.json")
    return json.loads(place.read_text())


def memory_of(pid: int) -> int:
    """Resident bytes of a process."""
    return psutil.Process(pid).memory_info().rss
