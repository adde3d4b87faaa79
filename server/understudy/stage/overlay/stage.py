"""One open overlay stage: everything goes over its channel or through its descriptors."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from understudy.process.launch import Spawn
from understudy.process.stderr_log import StderrLog
from understudy.stage.beneath import (
    check_path,
    read_file,
    real_path,
    remove_file,
    touch_folder,
    write_file,
)
from understudy.stage.cgroup import Bounds
from understudy.stage.channel import Channel, Message, lost
from understudy.stage.git.copied import GitCopy, GitView, hold_loose
from understudy.stage.live import NOT_FROZEN, Frozen
from understudy.stage.model import (
    Changes,
    Command,
    CommandEnd,
    Isolation,
    KindName,
    MemoryLimit,
    Sink,
    StagePlan,
)
from understudy.stage.overlay.foreign import foreign_paths
from understudy.stage.overlay.handles import Handles
from understudy.stage.overlay.left import record
from understudy.stage.overlay.starting import limits_of, start_failure, start_request
from understudy.stage.overlay.upper import compare
from understudy.stage.reach.doors import Doors
from understudy.stage.scratch import Scratch
from understudy.stage.shown.surroundings import Surroundings
from understudy.stage.staged_process import (
    EndedByLimit,
    Staged,
    StagedProgram,
    host_pid,
    reading,
    writing,
)
from understudy.stage.staged_run import Pump, follow
from understudy.values.errors import OutsideFailure, Refused

T = TypeVar("T")

_END_S = 5.0


class OverlayStage:
    """A stage with its processes; `on_close` lets the kind forget it."""

    kind: KindName = "overlay"
    frozen: Frozen = NOT_FROZEN

    def __init__(
        self,
        plan: StagePlan,
        isolation: Isolation,
        scratch: Scratch | None,
        bounds: Bounds,
        on_close: Callable[[OverlayStage], None],
    ) -> None:
        self.root = plan.root
        self.isolation = isolation
        self.shown: Surroundings | None = None
        self.git: tuple[GitCopy, ...] = ()
        self._limits = plan.limits
        self._added = plan.added
        self.doors = Doors(plan.hosts, self._open_channel)
        self._scratch = scratch
        self._bounds = bounds
        self._on_close = on_close
        self._channel: Channel | None = None
        self._handles: Handles | None = None
        self._running: dict[int, Staged] = {}
        self._ended_early: dict[int, tuple[int, EndedByLimit | None]] = {}
        self._written: dict[str, bytes | None] = {}
        self._worker = ThreadPoolExecutor(1, f"stage {plan.root.name}")
        self._is_closing = False
        self._stop = Event()
        self.holding: asyncio.Future[None] | None = None

    @property
    def memory(self) -> MemoryLimit:
        """What its processes may hold together, and what keeps them to it."""
        return self._bounds.told

    def attach(
        self,
        channel: Channel,
        handles: Handles,
        shown: Surroundings,
        read_only: Sequence[str],
        unveiled: Sequence[str],
    ) -> None:
        """Take over what the first process has set up; the folders could not be overlaid.

        Below `read_only` ones nothing is written, below `unveiled` ones sockets are reached.
        """
        self.shown = shown
        notes = tuple(f"nothing can be written below {path}" for path in read_only)
        notes += tuple(f"sockets in {path} that come up later can be reached" for path in unveiled)
        self.isolation = replace(self.isolation, notes=self.isolation.notes + notes)
        self._channel = channel
        self._handles = handles

    @property
    def missed(self) -> tuple[str, ...]:
        """See `model.Stage.missed`."""
        return self.doors.missed

    def hold(self, git: GitView) -> None:
        """Take what git may prune outside, while the stage is open."""
        loop = asyncio.get_running_loop()
        self.holding = loop.run_in_executor(None, hold_loose, git, self._stop)

    def on_event(self, event: Message) -> None:
        """A command has ended."""
        reached = event["reached"]
        how = (int(event["status"]), None if reached is None else EndedByLimit(*reached))
        staged = self._running.pop(event["ended"], None)
        if staged is not None:
            staged.end(*how)
        else:
            self._ended_early[event["ended"]] = how

    def on_end(self) -> None:
        """The first process is gone, and the kernel has ended all the others."""
        for staged in self._running.values():
            staged.end(-signal.SIGKILL, None if self._is_closing else EndedByLimit("stage"))
        self._running.clear()

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """See `model.Stage.write`."""
        times = mtimes or {}
        for path in {*files, *times} - {"."}:
            check_path(path)

        def write_all(handles: Handles) -> None:
            # Deletions first: a folder may make way for a file of its name, and the other way.
            for path, data in sorted(files.items(), key=lambda item: item[1] is not None):
                if data is None:
                    real = real_path(self.root, path, last=False)
                    remove_file(handles.root, real)
                else:
                    real = self._write_one(handles.root, path, data, times.get(path))
                self._written[real] = data
            for path in times.keys() - files.keys():
                touch_folder(handles.root, path, times[path])

        await self._work(write_all)

    def _write_one(self, root: int, path: str, data: bytes, mtime: int | None) -> str:
        try:
            write_file(root, path, data, mtime)
        except Refused:
            real = real_path(self.root, path, last=True)
            if real == path:
                raise
            write_file(root, real, data, mtime)
            return real
        return path

    async def read(self, path: str) -> bytes | None:
        """See `model.Stage.read`."""
        check_path(path)

        def read_one(handles: Handles) -> bytes | None:
            try:
                return read_file(handles.root, path)
            except Refused:
                real = real_path(self.root, path, last=True)
                return read_file(handles.root, real) if real != path else None

        return await self._work(read_one)

    async def start(self, command: Command, *, log: Path, spawn: Spawn) -> StagedProgram:
        """See `model.Stage.start`."""
        stderr_log = StderrLog(log)
        pipes = [os.pipe() for _ in range(3)]
        ours = (pipes[0][1], pipes[1][0], pipes[2][0])
        try:
            started = await self._start(command, (pipes[0][0], pipes[1][1], pipes[2][1]))
        except BaseException:  # whatever it is: undone, and raised again
            for descriptor in ours:
                os.close(descriptor)
            stderr_log.close()
            raise
        stdin = await writing(ours[0])
        (stdout, out), (stderr, err) = await reading(ours[1]), await reading(ours[2])
        program = StagedProgram(started, stdin, stdout, (out, err), stderr_log)
        program.drainer = spawn(program.drain(stderr), f"stderr of process {program.pid}")
        self._register(started[1], program)
        return program

    async def run(
        self,
        command: Command,
        output: Sink,
        errors: Sink | None = None,
        *,
        cancelled: asyncio.Event | None = None,
    ) -> CommandEnd:
        """See `model.Stage.run`."""
        nothing = os.open(os.devnull, os.O_RDONLY)
        pipes = [os.pipe() for _ in range(1 if errors is None else 2)]
        readers = [await reading(pipe[0]) for pipe in pipes]
        try:
            started = await self._start(command, (nothing, pipes[0][1], pipes[-1][1]))
            staged = Staged(*started)
            self._register(started[1], staged)
            sinks = (output, errors or output)
            pumps = [Pump(reader, sink) for (reader, _), sink in zip(readers, sinks, strict=False)]
            ended = await follow(staged, command.limits or self._limits, pumps, cancelled)
            return replace(ended, disk_full=await self._work(lambda handles: handles.is_full))
        finally:
            for _, transport in readers:
                transport.close()

    async def changes(self) -> Changes:
        """See `model.Stage.changes`."""
        return await self._work(
            lambda handles: compare(
                list(handles.layers), dict(self._written), lambda: self._is_closing
            )
        )

    async def listens(self, port: int) -> bool:
        """See `model.Stage.listens`."""
        reply, _ = await self._open_channel().request({"do": "listening"})
        return port in reply.get("ports", ())

    async def foreign(self) -> tuple[str, ...]:
        """See `model.Stage.foreign`."""
        return await self._work(lambda _: foreign_paths(self.root, lambda: self._is_closing))

    async def refresh(self) -> None:
        """See `model.Stage.refresh`."""
        reply, _ = await self._open_channel().request({"do": "refresh"})
        if "failed" in reply:
            raise OutsideFailure("stage-failed", f"the stage cannot be refreshed: {reply['text']}")

    async def outlive(self, note: Mapping[str, Any]) -> bool:
        """See `model.Stage.outlive`."""
        scratch = self._scratch
        if scratch is None:
            return False
        is_frozen = self.frozen.folder is not None
        await self._work(
            lambda handles: record(
                *(scratch.folder, self.root, handles.layers[0], handles.end, note),
                frozen=is_frozen,
            )
        )
        return True

    async def close(self) -> None:
        """See `model.Stage.close`."""
        if self._is_closing:
            return
        self._is_closing = True
        self._on_close(self)
        self.doors.close()
        self._stop.set()
        if self.holding is not None:
            await self.holding
        if self._channel is not None:
            self._channel.close()
        loop = asyncio.get_running_loop()
        if self._handles is not None:
            await _readable(self._handles.end)
        await loop.run_in_executor(None, self._worker.shutdown)
        if self._handles is not None:
            self._handles.close()
        if self._scratch is not None:
            await loop.run_in_executor(None, self._scratch.close)
        await loop.run_in_executor(None, self._bounds.close)

    async def _start(
        self, command: Command, streams: tuple[int, int, int], *, controls: bool = False
    ) -> tuple[Channel, int, int]:
        """Start a command with these streams, which are closed here."""
        try:
            request = {**self._request(command), "controls": controls}
            channel = self._open_channel()
            asked = asyncio.ensure_future(channel.request(request, streams))
            try:
                reply, handles = await asyncio.shield(asked)
            except asyncio.CancelledError:
                await asyncio.wait([asked])
                if not asked.exception():
                    await self._abandon(channel, *asked.result())
                raise
        finally:
            for descriptor in set(streams):
                os.close(descriptor)
        if "failed" in reply:
            raise start_failure(command, reply)
        pid = host_pid(handles[0])
        for handle in handles:
            os.close(handle)
        return channel, int(reply["pid"]), pid

    async def _abandon(self, channel: Channel, reply: Message, handles: list[int]) -> None:
        """End a command whose starter was cancelled: nobody else knows of it."""
        for handle in handles:
            os.close(handle)
        if "failed" not in reply:
            await Staged(channel, int(reply["pid"]), -1).end_tree(0, reap=0)

    def _request(self, command: Command) -> Message:
        across = dict.fromkeys(("GIT_DISCOVERY_ACROSS_FILESYSTEM",) if self.git else (), "1")
        changes = {**across, **self.doors.variables, **self._added.values, **command.env}
        return {
            **start_request(self.root, command, changes, self._added.names),
            **limits_of(command.limits or self._limits),
            "processes": self._limits.processes,
        }

    def _register(self, inner_pid: int, staged: Staged) -> None:
        early = self._ended_early.pop(inner_pid, None)
        if early is not None:
            staged.end(*early)
        elif self._channel is None or not self._channel.is_open:
            staged.end(-signal.SIGKILL, EndedByLimit("stage"))
        else:
            self._running[inner_pid] = staged

    def _open_channel(self) -> Channel:
        if self._channel is None or not self._channel.is_open:
            raise lost()
        return self._channel

    async def _work(self, function: Callable[[Handles], T]) -> T:
        """Do blocking work on the files, one after the other, off the event loop."""
        handles = self._handles
        if handles is None or self._is_closing:
            raise lost()
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(self._worker, function, handles)
        if self._is_closing:
            raise lost()
        return result


async def _readable(descriptor: int) -> None:
    """Wait, with a limit, until a process has ended: it may hang in the kernel for longer."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(ready.wait(), _END_S)
    finally:
        loop.remove_reader(descriptor)
