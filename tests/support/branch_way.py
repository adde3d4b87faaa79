"""A branch with a socket of its own, as a rehearsal gives one to its stage; the host is real."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import child_environment
from understudy.faces.frames import frame, read_frame
from understudy.faces.hosting.link import HostLink
from understudy.faces.rehearsal.branch_socket import BranchSocket
from understudy.faces.rehearsal.host import BranchHost
from understudy.faces.rehearsal.rounds import Rounds
from understudy.values.paths import Root

Json = dict[str, Any]
SECONDS = 60.0


class BranchWay:
    """`user` asks the folder's host as its user does; `socket` is the way of the branch."""

    def __init__(self, root: Root, user: HostLink, socket: BranchSocket, branch: str) -> None:
        self.root = root
        self.user = user
        self.socket = socket
        self.branch = branch
        self.settled = 0

    async def edit(self, *edits: Json) -> None:
        params = {"branch": self.branch, "edits": list(edits)}
        await self.user.call("understudy/branch/edit", params)

    @asynccontextmanager
    async def raw(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection that has said nothing yet."""
        reader, writer = await asyncio.open_unix_connection(self.socket.path, limit=1 << 26)
        try:
            yield reader, writer
        finally:
            writer.close()

    async def greet(self, hello: object) -> Json:
        """What is answered to a first line; nothing where it is not even answered."""
        async with self.raw() as (reader, writer):
            writer.write(hello if isinstance(hello, bytes) else json.dumps(hello).encode() + b"\n")
            try:
                line = await asyncio.wait_for(reader.readline(), SECONDS)
            except ConnectionError:  # it has gone before all of that was read
                return {}
            return json.loads(line) if line else {}

    async def ask(self, call: str, params: object = None) -> Json:
        """The whole answer to one call: a result or an error."""
        async with self.raw() as (reader, writer):
            writer.write(b'{"wire": 1, "kind": "calls"}\n')
            message = {"id": 1, "call": call, "params": params}
            writer.write(frame(json.dumps(message).encode()))
            assert json.loads(await asyncio.wait_for(reader.readline(), SECONDS))["ok"]
            while True:
                body = await asyncio.wait_for(read_frame(reader), SECONDS)
                assert body is not None, "it was not answered"
                answer = json.loads(body)
                if "result" in answer or "error" in answer:
                    return answer


@asynccontextmanager
async def open_way(
    folder: Path, state: Path, patch: pytest.MonkeyPatch, *edits: Json, rounds: int | None = None
) -> AsyncIterator[BranchWay]:
    """The way of a new branch with these edits; another branch is beside it."""
    for name, value in child_environment(state).items():
        patch.setenv(name, value)
    patch.delenv("CI", raising=False)
    root = Root.open(folder)
    await (await BranchHost(root, "b1").attached(is_lsp=True)).close()  # a host stays
    user = HostLink(root, agent=False, stays=False)
    try:
        await user.call("understudy/branch/create", {"title": "another"})
        branch = (await user.call("understudy/branch/create", {"title": "mine"}))["branch"]
        made: list[BranchWay] = []

        async def settle() -> None:
            made[0].settled += 1

        socket = await BranchSocket.open(BranchHost(root, branch), settle, Rounds(rounds))
        made.append(BranchWay(root, user, socket, branch))
        try:
            if edits:
                await made[0].edit(*edits)
            yield made[0]
        finally:
            await socket.close()
    finally:
        await user.close()
