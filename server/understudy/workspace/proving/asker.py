"""Asks one server about branches of a project of our own, as checks do: leases, stages, and all."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from understudy.disk.layout import ephemeral_layout
from understudy.langserver import methods
from understudy.langserver.client import Hooks
from understudy.langserver.json_values import fields_of
from understudy.langserver.pool import Pool
from understudy.langserver.profile import Profile
from understudy.langserver.proven.kit import Kit
from understudy.langserver.spec import ServerSpec
from understudy.process.launch import Child, launch
from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.proving.questions import Edits, project
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings
from understudy.workspace.sight.sights import sights

_OFFLINE = {"GOPROXY": "off", "GOTOOLCHAIN": "local"}
"""What keeps Go to what is there, whatever its user has set for good."""
_LOAD = "import time\nend = time.time() + 120\nwhile time.time() < end: pass"


@dataclass
class Observed:
    """What a server has shown of how its findings come."""

    offers_pull: bool = False
    pushes: bool = False
    names_versions: bool = False
    asks_settings: bool = False

    def note(self, direction: Literal["sent", "received"], message: Mapping[str, Any]) -> None:
        """Look at a message of the server's."""
        if direction == "sent":
            return
        params: Any = message.get("params") or {}
        if "method" not in message:
            capabilities = fields_of(fields_of(message.get("result")).get("capabilities"))
            self.offers_pull |= bool(capabilities.get("diagnosticProvider"))
        elif message.get("method") == methods.REGISTER_CAPABILITY:
            offered = [one.get("method") for one in params.get("registrations", ())]
            self.offers_pull |= methods.DIAGNOSTIC in offered
        elif message.get("method") == methods.CONFIGURATION:
            self.asks_settings = True
        elif message.get("method") == methods.PUBLISH_DIAGNOSTICS:
            self.pushes = True
            self.names_versions |= params.get("version") is not None


@dataclass
class Asker:
    """One server with a project of the kit; `profile` is the one that is tried at the moment."""

    session: Session
    folder: Path
    kit: Kit
    model: ServerSpec
    profile: Profile
    pool: Pool
    observed: Observed
    base: Base
    heaviest: int = 0
    _loads: list[Child] = field(default_factory=lambda: [])

    @property
    def choice(self) -> ServerChoice:
        """The server as the profile that is tried has it."""
        spec = ServerSpec(
            self.profile, self.model.command, self.session.root, self.model.env,
            self.model.settings, self.model.initialization_options, self.model.version,
            trusted=True,
        )  # fmt: skip
        return ServerChoice(self.profile, spec, None)

    async def ask(self, edits: Edits, path: str, seconds: float, owner: str = "prove") -> Answer:
        """What the server proves about a file of a branch with these edits."""
        snapshot = Snapshot(self.base, {key: _packed(text) for key, text in edits.items()})
        choice = self.choice
        (sight,) = await sights(self.session, choice, [snapshot])
        blind = sight.blind.get("*") or sight.blind.get(path)
        if blind is not None or sight.spec is None:
            reason = blind or Reason("unsupported", "it cannot be shown this")
            return Answer(path, choice.name, choice.rule, None, reason, 0.0)
        deadline = asyncio.get_running_loop().time() + seconds
        async with self.pool.lease(sight.spec, owner, deadline) as lease:
            return (await lease.judge(snapshot, [path], deadline))[path]

    async def abandon(self, edits: Edits, path: str, after_s: float) -> None:
        """Ask, and give the question up after so long."""
        asked = asyncio.ensure_future(self.ask(edits, path, 5.0, "abandoned"))
        await asyncio.wait([asked], timeout=after_s)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)

    async def save(self, files: Edits) -> None:
        """The user writes files (None: removes them)."""
        for path, text in files.items():
            _write(self.folder / path, text)
        self.base = await self.session.fresh_base()

    async def start_anew(self) -> None:
        """The next question meets a new process."""
        await self.measure()
        await self.pool.close()
        self.pool = _pool(self.session, self.observed)

    async def measure(self) -> None:
        """Note how much memory the server has by now."""
        found = [status.resident for status in await self.pool.status()]
        self.heaviest = max([self.heaviest, *found])

    @asynccontextmanager
    async def loaded(self) -> AsyncGenerator[None, None]:
        """A machine that is busy with other things: a program that computes for each core."""
        log = self.session.layout.log("load")
        command = (sys.executable, "-S", "-c", _LOAD)
        try:
            for _ in range(os.cpu_count() or 1):
                self._loads.append(
                    await launch(
                        command, cwd=self.folder, env={}, log=log, spawn=self.session.tasks.spawn
                    )
                )
            yield
        finally:
            for child in self._loads:
                await child.stop(0)
            self._loads.clear()


@asynccontextmanager
async def asking(
    profile: Profile, model: ServerSpec, kit: Kit, settings: Settings, environ: Mapping[str, str],
    apart_at: Path | None,
) -> AsyncGenerator[Asker, None]:  # fmt: skip
    """A project of the kit in a private temporary folder, and the server in it; gone at the end.

    apart_at: beside this place, where what configures it for all of the user's folders is not found
    as far as it is looked for where XDG has it, and nothing may be downloaded.
    """
    with ephemeral_layout(apart_at) as layout:
        folder = layout.folder.parent / "project"
        if apart_at is not None:
            nothing = str(layout.folder / "configuration")
            model = replace(model, env={**model.env, "XDG_CONFIG_HOME": nothing, **_OFFLINE})
        for path, text in project(kit).items():
            _write(folder / path, text)
        session = Session(Root.open(folder), settings, layout, trusted=True, environ=environ)
        observed = Observed()
        base = await session.fresh_base()
        pool = _pool(session, observed)
        asker = Asker(session, folder, kit, model, profile, pool, observed, base)
        try:
            yield asker
        finally:
            await asker.pool.close()
            await session.close()


def _pool(session: Session, observed: Observed) -> Pool:
    hooks = Hooks(recorder=observed.note)
    return Pool(session.layout.logs, session.tasks.spawn, None, hooks, session.server_stages.open)


def _packed(text: str | None) -> PackedText | None:
    return None if text is None else PackedText.pack(Text(text))


def _write(file: Path, text: str | None) -> None:
    if text is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
