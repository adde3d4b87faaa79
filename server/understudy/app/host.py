"""The one host of a workspace: holds the lock, keeps the branches, and serves an editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from understudy.app import settings as settings_module
from understudy.app.checkpoints import Checkpoints
from understudy.app.door import Door, Welcome
from understudy.app.session import Session
from understudy.disk.journal import Journal
from understudy.disk.layout import workspace_layout
from understudy.disk.lock import HostLock
from understudy.disk.trust import is_trusted
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import Root

_EXPIRY_INTERVAL = 3600.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HostOptions:
    """What an editor decides about its host."""

    trusted: bool | None = None
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    python: str | None = None
    server_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, eq=False)
class Listener:
    """What one connection wants to be told."""

    branches_changed: Callable[[], None]
    servers_changed: Callable[[], None]


@dataclass
class Host:
    """A session that lasts, with what survives it on disk, and the door for later processes."""

    session: Session
    checkpoints: Checkpoints
    lock: HostLock
    journal: Journal
    listeners: set[Listener]
    door: Door | None = None

    def reconfigure(self, options: HostOptions) -> None:
        """Take what the editor decides by now; raises BadInput `bad-setting`, changing nothing.

        With several editors the last one decides; one that says nothing of trust changes none.
        """
        session = self.session
        trusted = session.trusted if options.trusted is None else options.trusted
        settings = settings_module.load(session.root, trusted=trusted, editor=options.settings)
        session.trusted = trusted
        session.reconfigure(settings, options.server_settings, options.python)

    async def open_door(self, welcome: Welcome) -> None:
        """Let later processes attach; without a door they are told `host-running`."""
        try:
            self.door = await Door.open(self.session.layout, self.session.tasks, welcome)
        except OutsideFailure as error:
            log.warning("nobody can attach: %s", error)

    async def close(self) -> None:
        """End everything, the lock last: whoever takes it finds a finished journal."""
        try:
            if self.door is not None:
                await self.door.close()
            await self.session.close()
            await self.journal.close()
        finally:
            self.lock.release()


async def open_host(root: Root, options: HostOptions, lock: HostLock | None = None) -> Host:
    """Become the host of a workspace; raises Refused `host-running`, BadInput for settings.

    A `lock` that the caller has taken already is given back if this fails.
    """
    held = lock
    try:
        trusted = is_trusted(root) if options.trusted is None else options.trusted
        settings = settings_module.load(root, trusted=trusted, editor=options.settings)
        layout = workspace_layout(root).create()
        held = held or HostLock.acquire(layout.lock)
        journal = await Journal.open(layout.journal)
        listeners: set[Listener] = set()
        try:
            session = Session(
                root,
                settings,
                layout,
                trusted,
                selected_python=options.python,
                server_settings=options.server_settings,
                journal=journal,
                beside_an_editor=True,
                on_branches_changed=lambda: _tell(listeners, "branches_changed"),
                on_servers_changed=lambda: _tell(listeners, "servers_changed"),
            )
            await session.branches.load()
        except BaseException:  # whatever it is: undone, and raised again
            await journal.close()
            raise
    except BaseException:  # whatever it is: undone, and raised again
        if held is not None:
            held.release()
        raise
    host = Host(session, Checkpoints(session.covers), held, journal, listeners)
    session.tasks.spawn(_expire(session), "expire branches")
    return host


def _tell(listeners: set[Listener], what: Literal["branches_changed", "servers_changed"]) -> None:
    for listener in tuple(listeners):
        (listener.branches_changed if what == "branches_changed" else listener.servers_changed)()


async def _expire(session: Session) -> None:
    """Archive and delete old branches now and then."""
    while True:
        try:
            await session.branches.expire()
        except UnderstudyError as error:
            log.warning("branches could not be expired: %s", error)
        await asyncio.sleep(_EXPIRY_INTERVAL)
