"""One stage of the `copy` kind: fenced commands on a copy, and what they changed in it."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from understudy.process.launch import Child, Spawn, launch, signal_group, start_process
from understudy.stage.beneath import real_path
from understudy.stage.cgroup import Bounds
from understudy.stage.copy.fenced import read_report
from understudy.stage.copy.files import (
    Mark,
    mark_of,
    marks,
    read_file,
    remove_file,
    write_file,
)
from understudy.stage.copy.home import CopyHome
from understudy.stage.inside.disk_use import written_below
from understudy.stage.model import (
    Changes,
    Command,
    CommandEnd,
    Isolation,
    KindName,
    Limit,
    MemoryLimit,
    Sink,
    StageChange,
    StagePlan,
)
from understudy.stage.reach.forward import listens_here
from understudy.stage.scratch import Scratch
from understudy.stage.shown.surroundings import Surroundings
from understudy.stage.shown.variables import passed
from understudy.stage.staged_run import Pump
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen

_FENCE = Path(__file__).parents[1] / "inside" / "fence.py"
_BY_SIGNAL = 128
_GRACE_S, _REAP_S, _PIPES_S = 2.0, 5.0, 5.0
_NOT_EXECUTABLE = (errno.EACCES, errno.ENOEXEC, errno.EISDIR, errno.EPERM)


@frozen(slots=True)
class ShownBefore:
    """What the stage showed at a path before any command ran; `digest` of our own texts alone."""

    mark: Mark | None
    digest: bytes | None = None


class CopyStage:
    """A copied folder; everything raises OutsideFailure `stage-lost` once it is closed."""

    def __init__(
        self,
        plan: StagePlan,
        target: Path,
        scratch: Scratch,
        isolation: Isolation,
        home: CopyHome,
        bounds: Bounds,
        *,
        fenced: bool,
        closed: Callable[[CopyStage], None],
    ) -> None:
        self._plan, self._scratch, self._fenced = plan, scratch, fenced
        self._root = target
        self._isolation = isolation
        self._home = home
        self._bounds = bounds
        self._n_written = 0
        self._closed = closed
        self._shown: dict[str, ShownBefore] = {}
        self._children: list[Child] = []
        self._running: set[Process] = set()
        self._n_reports = 0
        self._lost = False

    async def begin(self) -> None:
        """Note what is there; call it once, before anything else."""
        self._temporary.mkdir(mode=0o700)
        found = await asyncio.to_thread(marks, self._root)
        self._shown = {path: ShownBefore(mark) for path, mark in found.items()}
        if self._fenced and self._plan.limits.disk is not None:
            self._n_written = await asyncio.to_thread(written_below, self._root)

    @property
    def kind(self) -> KindName:
        """The kind that opened it."""
        return "copy"

    missed: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """Where commands see the folder: the copy's own path."""
        return self._root

    @property
    def isolation(self) -> Isolation:
        """What is kept apart."""
        return self._isolation

    @property
    def shown(self) -> Surroundings | None:
        """What the fence lets commands read around the copy."""
        return self._home.shown if self._fenced else None

    @property
    def memory(self) -> MemoryLimit:
        """What its processes may hold together, and what keeps them to it."""
        return self._bounds.told

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """Put these texts into the copy (None: no file there); see `Stage.write`."""
        self._check_open()
        await asyncio.to_thread(self._write, files, mtimes or {})

    async def read(self, path: str) -> bytes | None:
        """What the copy has at a path now; None if no file is there."""
        self._check_open()
        return await asyncio.to_thread(self._read, path)

    async def start(self, command: Command, *, log: Path, spawn: Spawn) -> Child:
        """Start a long-lived program; see `Stage.start`."""
        self._check_open()
        argv, _ = self._prepared(command)
        child = await launch(
            argv,
            cwd=self._folder(command),
            env=self._environment(command),
            log=log,
            spawn=spawn,
        )
        self._children.append(child)
        return child

    async def run(
        self,
        command: Command,
        output: Sink,
        errors: Sink | None = None,
        *,
        cancelled: asyncio.Event | None = None,
    ) -> CommandEnd:
        """Run a command to its end and give its output on as it comes; see `Stage.run`."""
        self._check_open()
        argv, report = self._prepared(command)
        process, transport, exited = await start_process(
            argv,
            cwd=self._folder(command),
            env=self._environment(command),
            stdin=DEVNULL,
            stderr=STDOUT if errors is None else PIPE,
        )
        self._running.add(process)
        assert process.stdout is not None
        pumps = [Pump(process.stdout, output)]
        if errors is not None:
            assert process.stderr is not None
            pumps.append(Pump(process.stderr, errors))
        pumping = asyncio.gather(*(pump.run() for pump in pumps))
        limit: Limit | None = None
        try:
            limit = await self._until(exited, command, cancelled)
        finally:
            await _end(process, exited)
            self._running.discard(process)
            for pump in pumps:
                pump.hurry()
            await asyncio.wait([pumping], timeout=_PIPES_S)
            is_cut = not pumping.done()
            pumping.cancel()
            transport.close()
        return replace(self._ended(command, process.returncode, report, limit), output_cut=is_cut)

    async def outlive(self, note: Mapping[str, Any]) -> bool:
        """Never: what the copy had is known to us alone."""
        del note
        return False

    async def changes(self) -> Changes:
        """What commands changed in the copy, by content."""
        self._check_open()
        return await asyncio.to_thread(self._changes)

    async def listens(self, port: int) -> bool:
        """Whether anybody does on this machine; with a network apart, no command can."""
        return not self._isolation.network and await listens_here(port)

    async def foreign(self) -> tuple[str, ...]:
        """Nothing: a copy is its maker's."""
        return ()

    async def refresh(self) -> None:
        """A copy stays as it was made; raises OutsideFailure `stage-stale`."""
        text = "a copied stage cannot follow the folder; open another one"
        raise OutsideFailure("stage-stale", text, str(self._plan.root))

    async def close(self) -> None:
        """End every process and remove the copy; a second call does nothing."""
        if self._lost:
            return
        self._lost = True
        for process in tuple(self._running):
            signal_group(process, terminate=True)
        for child in self._children:
            await child.stop(_GRACE_S)
        await asyncio.to_thread(self._scratch.close)
        await asyncio.to_thread(self._bounds.close)
        self._closed(self)

    @property
    def _temporary(self) -> Path:
        return self._scratch.folder / "tmp"

    def _write(self, files: Mapping[str, bytes | None], times: Mapping[str, int]) -> None:
        # Deletions first: a folder may make way for a file of its name, and the other way.
        for path, data in sorted(files.items(), key=lambda item: item[1] is not None):
            if data is None:
                real = real_path(self._plan.root, path, last=False)
                remove_file(self._root, real)
                self._shown[real] = ShownBefore(None)
            else:
                real = self._write_one(path, data, times.get(path))
                self._shown[real] = ShownBefore(mark_of(self._root, real), sha256(data).digest())

    def _write_one(self, path: str, data: bytes, mtime: int | None) -> str:
        """Write a file, through links of the user's own too where they stay inside; its path."""
        try:
            write_file(self._root, path, data, mtime)
        except Refused:
            real = real_path(self._plan.root, path, last=True)
            if real == path:
                raise
            write_file(self._root, real, data, mtime)
            return real
        return path

    def _read(self, path: str) -> bytes | None:
        try:
            found = read_file(self._root, path)
        except Refused:
            found = None
        real = real_path(self._plan.root, path, last=True)
        return found if found is not None or real == path else read_file(self._root, real)

    def _check_open(self) -> None:
        if self._lost:
            raise OutsideFailure("stage-lost", "the stage is closed", str(self._root))

    def _folder(self, command: Command) -> Path:
        folder = (self._root / command.cwd).resolve()
        if not folder.is_dir() or not folder.is_relative_to(self._root):
            raise BadInput("no-such-folder", "there is no such folder on the stage", command.cwd)
        return folder

    def _environment(self, command: Command) -> dict[str, str | None]:
        temporary = str(self._temporary)
        names = ("TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME")
        own = os.environ if command.environ is None else command.environ
        moved: dict[str, str | None] = dict.fromkeys(names, temporary)
        if self._fenced:
            # git takes a file that it may not open for a broken one.
            moved |= {**self._home.variables(own), "GIT_CONFIG_NOSYSTEM": "1"}
        added = self._plan.added
        wanted = passed(own, {**moved, **added.values, **command.env}, added.names)
        return {**dict.fromkeys(os.environ, None), **wanted}

    def _prepared(self, command: Command, **more: object) -> tuple[list[str], Path | None]:
        """The command behind its fence, and where the fence says how it ended."""
        if not self._fenced:
            return list(command.argv), None
        limits = command.limits or self._plan.limits
        self._n_reports += 1
        report = self._scratch.folder / f"report-{self._n_reports}.json"
        config = {
            "writable": [str(self._root), str(self._temporary), str(self._home.folder)],
            "readable": self._home.readable,
            "network": self._plan.network == "host",
            "memory": self.memory.bytes if limits.memory is None else limits.memory,
            "cgroup": self._bounds.entrance(limits.memory),
            "processes": limits.processes,
            "cpu": limits.cpu,
            "disk": limits.disk,
            "written": self._n_written,
            **more,
        }
        fence = [sys.executable, "-I", "-S", str(_FENCE), json.dumps(config), str(report), "--"]
        return [*fence, *command.argv], report

    async def _until(
        self, exited: asyncio.Event, command: Command, cancelled: asyncio.Event | None
    ) -> Limit | None:
        """Wait for the end, the time limit or the caller's wish."""
        seconds = (command.limits or self._plan.limits).wall
        events = [exited.wait(), *([] if cancelled is None else [cancelled.wait()])]
        waits = [asyncio.ensure_future(event) for event in events]
        try:
            done, _ = await asyncio.wait(
                waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            for wait in waits:
                wait.cancel()
        return None if done else "time"

    def _ended(
        self, command: Command, status: int | None, report: Path | None, limit: Limit | None
    ) -> CommandEnd:
        said = read_report(report)
        if said.get("is_as_told") is False:
            self._bounds.lose_group()
        number = said.get("errno")
        if number is not None:
            code = "command-not-executable" if number in _NOT_EXECUTABLE else "command-not-found"
            raise OutsideFailure(code, os.strerror(number), command.argv[0])
        if status is None:
            status = -signal.SIGKILL
        elif report is not None and status > _BY_SIGNAL:  # the fence was told to end it
            status = _BY_SIGNAL - status
        how: int = said.get("status", status)
        if limit is not None:
            return CommandEnd(how, limit)
        name, used, allowed = said.get("reached") or (None, None, None)
        return CommandEnd(how, name, used=used, allowed=allowed)

    def _changes(self) -> Changes:
        now = marks(self._root)
        items: list[StageChange] = []
        for path in sorted(now.keys() | self._shown.keys()):
            before, after = self._shown.get(path, ShownBefore(None)), now.get(path)
            if before.mark == after:
                continue
            change = self._change(path, before, after)
            if change is not None:
                items.append(change)
        return Changes(tuple(items))

    def _change(self, path: str, before: ShownBefore, after: Mark | None) -> StageChange | None:
        is_link = before.mark is not None and before.mark.target is not None
        was_executable = before.mark is not None and not is_link and bool(before.mark.mode & 0o111)
        if after is None:
            kind = "symlink" if is_link else "file"
            return StageChange(path, "deleted", kind, was_executable=was_executable)
        now = StageChange(
            path,
            "added" if before.mark is None else "modified",
            "file" if after.target is None else "symlink",
            after.size,
            executable=after.target is None and bool(after.mode & 0o111),
            was_executable=was_executable,
        )
        if now.kind == "modified" and self._is_same(path, before, after):
            return None if now.executable == was_executable else now
        return now

    def _is_same(self, path: str, before: ShownBefore, after: Mark) -> bool:
        """Whether the content is what it was: our own text, else the user's file."""
        assert before.mark is not None
        if (before.mark.target, before.mark.size) != (after.target, after.size):
            return False
        if after.target is not None:
            return True
        content = read_file(self._root, path)
        if before.digest is not None:
            return content is not None and sha256(content).digest() == before.digest
        return content == read_file(self._plan.root, path)


async def _end(process: Process, exited: asyncio.Event) -> None:
    """Terminate the group; the fence ends all below it, and is killed if it does not."""
    for terminate, seconds in ((True, _GRACE_S), (False, _REAP_S)):
        signal_group(process, terminate=terminate)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(exited.wait(), seconds)
            if terminate:
                continue
    return
