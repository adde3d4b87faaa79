"""The tools of the workspace's MCP servers as files, brought up to date in the background.

Each server is asked by a task of its own, within a limit, and less and less often while it fails;
no server waits for another one.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from understudy.context.server_news import ServerChange
from understudy.context.tool_list import ToolList, tool_list
from understudy.disk.layout import Layout
from understudy.disk.store.tool_folder import McpFolder
from understudy.mcpclient.model import Status
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.workspace.tasks import Tasks
from understudy.workspace.tools.link import ToolServerLink
from understudy.workspace.tools.servers import ServerFiles, ToolServerEntry, Workspace

LIST_SECONDS = 40.0
"""Limit for starting a server and listing its tools; some are downloaded first."""

LOOK_SECONDS = 5.0
AGAIN_SECONDS = 6 * 3600.0
_FIRST_PAUSE: Mapping[str, float] = {"failed": 30.0, "needs-auth": 300.0}
_LONGEST_PAUSE = 6 * 3600.0
_MOST_NAMED = 20
HIDDEN = frozenset({"disabled", "needs-trust"})
"""Servers in such a state have no tools that anybody could call, so none are shown."""

log = logging.getLogger(__name__)


@frozen
class ServerState:
    """A server as it is now: how many tools it has, and what its definition would run or reach."""

    name: str
    status: Status
    hint: str
    tools: int
    origin: str
    shown: str
    problems: tuple[str, ...] = ()


@dataclass
class _Timing:
    """When a server is asked next, on the monotonic clock, and how often it has failed."""

    due: float = 0.0
    failures: int = 0


class ToolCatalogue:
    """One workspace's tool servers; only the workspace's host has one."""

    def __init__(
        self, files: ServerFiles, folder: McpFolder, layout: Layout, tasks: Tasks,
        on_change: Callable[[], None],
    ) -> None:  # fmt: skip
        self.files = files
        self.folder = folder
        self.link = ToolServerLink(tasks, layout.log("mcp"), self._list_changed)
        self._tasks = tasks
        self._on_change = on_change
        self._workspace = Workspace({}, ())
        self._marks: tuple[object, ...] | None = None
        self._states: dict[str, ServerState] = {}
        self._timing: dict[str, _Timing] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._looking = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._poke = asyncio.Event()
        self._asked: set[str] = set()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the files that define servers."""
        return self._workspace.problems

    async def states(self) -> tuple[ServerState, ...]:
        """Every server as it is known now, by name; nothing is started."""
        await self._look()
        return tuple(self._states[name] for name in sorted(self._states))

    async def entry(self, name: str) -> ToolServerEntry:
        """A server that may be asked; raises BadInput `unknown-server`, Refused by its status."""
        await self._look()
        found = self._workspace.entries.get(name)
        if found is None:
            known = ", ".join(sorted(self._workspace.entries)) or "none"
            raise BadInput("unknown-server", f"there are: {known}", name)
        if found.filled is None:
            raise Refused(found.status, found.hint, name)
        return found

    async def sync(self, names: Iterable[str] = ()) -> tuple[ServerState, ...]:
        """Ask these servers (none: all that may be) now, whatever they answered before."""
        await self._look()
        wanted = tuple(names) or tuple(self._workspace.entries)
        for name in wanted:
            if name not in self._workspace.entries:
                await self.entry(name)  # raises that there is none
        await asyncio.gather(*(self._sync_one(name) for name in wanted))
        return tuple(self._states[name] for name in sorted(wanted) if name in self._states)

    async def allow(self, names: Iterable[str], *, withdraw: bool) -> tuple[ServerState, ...]:
        """Note the user's consent to these definitions, or its end; nothing is started by it.

        Raises BadInput `unknown-server`, changing nothing; OutsideFailure `state-unwritable`.
        """
        await self._look()
        wanted = frozenset(names)
        entries = self._workspace.entries
        for name in sorted(wanted):
            if name not in entries and not (withdraw and name in self.files.consent.allowed()):
                await self.entry(name)  # raises that there is none
        if withdraw:
            await asyncio.to_thread(self.files.consent.change, {}, wanted)
            for name in wanted:
                await self.link.leave(name)
        else:
            digests = {name: entries[name].server.digest for name in wanted}
            await asyncio.to_thread(self.files.consent.change, digests)
        self._marks = None
        found = await self.states()
        self._poke.set()
        return tuple(state for state in found if state.name in wanted)

    async def keep(self) -> None:
        """Bring the catalogue up to date now and whenever it is due, until cancelled."""
        while True:
            try:
                await self._look()
                now = time.monotonic()
                for name, entry in self._workspace.entries.items():
                    if entry.filled and self._due(name) <= now and name not in self._asked:
                        self._tasks.spawn(self._sync_one(name), f"list the tools of {name}")
            except OutsideFailure as failure:
                log.warning("the catalogue of tools: %s", failure)
            self._poke.clear()
            waiting = asyncio.ensure_future(self._poke.wait())
            await asyncio.wait([waiting], timeout=LOOK_SECONDS)
            waiting.cancel()

    async def note(self, name: str, failure: OutsideFailure) -> str:
        """Take what a call met as the server's state; the hint for whoever called."""
        entry = await self.entry(name)
        return await self._failed(entry, failure)

    async def close(self) -> None:
        """End every server that runs."""
        await self.link.close()

    async def _look(self) -> None:
        """Read the definitions again if they may have changed, and take what follows from them."""
        async with self._looking:
            marks = await asyncio.to_thread(self.files.marks)
            if marks == self._marks:
                return
            before = self._workspace.entries
            self._workspace = await asyncio.to_thread(self.files.read)
            entries = self._workspace.entries
            self.folder.know(frozenset(entries))
            for name in self._states.keys() - entries.keys():
                del self._states[name]
            for name, entry in entries.items():
                old = before.get(name)
                if old is not None and old.filled is not None and entry.filled is None:
                    await self.link.leave(name)
                if old is None or old != entry:
                    self._timing[name] = _Timing()
                    await self._take(entry)
            await self._tidy()
            self._marks = marks

    async def _take(self, entry: ToolServerEntry) -> None:
        """The state that an entry begins with, before anybody has asked it."""
        name = entry.server.name
        if entry.filled is None:
            tools = ToolList({}, (), ()) if entry.status in HIDDEN else None
            await self._settle(entry, entry.status, entry.hint, tools, is_one_of_many=True)
            return
        on_file = await asyncio.to_thread(self.folder.status, name)
        self._states[name] = _state(entry, "starting", "", int((on_file or {}).get("tools", 0)))
        if on_file is None or on_file.get("status") in HIDDEN:
            status = _status_json(self._states[name], None)
            async with self._writing:
                await asyncio.to_thread(self.folder.write, name, status, None)

    async def _sync_one(self, name: str) -> None:
        async with self._locks.setdefault(name, asyncio.Lock()):
            entry = self._workspace.entries.get(name)
            if entry is None or entry.filled is None:
                return
            self._asked.add(name)
            try:
                listed = await self.link.tools(entry.filled.start, LIST_SECONDS)
            except OutsideFailure as failure:
                await self._failed(entry, failure)
                return
            finally:
                self._asked.discard(name)
            if self._workspace.entries.get(name) != entry:
                return  # it was defined anew, or withdrawn, meanwhile
            self._timing[name] = _Timing(time.monotonic() + AGAIN_SECONDS)
            tools = tool_list(listed["tools"])
            problems = [entry.filled.redacted(text) for text in tools.problems]
            hint = "" if listed["cut"] is None else f"{listed['cut']}; the rest is left out"
            await self._settle(entry, "ready", hint, tools, _first(problems))

    async def _failed(self, entry: ToolServerEntry, failure: OutsideFailure) -> str:
        """Settle on `needs-auth` or `failed`; the last known tools stay."""
        assert entry.filled is not None
        name, text = entry.server.name, entry.filled.redacted(failure.text)
        status: Status = "needs-auth" if failure.code == "needs-auth" else "failed"
        if status == "needs-auth":
            text = (
                f"{text}: the user must sign in again, or renew what {entry.server.origin} sends; "
                "its tools are listed as they were"
            )
        timing = self._timing.setdefault(name, _Timing())
        pause = min(_FIRST_PAUSE[status] * 2**timing.failures, _LONGEST_PAUSE)
        self._timing[name] = _Timing(time.monotonic() + pause, timing.failures + 1)
        if self._workspace.entries.get(name) == entry:
            await self._settle(entry, status, text, None)
        return text

    async def _settle(
        self, entry: ToolServerEntry, status: Status, hint: str, tools: ToolList | None,
        problems: tuple[str, ...] = (), *, is_one_of_many: bool = False,
    ) -> None:  # fmt: skip
        """Write the state and the tools; tell everybody if it is another one than before."""
        name = entry.server.name
        async with self._writing:
            before = await asyncio.to_thread(self.folder.status, name)
            known = await asyncio.to_thread(self.folder.tools, name)
            names = known if tools is None else tools.names
            state = _state(entry, status, hint, len(names), problems)
            digest = (before or {}).get("digest") if tools is None else tools.digest
            await asyncio.to_thread(self.folder.write, name, _status_json(state, digest), tools)
            is_news = before is None or before.get("status") != status
            if before is None and status in HIDDEN:
                is_news = False  # it was never more than this
            if is_news or (status == "ready" and names != known):
                was = str((before or {}).get("status", ""))
                change = ServerChange(
                    0, int(time.time()), name, status, "" if was == "starting" else was, hint,
                    _first(sorted({*names} - {*known})), _first(sorted({*known} - {*names})),
                )  # fmt: skip
                await asyncio.to_thread(self.folder.add_change, change)
        is_other = self._states.get(name) != state
        self._states[name] = state
        if not is_one_of_many:
            await self._tidy()
        if is_other:
            self._on_change()

    async def _tidy(self) -> None:
        shown = [name for name, state in self._states.items() if state.status not in HIDDEN]
        async with self._writing:
            await asyncio.to_thread(functools.partial(_tidy, self.folder, shown))

    def _due(self, name: str) -> float:
        return self._timing.setdefault(name, _Timing()).due

    def _list_changed(self, name: str) -> None:
        """A server says that its tools are others now."""
        if name in self._workspace.entries:
            self._timing[name] = _Timing()
            self._poke.set()


def _tidy(folder: McpFolder, shown: Iterable[str]) -> None:
    folder.tidy({name: folder.tools(name) for name in shown})


def _state(
    entry: ToolServerEntry, status: Status, hint: str, n_tools: int, problems: tuple[str, ...] = ()
) -> ServerState:
    server = entry.server
    return ServerState(server.name, status, hint, n_tools, server.origin, server.shown, problems)


def _status_json(state: ServerState, digest: object) -> dict[str, Any]:
    return {
        "server": state.name,
        "status": state.status,
        "hint": state.hint,
        "tools": state.tools,
        "digest": digest,
        "problems": list(state.problems),
    }


def _first(texts: list[str]) -> tuple[str, ...]:
    left = len(texts) - _MOST_NAMED
    more = (f"and {left} more",) if left > 0 else ()
    return (*texts[:_MOST_NAMED], *more)
