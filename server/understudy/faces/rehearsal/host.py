"""The way from a rehearsal to its folder's host: the one that is there now, or its successor."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from understudy.app.host.attach import LOOK_AGAIN_SECONDS, PATIENCE_SECONDS, Attached, attach
from understudy.app.host.terms import terms_of_caller
from understudy.disk.layout import workspace_layout
from understudy.disk.lock import is_locked
from understudy.faces.hosting.link import RemoteHost
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root
from understudy.workspace.progress import NOBODY, Audience

Json = dict[str, Any]


class BranchHost:
    """One branch's side of its host. A host that ends is followed by the next one."""

    def __init__(self, root: Root, branch: str) -> None:
        self.root = root
        self.branch = branch
        self._opening = asyncio.Lock()
        self._side: RemoteHost | None = None

    async def call(self, name: str, params: Json, audience: Audience = NOBODY) -> Json:
        """Ask about the branch; raises what the host raises, and as `attached`.

        Nothing that may be asked changes anything: what a host has not answered when it ended, its
        successor is asked.
        """
        try:
            return await (await self._open()).call(name, params, audience)
        except OutsideFailure as error:
            if error.code != "host-ended":
                raise
            return await (await self._open()).call(name, params, audience)

    async def close(self) -> None:
        """Leave the host."""
        async with self._opening:
            side, self._side = self._side, None
            if side is not None:
                await side.close()

    async def attached(self, *, is_lsp: bool = False) -> Attached:
        """A connection of its own, for calls about the branch or for its language server.

        Where there is no host, one is left behind. Raises OutsideFailure `no-host` where none
        comes, and as `attach`.
        """
        layout = workspace_layout(self.root).create()
        face, branch = ("branch", None) if is_lsp else ("rehearsal", self.branch)
        deadline, has_left = time.monotonic() + PATIENCE_SECONDS, False
        while True:
            terms = terms_of_caller()
            found = await attach(layout, face, terms=terms, makes_way=True, branch=branch)
            if found is not None:
                return found
            if not has_left and not is_locked(layout.lock):
                has_left = True
                await self._leave()
                continue
            if time.monotonic() >= deadline or not is_locked(layout.lock):
                text = "no host of the folder answers, so nothing can be judged; ask again later"
                raise OutsideFailure("no-host", text, str(self.root.path))
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _leave(self) -> None:
        from understudy.faces.hosting.leaving import leave_by_program, may_leave  # noqa: PLC0415 - most find a host

        if may_leave(self.root):
            await leave_by_program(self.root)

    async def _open(self) -> RemoteHost:
        async with self._opening:
            side = self._side
            if side is not None and not side.is_over:
                return side
            if side is not None:
                await side.close()
            self._side = RemoteHost(await self.attached())
            return self._side
