"""A client of `understudy lsp` over stdio, small, so that little else is measured."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.servers import environment
from understudy.values.paths import uri_of

Json = Any
DEADLINE_S = 300.0
_LIMIT = 64 * 1024 * 1024


class LspClient:
    """Requests and notifications; answers by id. Of the server's own messages one is heard: that
    branches have changed."""

    def __init__(self, process: asyncio.subprocess.Process, root: Path) -> None:
        self.process = process
        self.root = root
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._end: asyncio.IncompleteReadError | None = None
        self._changed = asyncio.Event()

    async def request(self, method: str, params: dict[str, Any]) -> Json:
        """The result; an error answer fails the measurement, and so does the server's end."""
        if self._end is not None:
            raise self._end
        number = next(self._ids)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        self._send({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(answer, DEADLINE_S)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def uri(self, path: str) -> str:
        """The URI of a root-relative path."""
        return uri_of(self.root / path)

    async def branch(self, title: str) -> str:
        """Create a branch; returns its id."""
        return (await self.request("understudy/branch/create", {"title": title}))["branch"]

    async def edit(self, branch: str, edits: list[dict[str, str]]) -> None:
        """Edit a branch."""
        await self.request("understudy/branch/edit", {"branch": branch, "edits": edits})

    async def check(self, branch: str, server: str) -> dict[str, Any]:
        """The report on the edited files, by one server."""
        asked = {"branch": branch, "servers": [server], "scope": "edited", "timeout": DEADLINE_S}
        return await self.request("understudy/branch/check", {**asked, "severity": "warning"})

    async def until(
        self, method: str, params: dict[str, Any], is_so: Callable[[Json], bool], seconds: float
    ) -> Json:
        """The first answer that is so: asked now, and whenever branches have changed since.

        Raises TimeoutError after so many seconds.
        """

        async def asked() -> Json:
            while True:
                self._changed.clear()
                answer = await self.request(method, params)
                if is_so(answer):
                    return answer
                await self._changed.wait()

        return await asyncio.wait_for(asked(), seconds)

    async def serve(self) -> None:
        """Read until the end; every pending request fails with what ended it."""
        assert self.process.stdout is not None
        try:
            while True:
                header = await self.process.stdout.readuntil(b"\r\n\r\n")
                length = int(header.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                self._take(json.loads(await self.process.stdout.readexactly(length)))
        except asyncio.IncompleteReadError as end:
            self._end = end
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(end)

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            if "id" in message:
                self._send({"id": message["id"], "result": None})
            elif message["method"] == "understudy/branchesChanged":
                self._changed.set()
            return
        answer = self._answers.pop(message["id"])
        if answer.done():
            return
        if "error" in message:
            answer.set_exception(RuntimeError(json.dumps(message["error"])))
        else:
            answer.set_result(message["result"])

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


@asynccontextmanager
async def lsp_client(
    root: Path,
    state: Path,
    through: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[LspClient]:
    """`understudy lsp` over a folder, trusted, with its state in a folder of its own.

    `through`: a command that starts the server, given after it, and relays what both sides say.
    `environ` is the server's in place of the usual one, its state included.
    """
    process = await asyncio.create_subprocess_exec(
        *through, sys.executable, "-m", "understudy", "lsp",
        cwd=root,
        env={**environment(), "UNDERSTUDY_STATE_DIR": str(state)} if environ is None else environ,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LIMIT,
    )  # fmt: skip
    client = LspClient(process, root)
    reading = asyncio.create_task(client.serve())
    try:
        folder = {"uri": uri_of(root), "name": root.name}
        options = {"trusted": True}
        await client.request(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": {},
                "initializationOptions": options,
            },
        )
        client.notify("initialized", {})
        yield client
        await client.request("shutdown", {})
        client.notify("exit", {})
        await asyncio.wait_for(process.wait(), 30)
    finally:
        reading.cancel()
        if process.returncode is None:
            process.kill()
            await process.wait()
