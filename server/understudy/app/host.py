"""The one host of a workspace: holds the lock, keeps the branches, and serves an editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from understudy.app import settings as settings_module
from understudy.app.checkpoints import Checkpoints
from understudy.app.session import Session
from understudy.disk.journal import Journal
from understudy.disk.layout import workspace_layout
from understudy.disk.lock import HostLock
from understudy.disk.trust import is_trusted
from understudy.values.errors import UnderstudyError
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


@dataclass
class Host:
    """A session that lasts, with what survives it on disk."""

    session: Session
    checkpoints: Checkpoints
    lock: HostLock
    journal: Journal

    def reconfigure(self, options: HostOptions) -> None:
        """Take what the editor decides by now; raises BadInput `bad-setting`, changing nothing."""
        session = self.session
        settings = settings_module.load(
            session.root, trusted=session.trusted, editor=options.settings
        )
        session.reconfigure(settings, options.server_settings, options.python)

    async def close(self) -> None:
        """End everything, the lock last: whoever takes it finds a finished journal."""
        try:
            await self.session.close()
            await self.journal.close()
        finally:
            self.lock.release()


async def open_host(
    root: Root,
    options: HostOptions,
    *,
    on_branches_changed: Callable[[], None] = lambda: None,
    on_servers_changed: Callable[[], None] = lambda: None,
) -> Host:
    """Become the host of a workspace; raises Refused `host-running`, BadInput for settings."""
    trusted = is_trusted(root) if options.trusted is None else options.trusted
    settings = settings_module.load(root, trusted=trusted, editor=options.settings)
    layout = workspace_layout(root).create()
    lock = HostLock.acquire(layout.lock)
    try:
        journal = await Journal.open(layout.journal)
        try:
            session = Session(
                root,
                settings,
                layout,
                trusted,
                selected_python=options.python,
                server_settings=options.server_settings,
                journal=journal,
                on_branches_changed=on_branches_changed,
                on_servers_changed=on_servers_changed,
            )
            await session.branches.load()
        except BaseException:  # whatever it is: undone, and raised again
            await journal.close()
            raise
    except BaseException:  # whatever it is: undone, and raised again
        lock.release()
        raise
    host = Host(session, Checkpoints(session.covers), lock, journal)
    session.tasks.spawn(_expire(session), "expire branches")
    return host


async def _expire(session: Session) -> None:
    """Archive and delete old branches now and then."""
    while True:
        try:
            await session.branches.expire()
        except UnderstudyError as error:
            log.warning("branches could not be expired: %s", error)
        await asyncio.sleep(_EXPIRY_INTERVAL)
