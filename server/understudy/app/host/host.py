"""The one host of a workspace: holds the lock, keeps the branches, and serves an editor."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from understudy.app.host.door import Admission, HostDoor, Welcome
from understudy.app.host.stay import Stay
from understudy.app.host.terms import Terms
from understudy.app.recovery import recover
from understudy.disk.journal.journal import Journal
from understudy.disk.layout import Layout, user_context, workspace_layout
from understudy.disk.lock import HostLock
from understudy.disk.trust import is_trusted
from understudy.langserver.editor import EditorServers
from understudy.mcpclient.configuration import FILES
from understudy.shadow.base import Base
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.checkpoints import Checkpoints
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session
from understudy.workspace.turns import Turns

if TYPE_CHECKING:
    from understudy.app.rehearse.settle import Settlements

_EXPIRY_INTERVAL = 3600.0
_LOOK_INTERVAL = 5.0
log = logging.getLogger(__name__)


@frozen
class HostOptions:
    """What an editor decides about its host."""

    trusted: bool | None = None
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    python: str | None = None
    server_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    editor: EditorServers = field(default_factory=EditorServers)


@dataclass(frozen=True, eq=False)
class Listener:
    """What one connection wants to be told."""

    branches_changed: Callable[[], None]
    servers_changed: Callable[[], None]
    mcp_changed: Callable[[], None] = lambda: None
    agent_began: Callable[[LiveBase, Base], None] = lambda _live_base, _then: None
    watching_over: Callable[[], None] = lambda: None
    """The setting `watch` was turned off."""


@dataclass
class Host:
    """A session that lasts, with what survives it on disk, and the door for later processes."""

    session: Session
    checkpoints: Checkpoints
    lock: HostLock
    journal: Journal
    listeners: set[Listener]
    recovered: tuple[str, ...] = ()
    """What this start had to end that a kill had broken off, for the user."""
    door: HostDoor | None = None
    stay: Stay | None = None
    """What this host is, if it has stayed behind its first caller."""
    turns: Turns = field(init=False)
    """What agents began with; every host of the workspace has the same."""
    _keeps_tools: bool = False
    _settlements: Settlements | None = None

    def __post_init__(self) -> None:
        folder = workspace_layout(self.session.root).turns
        self.turns = Turns(self.checkpoints, folder, self.session.covers)

    def refresh(self) -> None:
        """Take trust and settings as they are by now, where no editor decides them.

        A host that has stayed behind does so before each call. Raises BadInput, Refused as
        `settings.load`.
        """
        stay, session = self.stay, self.session
        if stay is None or stay.has_editor:
            return
        trusted = stay.terms.trusts or is_trusted(session.root)
        settings = settings_module.load(session.root, trusted=trusted)
        stay.minutes = settings.host_minutes
        is_as_before = (trusted, settings) == (session.trusted, session.settings)
        of_editor = (session.selected_python, session.server_settings, session.editor)
        if not is_as_before or of_editor != (None, {}, EditorServers()):
            self.reconfigure(HostOptions(trusted=trusted))

    def reconfigure(self, options: HostOptions) -> None:
        """Take what the editor decides by now; raises BadInput `bad-setting`, changing nothing.

        With several editors the last one decides; one that says nothing of trust changes none.
        """
        session = self.session
        trusted = session.trusted if options.trusted is None else options.trusted
        settings = settings_module.load(session.root, trusted=trusted, editor=options.settings)
        session.trusted = trusted
        was_turned_off = session.settings.watch and not settings.watch
        session.reconfigure(settings, options.server_settings, options.python, options.editor)
        if was_turned_off:
            for listener in tuple(self.listeners):
                listener.watching_over()

    def agent_began(self, live_base: LiveBase, then: Base) -> None:
        """Tell everybody that an agent has begun to work; `then` is the base as it was."""
        for listener in tuple(self.listeners):
            listener.agent_began(live_base, then)

    def keep_tools(self) -> None:
        """Have the tools of the workspace's MCP servers kept up to date while this host lasts."""
        if self._keeps_tools:
            return
        self._keeps_tools = True
        self.session.tasks.spawn(_keep_tools(self.session), "keep the catalogue of tools")

    def follow_rehearsals(self) -> None:
        """Have what live stages write become edits, and judged, from now on."""
        if self._settlements is None:
            from understudy.app.rehearse.recovery import end_left  # noqa: PLC0415 - few rehearse
            from understudy.app.rehearse.settle import Settlements  # noqa: PLC0415 - as above

            self._settlements = Settlements(
                self.session,
                partial(_judge, self.session),
                end_left,
                partial(_tell, self.listeners, "branches_changed"),
            )
            self._settlements.start()
        self._settlements.poke()

    async def open_door(self, welcome: Welcome, admission: Admission | None = None) -> None:
        """Let later processes attach, or those that are admitted; without a door they are told
        `host-running`."""
        try:
            self.door = await HostDoor.open(
                self.session.layout, self.session.tasks, welcome, admission or self.stay
            )
        except OutsideFailure as error:
            log.warning("nobody can attach: %s", error)

    async def close(self) -> None:
        """End everything, the lock last: whoever takes it finds a finished journal."""
        try:
            if self.door is not None:
                await self.door.close()
            if self._settlements is not None:
                await self._settlements.finish()
            await self.session.close()
            await self.journal.close()
        finally:
            self.lock.release()


