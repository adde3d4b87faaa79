"""Services: commands of one asker that go on, on a shared stage, beside the runs that name it."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from understudy.app.run.run import RunOptions, RunReceipt, run
from understudy.stage.model import Stage
from understudy.values.errors import BadInput, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import time_limit
from understudy.workspace.progress import Audience, Stream
from understudy.workspace.runs.stages import RunStage
from understudy.workspace.session import Session

READY_S = 45.0
"""How long a service may take to be ready, where it names no time."""
MOST = 16
"""Services of one asker that run at once."""
_LOOK_AGAIN_S = 0.1
_LONGEST_TEXT = 1000
_END_S = 15.0
_numbers = itertools.count(1)


@frozen
class Until:
    """When a service is ready: its output has a text, or something listens at its port."""

    text: bytes = b""
    port: int | None = None

    @staticmethod
    def parse(asked: str) -> Until:
        """A text, or `:PORT`; raises BadInput `bad-until`."""
        number = re.fullmatch(r":([0-9]+)", asked)
        if number is not None:
            port = int(number[1]) if len(number[1]) <= 5 else 0
            if not 0 < port < 1 << 16:
                raise BadInput("bad-until", "a port is a number from 1 to 65535", asked[:20])
            return Until(port=port)
        if not 0 < len(asked) <= _LONGEST_TEXT:
            text = f"name `:PORT`, or a text of 1 to {_LONGEST_TEXT} characters"
            raise BadInput("bad-until", text, "until")
        return Until(asked.encode("utf-8", "surrogatepass"))

    def __str__(self) -> str:
        """What has happened once it is ready, in words."""
        return "its output has that text" if self.port is None else f"port {self.port} listens"


@dataclass
class StageService:
    """One command that goes on; it is told to end by `stopping`."""

    options: RunOptions
    until: Until
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    output: Path | None = None
    stale: frozenset[str] = frozenset()
    """What its stage has as it was when that was opened, and not as this service's branch."""
    running: asyncio.Task[RunReceipt] | None = None
    _stage: Stage | None = None
    _started: asyncio.Event = field(default_factory=asyncio.Event)
    _said: asyncio.Event = field(default_factory=asyncio.Event)
    _ends: dict[Stream, bytes] = field(default_factory=dict[Stream, bytes])

    @property
    def is_over(self) -> bool:
        """Whether the command has ended, and its receipt, or why there is none, is there."""
        return self.running is not None and self.running.done()

    async def come(self, opened: RunStage) -> None:
        """Raise Refused `port-taken` where something listens before the service can."""
        if self.until.port is not None and await opened.stage.listens(self.until.port):
            text = "something listens there already, so nobody could tell when the service does"
            raise Refused("port-taken", text, f":{self.until.port}")
        self._stage, self.stale = opened.stage, opened.stale

    async def ready(self) -> None:
        """Return once it is; for ever not, where it ends before."""
        if self.until.port is None:
            await self._said.wait()
            return
        await self._started.wait()
        assert self._stage is not None
        while not await self._stage.listens(self.until.port):  # noqa: ASYNC110 - see below
            await asyncio.sleep(_LOOK_AGAIN_S)  # the kernel tells nobody who begins to listen

    def audience(self) -> Audience:
        """Who hears the command: this, for as long as it looks for a text."""
        return Audience(live=self._hear, placed=self._placed)

    def _placed(self, place: Path) -> None:
        self.output = place
        self._started.set()

    def _hear(self, stream: Stream, data: bytes) -> None:
        wanted = self.until.text
        if not wanted or self._said.is_set():
            return
        found = self._ends.get(stream, b"") + data
        if wanted in found:
            self._said.set()
        self._ends[stream] = found[-(len(wanted) - 1) :] if len(wanted) > 1 else b""


@frozen
class NotUp:
    """A service that was never ready: its receipt, and why."""

    receipt: RunReceipt
    why: str


@frozen
class ServiceEnd:
    """How a service has ended: its receipt, or why there is none."""

    service: StageService
    receipt: RunReceipt | None
    failure: str = ""


