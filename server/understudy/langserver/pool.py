"""The pool: every server of this host, leased to one owner at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.langserver.client import Hooks
from understudy.langserver.seat import Seat, ServerLimits, State
from understudy.langserver.server import POLITE_S
from understudy.langserver.spec import ServerSpec
from understudy.langserver.staged_disk import OpenStage
from understudy.langserver.turns.typing_pause import TypingPause
from understudy.process.launch import Spawn
from understudy.process.machine_memory import is_short_of_memory
from understudy.shadow.folder import FolderView
from understudy.values.frozen import frozen
from understudy.values.verdicts import Reason

if TYPE_CHECKING:
    from understudy.langserver.lease import Lease

_COPY = "#"
"""In the key of a further process for a spec, before its number."""
_CLOSE_S = POLITE_S + 4.0
MAX_CONFIGURED = 2
"""Processes of one server for configurations that are only on stages; those in use stay longer."""


@frozen(slots=True)
class ServerStatus:
    """What one server is doing. `resident`: bytes, of its whole process tree.

    `staged`: it runs on a stage, where its disk is the branch's.
    """

    name: str
    root: str
    staged: bool
    pid: int | None
    generation: int
    state: State
    resident: int
    n_open: int
    n_waiting: int
    last_error: str | None


class Pool:
    """Starts servers at their first use and ends them; `logs` gets each one's stderr."""

    def __init__(
        self,
        logs: Path,
        spawn: Spawn,
        limits: ServerLimits | None = None,
        hooks: Hooks | None = None,
        open_stage: OpenStage | None = None,
    ) -> None:
        self._logs = logs
        self._spawn = spawn
        self._limits = limits or ServerLimits()
        self._hooks = hooks or Hooks()
        self._open_stage = open_stage
        self._seats: dict[str, Seat] = {}
        self._retiring: set[Seat] = set()
        self._closed = False
        self._copies = 1
        self._last_seats: dict[str, Seat] = {}
        self.typing_pause = TypingPause()

    @asynccontextmanager
    async def lease(
        self, spec: ServerSpec, owner: str, deadline: float
    ) -> AsyncGenerator[Lease, None]:
        """The owner's turn at the server, in a gap of the user's typing; `deadline` in loop time.

        Where those who wait have no time to spare, no gap is waited for.

        Who does not get a turn in time gets a lease that answers with the reason.
        """
        # Loaded while a server starts: it takes as long as the handshake.
        from understudy.langserver.lease import Lease  # noqa: PLC0415

        seat = self._seat_for(spec, owner)
        try:
            await seat.queue.acquire(owner, deadline)
        except asyncio.TimeoutError:
            text = f"{spec.name} was busy with others all the time{seat.urgency.why_late()}"
            yield Lease(seat, Reason("timeout", text))
            return
        try:
            await self.typing_pause.wait(seat.urgency.leeway(deadline))
            seat.urgency.turn_begins(deadline)
            yield Lease(seat)
        finally:
            seat.release()

    @contextmanager
    def several(self, copies: int) -> Generator[None, None, None]:
        """Have up to so many processes of each server, while many wait and memory allows it."""
        former, self._copies = self._copies, max(copies, self._copies)
        try:
            yield
        finally:
            self._copies = former
            if former == 1:
                self._last_seats = {}
                for key in [key for key in self._seats if _COPY in key]:
                    self._end(key)

    def start(self, spec: ServerSpec, folder: FolderView) -> None:
        """Start a server in the user's folder ahead of its first lease; a failure shows there.

        What has changed since the scan of `folder` will be told to it then.
        """
        self._seat(spec).start(folder)

    async def status(self) -> list[ServerStatus]:
        """All servers used so far, with their memory as of now."""
        await asyncio.gather(*(seat.look_at_memory() for seat in self._seats.values()))
        return [_status(seat) for seat in self._seats.values()]

    def give_way(self) -> None:
        """From now on a user types meanwhile: servers that start give way to other programs."""
        self._limits = replace(self._limits, yields=True)

    def retire(self, outdated: Callable[[ServerSpec], bool]) -> None:
        """End the servers that nobody will use again, each as soon as it is free."""
        for key, seat in list(self._seats.items()):
            if outdated(seat.spec):
                self._end(key)

    async def close(self) -> None:
        """End all servers: politely within 2 s, then by force. Later leases only give a reason."""
        self._closed = True
        seats = [*self._seats.values(), *self._retiring]
        await asyncio.gather(*(seat.close(_CLOSE_S) for seat in seats))

    def _end(self, key: str) -> None:
        seat = self._seats.pop(key)
        self._retiring.add(seat)
        self._spawn(self._retire(seat), f"retiring {seat.spec.name}")

    def _seat_for(self, spec: ServerSpec, owner: str) -> Seat:
        """The process that shows the owner's text already, a free one, a new one, or the first.

        A server on a stage has one: its disk is one.
        """
        if self._copies == 1 or spec.staged is not None:
            return self._seat(spec)
        place = f"{spec.key} {owner}"
        keys = [spec.key, *(f"{spec.key}{_COPY}{n}" for n in range(1, self._copies))]
        last = self._last_seats.get(place)
        there = [seat for seat in map(self._seats.get, keys) if seat is not None]
        seat = last if last in there else next((one for one in there if not one.queue.held), None)
        if seat is None:
            missing = next((key for key in keys if key not in self._seats), None)
            if missing is None or (there and is_short_of_memory()):
                seat = min(there, key=lambda one: len(one.queue))
            else:
                seat = self._seat(spec, missing)
        self._last_seats[place] = seat
        return seat

    def _seat(self, spec: ServerSpec, key: str | None = None) -> Seat:
        key = key or spec.key
        seat = self._seats.pop(key, None)
        if seat is None:
            self._make_room(spec)
            seat = Seat(
                spec,
                self._log_of(spec, key.partition(_COPY)[2]),
                self._hooks,
                self._spawn,
                self._limits,
                self._open_stage,
            )
            if self._closed:
                seat.refuse()
        self._seats[key] = seat  # the last one is the last used
        return seat

    def _make_room(self, spec: ServerSpec) -> None:
        """Each configuration that branches try out takes a process: end those of long ago.

        So are those for what the configuration took from other files that are others by now.
        """
        self.retire(lambda other: other != spec and other.configured_by(spec.configured) == spec)
        if not spec.staged:
            return
        rivals = [
            seat
            for seat in self._seats.values()
            if seat.spec.staged and seat.spec.name == spec.name and not seat.queue.held
        ]
        surplus = {seat.spec.key for seat in rivals[: max(len(rivals) + 1 - MAX_CONFIGURED, 0)]}
        self.retire(lambda other: other.key in surplus)

    async def _retire(self, seat: Seat) -> None:
        """Close a seat when nobody waits for it any more."""
        await seat.queue.acquire("retiring", float("inf"))
        while len(seat.queue):
            seat.queue.release()
            await seat.queue.acquire("retiring", float("inf"))
        await seat.close(_CLOSE_S)
        seat.queue.release()
        self._retiring.discard(seat)

    def _log_of(self, spec: ServerSpec, copy: str) -> Path:
        named = spec.configured_by("").key[:8]
        return self._logs / f"{spec.name}-{named}{copy and f'-{copy}'}.log"


def _status(seat: Seat) -> ServerStatus:
    server = seat.server
    return ServerStatus(
        name=seat.spec.name,
        root=str(seat.spec.root.path),
        staged=seat.spec.staged is not None,
        pid=None if server is None else server.pid,
        generation=seat.generation,
        state=seat.state,
        resident=seat.resident,
        n_open=0 if server is None else len(server.documents),
        n_waiting=len(seat.queue),
        last_error=None if seat.last_error is None else seat.last_error.text,
    )