async def open_host(
    root: Root,
    options: HostOptions,
    lock: HostLock | None = None,
    *,
    place: Layout | None = None,
    terms: Terms | None = None,
) -> Host:
    """Become the host of a workspace; raises Refused `host-running`, BadInput for settings.

    A `lock` that the caller has taken already is given back if this fails. `place` is the state of
    a host beside the workspace's own; `terms` are those of a host that stays behind its caller.
    """
    held = lock
    try:
        trusted = is_trusted(root) if options.trusted is None else options.trusted
        settings = settings_module.load(root, trusted=trusted, editor=options.settings)
        layout = (place or workspace_layout(root)).create()
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
                editor=options.editor,
                journal=journal,
                beside_an_editor=terms is None,
                on_branches_changed=lambda: _tell(listeners, "branches_changed"),
                on_servers_changed=lambda: _tell(listeners, "servers_changed"),
                on_mcp_changed=lambda: _tell(listeners, "mcp_changed"),
            )
            recovered = await recover(session, journal)
        except BaseException:  # whatever it is: undone, and raised again
            await journal.close()
            raise
    except BaseException:  # whatever it is: undone, and raised again
        if held is not None:
            held.release()
        raise
    stay = None if terms is None else Stay(terms, layout, settings.host_minutes)
    host = Host(
        session, Checkpoints(session.covers), held, journal, listeners, tuple(recovered), stay=stay
    )
    if not journal.is_read_only:
        session.tasks.spawn(_expire(session), "expire branches")
        if layout.rehearsals.is_dir():
            host.follow_rehearsals()
    return host


def _tell(
    listeners: set[Listener], what: Literal["branches_changed", "servers_changed", "mcp_changed"]
) -> None:
    for listener in tuple(listeners):
        getattr(listener, what)()


async def _judge(session: Session, branch: str) -> None:
    from understudy.app.check.asked import CheckQuestion, answer  # noqa: PLC0415 - few rehearse

    await answer(session, CheckQuestion(branch), session.bases.of_user, owner=f"rehearsal {branch}")


async def _keep_tools(session: Session) -> None:
    """Wait until the workspace names a tool server, which most do not; then keep its tools."""
    while True:
        if any((session.root.path / name).exists() for name in FILES):
            await session.tool_servers.keep()
        await asyncio.sleep(_LOOK_INTERVAL)


def _tidy(session: Session) -> None:
    if not (session.layout.context.is_dir() or user_context().is_dir()):
        return  # most workspaces keep nothing; what it takes is not loaded for them
    from understudy.app.context.put import tidy  # noqa: PLC0415 - see above

    tidy(session.context, session.settings)


async def _expire(session: Session) -> None:
    """Archive and delete old branches, and kept outputs, now and then."""
    while True:
        try:
            await session.branches.expire()
            await asyncio.to_thread(_tidy, session)
        except (UnderstudyError, OSError) as error:
            log.warning("what is old could not be removed: %s", error)
        await asyncio.sleep(_EXPIRY_INTERVAL)
