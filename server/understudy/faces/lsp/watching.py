"""The watch of one connection, and the notification that says what edits introduce."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from understudy.faces.answers.check import check_json
from understudy.faces.calls.entry import Side
from understudy.shadow.base import Base
from understudy.values.errors import UnderstudyError
from understudy.values.findings import counts
from understudy.workspace.branches.checked import Checked
from understudy.workspace.checkpoints import Checkpoint
from understudy.workspace.live_base import LiveBase

if TYPE_CHECKING:  # what checks is loaded by the first watch
    from understudy.app.check.watch import Watch, Watched

WATCHED = "understudy/watched"
_REGISTRATION = "understudy-watch"


class Watching:
    """The watch of one connection: none, or one."""

    def __init__(self, server: LanguageServer, side: Side) -> None:
        self._server, self._side = server, side
        self._watch: Watch | None = None
        self._release: Callable[[], None] | None = None
        self._starting = asyncio.Lock()
        self._is_registered = False

    def agent_began(self, live_base: LiveBase, then: Base) -> None:
        """An agent has come to work over this base: watch it, unless the settings say otherwise."""
        side = self._side
        if live_base is side.live_base and side.host.session.settings.watch:
            side.host.session.tasks.spawn(self.start(None, then), "watch an agent")

    def turned_off(self) -> None:
        """The settings say so by now; what the user begins after that goes on."""
        self._side.host.session.tasks.spawn(self.stop(), "watching is turned off")

    async def start(
        self, checkpoint: Checkpoint | None, then: Base | None = None, *, again: bool = False
    ) -> None:
        """Watch since a checkpoint, `then`, or now; a watch that runs goes on unless `again`."""
        async with self._starting:
            if self._watch is not None and not again:
                return
            await self.stop()
            host, live_base = self._side.host, self._side.live_base
            if checkpoint is None:
                base = then or await live_base.fresh()
                checkpoint = await host.checkpoints.shared(base)
                self._release = partial(host.checkpoints.release, checkpoint)
            from understudy.app.check.watch import Watch  # noqa: PLC0415 - see above

            self._watch = Watch(host.session, live_base, checkpoint, self._tell)
            self._watch.start()
        await self._register()

    async def stop(self) -> None:
        """End the watch; a second call does nothing."""
        watch, self._watch = self._watch, None
        if watch is None:
            return
        await watch.stop()
        release, self._release = self._release, None
        if release is not None:
            release()
        self._server.protocol.notify(WATCHED, self.told())

    def files_changed(self) -> None:
        """The client says that files have changed on disk."""
        if self._watch is not None:
            self._watch.poke()

    def told(self, *, whole: bool = False) -> dict[str, Any]:
        """What the client is told; the whole report only where it asks."""
        watch = self._watch
        if watch is None:
            return {"watching": False}
        now = watch.now
        told: dict[str, Any] = {
            "watching": True,
            "checkpoint": watch.checkpoint.id or None,
            "title": watch.checkpoint.title,
            "since": watch.checkpoint.created,
            "checking": now.is_checking,
            "error": _error_json(now.error),
            **_counts(now.checked),
        }
        if whole:
            told["report"] = None if now.checked is None else check_json(now.checked)
        return told

    def _tell(self, _watched: Watched) -> None:
        self._server.protocol.notify(WATCHED, self.told())

    async def _register(self) -> None:
        """Ask the client to tell of changes on disk, if it can: only once something is watched."""
        workspace = self._server.client_capabilities.workspace
        files = workspace.did_change_watched_files if workspace is not None else None
        if self._watch is None or files is None or not files.dynamic_registration:
            return
        if not self._is_registered:
            options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher("**/*")])
            method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = lsp.Registration(_REGISTRATION, method, options)
            try:
                await self._server.client_register_capability_async(
                    lsp.RegistrationParams([registration])
                )
            except JsonRpcException:
                return  # then the folder is looked at more often
            self._is_registered = True
        self._watch.is_told_of_files = True


def _counts(checked: Checked | None) -> dict[str, Any]:
    if checked is None:
        return {"verdict": None, "stamp": None, "introduced": 0, "files": 0, "unknown": 0}
    report = checked.report
    counting = [item for item in report.introduced if counts(item.severity, checked.severity)]
    return {
        "verdict": report.verdict,
        "stamp": report.stamp,
        "introduced": len(counting),
        "files": len(report.files),
        "unknown": sum(file.verdict == "unknown" for file in report.files),
    }


def _error_json(error: UnderstudyError | None) -> dict[str, str | None] | None:
    return None if error is None else {"code": error.code, "text": error.text, "where": error.where}
