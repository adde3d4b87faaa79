"""The place of one server in the pool: its generations, their start, back-off and end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from understudy.disk.voices import Voices
from understudy.langserver.client import Hooks
from understudy.langserver.folder_follower import NeedsRestart
from understudy.langserver.server import Server, start
from understudy.langserver.spec import ServerSpec
from understudy.langserver.staged_disk import OpenStage, StagedDisk
from understudy.langserver.turns.queue import FairQueue
from understudy.langserver.turns.urgency import Urgency
from understudy.process.launch import Spawn
from understudy.process.tree import resident_bytes
from understudy.shadow.folder import FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.verdicts import Reason, ReasonCode

_BACK_OFF_S = (0.0, 0.0, 1.0, 5.0, 30.0)
"""Wait before the next start, by the number of failures in a row."""

_REASONS: Mapping[str, ReasonCode] = MappingProxyType(
    {
        "not-installed": "not-installed",
        "timeout": "timeout",
        "stage-unavailable": "unsupported",
    }
)
_log = logging.getLogger(__name__)

State = Literal["stopped", "starting", "idle", "busy", "failed"]


@frozen(slots=True)
class ServerLimits:
    """Times in seconds, memory in bytes (resident, of a server's whole process tree).

    `yields`: the servers give way to what the user does meanwhile.
    """

    start_s: float = 120.0
    idle_s: float = 15 * 60.0
    memory_bytes: int = 4 * 1024**3
    memory_look_s: float = 10.0
    yields: bool = False


class Seat:
    """At most one live process; whoever holds the queue's turn may use it."""

    def __init__(
        self,
        spec: ServerSpec,
        log: Path,
        hooks: Hooks,
        spawn: Spawn,
        limits: ServerLimits,
        open_stage: OpenStage | None = None,
    ) -> None:
        self.spec = spec
        self.queue = FairQueue()
        self.urgency = Urgency(spec.name, self.queue.deadlines, spawn, yields=limits.yields)
        self.generation = 0
        self.server: Server | None = None
        self.last_error: Reason | None = None
        self.resident = 0
        self._log_path = log
        self._hooks = hooks
        self._spawn = spawn
        self._limits = limits
        self._open_stage = open_stage
        self._failures = 0
        self._not_before = 0.0
        self._starting: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._looked_at = 0.0
        self._closed = False

    @property
    def voices(self) -> Voices:
        """Which servers have found anything in the folder."""
        return self._hooks.voices

    @property
    def state(self) -> State:
        """What it is doing."""
        if self._starting is not None:
            return "starting"
        if self.server is None:
            return "failed" if self.last_error is not None else "stopped"
        return "busy" if self.queue.held else "idle"

    async def running(self, deadline: float, snapshot: Snapshot) -> Server | Reason:
        """The live server, started if need be; the start goes on when the deadline passes.

        On a stage it starts with the snapshot's files.
        """
        if self._closed:
            return Reason("cancelled", "the session has ended")
        self._stop_idle_timer()
        if self.server is not None and self.server.dead is not None:
            self.give_up(self.server.dead, crashed=True)
        if self.server is not None:
            return self.server
        loop = asyncio.get_running_loop()
        if self._starting is None:
            if self.last_error is not None and loop.time() < self._not_before:
                text = f"it failed {self._failures} times and is left alone for a while; "
                return Reason(self.last_error.code, text + self.last_error.text)
            self._starting = self._spawn(self._start(snapshot), f"starting {self.spec.name}")
        start = self._starting
        await asyncio.wait([start], timeout=max(deadline - loop.time(), 0))
        if self.server is not None:
            return self.server
        if not start.done():
            late = self.urgency.why_late()
            return Reason("starting", f"{self.spec.name} is still starting{late}; ask again")
        return self.last_error or Reason("cancelled", "the start was cancelled")

    def start(self, folder: FolderView) -> None:
        """Start the process ahead of its first use, unless there is one or it has failed before.

        Not on a stage. What has changed since the scan of `folder` will be told at the first use.
        """
        if not self._closed and self.state == "stopped":
            assert self.spec.staged is None
            start = self._start(None, folder)
            self._starting = self._spawn(start, f"starting {self.spec.name}")

    def give_up(self, why: str, *, crashed: bool) -> None:
        """End the live process; the next use starts another generation."""
        server, self.server = self.server, None
        if server is None:
            return
        if crashed:
            self._failed(Reason("crashed", server.explain(why)))
        _log.info("%s generation %d ends: %s", self.spec.name, server.generation, why)
        self._tell()
        task = self._spawn(server.stop(), f"ending {self.spec.name}")
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def proved(self) -> None:
        """An answer was proven: earlier failures no longer count."""
        self._failures = 0
        self.last_error = None

    def release(self) -> None:
        """Pass the turn on; before that, replace a server that is dead, spoiled or too big."""
        self.urgency.turn_ends()
        server = self.server
        if server is not None:
            if server.dead is not None:
                self.give_up(server.dead, crashed=True)
            elif server.spoiled is not None:
                self._failed(Reason("unproven", server.spoiled))
                self.give_up(server.spoiled, crashed=False)
            elif self.resident > self._limits.memory_bytes:
                self.give_up("it uses more memory than it may", crashed=False)
                self.resident = 0
        self.queue.release()
        loop = asyncio.get_running_loop()
        if self.server is not None and not self.queue.held and not self._closed:
            self._start_idle_timer()
            if loop.time() - self._looked_at > self._limits.memory_look_s:
                self._looked_at = loop.time()
                self._spawn(self.look_at_memory(), f"measuring {self.spec.name}")

    async def look_at_memory(self) -> None:
        """Measure the process tree; done in a thread, it takes milliseconds."""
        server = self.server
        if server is None:
            self.resident = 0
            return
        resident = await asyncio.to_thread(resident_bytes, server.pid)
        if server is self.server:
            self.resident = resident
            if resident > self._limits.memory_bytes and not self.queue.held:
                self.give_up("it uses more memory than it may", crashed=False)
                self.resident = 0

    def refuse(self) -> None:
        """Start nothing any more."""
        self._closed = True

    async def close(self, seconds: float) -> None:
        """End everything, within that time; nothing starts again."""
        self._closed = True
        self._stop_idle_timer()
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting], timeout=seconds)
        self.give_up("shutting down", crashed=False)
        if self._ending:
            await asyncio.wait(set(self._ending), timeout=seconds)

    async def _start(self, snapshot: Snapshot | None, folder: FolderView | None = None) -> None:
        self.generation += 1
        disk: StagedDisk | None = None
        try:
            if snapshot is not None and self.spec.staged is not None:
                disk = await self._stage(snapshot)
            self.server = await start(
                self.spec,
                self.generation,
                self._log_path,
                self._hooks,
                self._spawn,
                self._limits.start_s,
                self.urgency.launched,
                disk,
            )
            if folder is not None:
                self.server.documents.start_from(folder)
        except OutsideFailure as failure:
            late = self.urgency.why_late() if failure.code == "timeout" else ""
            self._failed(Reason(_REASONS.get(failure.code, "crashed"), f"{failure}{late}"))
        except BadInput as refusal:  # of this snapshot: another may be shown at once
            self.last_error = Reason("unsupported", f"it cannot be staged: {refusal}")
        except (Moved, NeedsRestart) as signal:
            self.last_error = Reason("unproven", f"the folder changed meanwhile: {signal}")
        finally:
            if self.server is None and disk is not None:
                await disk.close()
            self._starting = None
            self._looked_at = asyncio.get_running_loop().time()
            if self.server is not None and not self.queue.held:
                self._start_idle_timer()  # whoever wanted it did not wait for it
            self._tell()

    async def _stage(self, snapshot: Snapshot) -> StagedDisk:
        if self._open_stage is None:
            raise OutsideFailure("stage-unavailable", "there are no stages here")
        return await StagedDisk.open(self._open_stage, self.spec, snapshot, self._spawn)

    def _tell(self) -> None:
        if self._hooks.servers_changed is not None:
            self._hooks.servers_changed()

    def _failed(self, reason: Reason) -> None:
        self.last_error = reason
        self._failures += 1
        wait = _BACK_OFF_S[min(self._failures, len(_BACK_OFF_S) - 1)]
        self._not_before = asyncio.get_running_loop().time() + wait

    def _idle(self) -> None:
        if not self.queue.held:
            self.give_up("nobody has used it for a while", crashed=False)

    def _start_idle_timer(self) -> None:
        self._stop_idle_timer()
        loop = asyncio.get_running_loop()
        self._idle_timer = loop.call_later(self._limits.idle_s, self._idle)

    def _stop_idle_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