class Services:
    """The services of one asker, by the stages that it has named; none outlives it."""

    def __init__(self, session: Session) -> None:
        self.owner = f"asker {next(_numbers)}"
        """Whose the stages are: no other asker's runs come onto them."""
        self.session = session
        self._all: list[StageService] = []
        self._is_closed = False

    async def start(
        self,
        options: RunOptions,
        until: Until,
        live_base: LiveBase,
        branch: str | None,
    ) -> StageService | NotUp:
        """Start a service and wait until it is ready; what came of it where it never was.

        `options.seconds` is how long that may take. Raises as `run` does, BadInput `bad-params`,
        Refused `port-taken`, `too-many-services`.
        """
        self._refuse(options, until)
        seconds = time_limit(options.seconds, READY_S)
        service = StageService(options, until)
        work = run(
            self.session, branch, options, service.audience(),
            owner=self.owner, live_base=live_base, attendant=service,
        )  # fmt: skip
        service.running = self.session.tasks.spawn(work, "a service")
        self._all.append(service)
        waiting = self.session.tasks.spawn(service.ready(), "wait for a service")
        is_ready, why = False, "it has ended before it was ready"
        try:
            await asyncio.wait(
                (service.running, waiting), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            is_ready = _is_done(waiting) and not service.is_over
            if not service.is_over and not waiting.done():
                why = f"it was not ready in {seconds:g} s, and is ended"
        finally:
            waiting.cancel()
            if not is_ready:
                self._all = [one for one in self._all if one is not service]
                service.stopping.set()
        if is_ready:
            return service
        await asyncio.wait((service.running,))
        return NotUp(service.running.result(), why)

    def running(self, stage: str | None) -> list[StageService]:
        """The services that run on the stage of that name."""
        return [one for one in self._on(stage) if not one.is_over]

    def ended(self, stage: str | None) -> list[ServiceEnd]:
        """Those on that stage that have ended by themselves; each is told once."""
        over = [one for one in self._on(stage) if one.is_over]
        self._all = [one for one in self._all if one not in over]
        return [_end_of(one) for one in over]

    async def stop(self, stage: str) -> list[ServiceEnd]:
        """End the services on that stage; how each has ended. Raises BadInput `no-service`."""
        found = self._on(stage)
        if not found:
            raise BadInput("no-service", "no service of this session runs on that stage", stage)
        await _stop(found)
        self._all = [one for one in self._all if one not in found]
        return [_end_of(one) for one in found]

    async def close(self) -> None:
        """End all of them, each within its limit."""
        self._is_closed = True
        found, self._all = self._all, []
        await _stop(found, _END_S)
        for one in found:
            if one.running is not None:
                one.running.cancel()

    def _on(self, stage: str | None) -> list[StageService]:
        return [one for one in self._all if one.options.shared == stage]

    def _refuse(self, options: RunOptions, until: Until) -> None:
        if self._is_closed:
            raise BadInput("no-service", "this session, and its services, have ended", "until")
        if options.shared is None:
            raise BadInput("bad-params", "a service needs a stage that others can name", "stage")
        if options.adopt:
            text = "a service adopts nothing: runs on its stage can, while it runs"
            raise BadInput("bad-params", text, "adopt")
        running = [one for one in self._all if not one.is_over]
        if len(running) >= MOST:
            raise Refused("too-many-services", f"{MOST} services run already; end some", "until")
        taken = {one.until.port for one in running if one.options.shared == options.shared}
        if until.port is not None and until.port in taken:
            raise Refused("port-taken", "a service of that stage has it", f":{until.port}")


async def _stop(services: Sequence[StageService], seconds: float | None = None) -> None:
    for one in services:
        one.stopping.set()
    waits = [one.running for one in services if one.running is not None]
    if waits:
        await asyncio.wait(waits, timeout=seconds)


def _end_of(service: StageService) -> ServiceEnd:
    assert service.running is not None
    try:
        return ServiceEnd(service, service.running.result())
    except UnderstudyError as error:
        return ServiceEnd(service, None, str(error))
    except asyncio.CancelledError:
        return ServiceEnd(service, None, "cancelled")


def _is_done(task: asyncio.Task[None]) -> bool:
    """Whether it has come to its end by itself; what it has raised, the command's end tells."""
    return task.done() and not task.cancelled() and task.exception() is None
