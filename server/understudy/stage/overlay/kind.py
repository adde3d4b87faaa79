"""The overlay kind: namespaces and overlayfs at the folder's own path, without any privilege.

A warm helper (the zygote) forks a process per stage. Before the first stage is handed out, the
kind sets one up over a folder of its own and tries to break out of it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.process.helper import Helper, start_helper
from understudy.process.launch import Spawn
from understudy.stage import diagnose
from understudy.stage.boundary import breaches
from understudy.stage.cgroup import Bounds, ControlGroup, opened
from understudy.stage.channel import Channel, Message
from understudy.stage.copy import landlock
from understudy.stage.git.copied import LOOSE_AT, GitView, git_view
from understudy.stage.inside.packets import decode
from understudy.stage.model import (
    Isolation,
    KindName,
    MemoryLimit,
    ProbeReport,
    StagePlan,
    unavailable,
)
from understudy.stage.overlay.frozen import freeze, without_snapshot
from understudy.stage.overlay.handles import Handles
from understudy.stage.overlay.live_stage import LiveOverlayStage
from understudy.stage.overlay.mounts import below, data_folders, mounted_folders
from understudy.stage.overlay.stage import OverlayStage
from understudy.stage.overlay.upper import OPAQUE, Layer
from understudy.stage.reach.doors import texts
from understudy.stage.scratch import Scratch, sweep
from understudy.stage.shown.surroundings import Surroundings, surroundings
from understudy.values import version
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.started_by import BRANCH_SOCKET_PLACE

_OPEN_S = 30.0
_NO_ROOTS = ("/proc", "/sys", "/dev")


class OverlayKind:
    """Opens overlay stages. `scratch` is a private folder on disk that no workspace contains."""

    name: KindName = "overlay"

    def __init__(self, scratch: Path, log: Path, spawn: Spawn) -> None:
        self._scratch = scratch
        self._log = log
        self._spawn = spawn
        self._zygote: tuple[Helper, Channel] | None = None
        self._starting = asyncio.Lock()
        self._probing = asyncio.Lock()
        self._proven: ProbeReport | None = None
        self._upper_on_disk = False
        self._memory: MemoryLimit | None = None
        self._entered: Path | None = None
        self._stages: set[OverlayStage] = set()
        self._is_swept = False

    @property
    def helper_pid(self) -> int | None:
        """The process id of the warm helper, None while there is none."""
        return None if self._zygote is None else self._zygote[0].pid

    async def probe(self) -> ProbeReport:
        """See `model.Kind.probe`."""
        async with self._probing:
            if self._proven is None:
                report = await self._probe()
                if not report.ok:
                    return report
                self._proven = report
            return self._proven

    async def open(self, plan: StagePlan) -> LiveOverlayStage:
        """See `model.Kind.open`."""
        report = await self.probe()
        if not report.ok:
            raise unavailable(report)
        try:
            return await self._open(plan)
        except StepFailure as failure:
            again = without_snapshot(plan, failure.report.text)
            # Not every disk can hold what an overlay writes: a container's own cannot.
            if again is None and plan.on_disk and failure.report.step == "overlay":
                again = replace(plan, on_disk=False)
            if again is None:
                raise unavailable(failure.report) from failure
        return await self.open(again)

    async def close(self) -> None:
        """See `model.Kind.close`."""
        await asyncio.gather(*(stage.close() for stage in tuple(self._stages)))
        if self._zygote is not None:
            helper, channel = self._zygote
            self._zygote = None
            channel.close()
            await helper.stop()

    async def _probe(self) -> ProbeReport:
        """Set up and attack a stage; once more with its files on disk where memory cannot do."""
        if sys.platform != "linux":
            return diagnose.failed("overlay", "platform", 0, f"{sys.platform} has no namespaces")
        try:
            found = await breaches(self._open, self._scratch)
            if found.replaced_folder_shows and not found.sentences:
                self._upper_on_disk = True
                found = await breaches(self._open, self._scratch)
        except StepFailure as failure:
            return failure.report
        except UnderstudyError as error:
            return diagnose.failed("overlay", "boundary", 0, error.text)
        if found.replaced_folder_shows:
            text = "a folder that is removed and made again shows its old files"
            return diagnose.failed("overlay", "overlay", errno.ENOSYS, text)
        if found.sentences:
            return diagnose.failed("overlay", "boundary", 0, "; ".join(found.sentences))
        return ProbeReport("overlay", ok=True, memory=self._memory)

    async def _open(self, plan: StagePlan) -> LiveOverlayStage:
        """Open without asking whether the boundary holds; raises StepFailure."""
        _check_root(plan.root)
        scratch = self._make_scratch(plan)
        bounds = await asyncio.to_thread(Bounds, plan.limits.memory)
        stage = LiveOverlayStage(plan, _isolation(plan), scratch, bounds, self._stages.discard)
        self._stages.add(stage)
        try:
            shown = await asyncio.to_thread(_surroundings, plan)
            git = await asyncio.to_thread(_git, plan, scratch)
            message, layers = _message(
                plan, scratch if self._on_disk(plan) else None, shown, bounds
            )
            stage.frozen = await asyncio.to_thread(freeze, plan)
            if stage.frozen.folder is not None:
                message["lower"], layers[0] = _text(stage.frozen.folder), (stage.frozen.folder, "")
            message["git"] = [
                (_text(one.at), _text(one.copy), [_text(path) for path in one.shared])
                for one in git.copies
            ]
            message["borrowed"] = [(_text(store), place) for store, place in git.borrowed]
            message["loose"] = [] if git.loose is None else [(_text(git.loose), LOOSE_AT)]
            stage.git = git.copies
            place = None if bounds.group is None else bounds.group.folder.parent
            message["cgroup_is_known"] = place is not None and place == self._entered
            channel, reply, descriptors = await self._request(stage, message, bounds.group)
            self._entered = place if reply["is_in_cgroup"] else None
            if self._entered is None:
                bounds.lose_group()
            self._memory = bounds.told
            try:
                handles = _handles(descriptors, layers, OPAQUE[reply["trusted"]])
            except BaseException:  # whatever it is: the stage ends with it, and it is raised again
                channel.close()
                raise
            stage.attach(channel, handles, shown, reply["read_only"], reply["unveiled"])
            stage.hold(git)
            await stage.doors.open()
        except BaseException:  # whatever it is: undone, and raised again
            await stage.close()
            raise
        return stage

    async def _request(
        self, stage: LiveOverlayStage, message: Message, group: ControlGroup | None
    ) -> tuple[Channel, Message, list[int]]:
        zygote = await self._warm()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, opened(group) as doors:
            channel = Channel(ours, stage.on_event, stage.on_end)
            try:
                await zygote.send(message, [theirs.fileno(), *doors])
            except BaseException:  # whatever it is: undone, and raised again
                channel.close()
                raise
        try:
            reply, descriptors = await asyncio.wait_for(channel.greeting, _OPEN_S)
        except asyncio.TimeoutError as error:
            channel.close()
            text = f"it was not set up within {_OPEN_S:g} s"
            raise StepFailure(diagnose.failed("overlay", "start", 0, text)) from error
        except BaseException:  # whatever it is: undone, and raised again
            channel.close()
            raise
        if "failed" in reply:
            channel.close()
            report = diagnose.failed("overlay", reply["failed"], reply["errno"], reply["text"])
            raise StepFailure(report)
        return channel, reply, descriptors

    async def _warm(self) -> Channel:
        """The zygote's channel; starts one where there is none (any more)."""
        async with self._starting:
            if self._zygote is not None and self._zygote[1].is_open:
                return self._zygote[1]
            if self._zygote is not None:
                await self._zygote[0].stop()
            if not self._is_swept:
                self._is_swept = True
                await asyncio.to_thread(sweep, self._scratch)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            channel = Channel(ours, lambda _: None, lambda: None)
            try:
                helper = await start_helper(
                    _zygote_command(), channel=theirs, log=self._log, spawn=self._spawn
                )
                self._zygote = helper, channel
                await asyncio.wait_for(channel.greeting, _OPEN_S)
            except (OutsideFailure, asyncio.TimeoutError) as error:
                channel.close()
                text = f"the helper process does not start ({error}); its log: {self._log}"
                raise StepFailure(diagnose.failed("overlay", "helper", 0, text)) from error
            return channel

    def _make_scratch(self, plan: StagePlan) -> Scratch | None:
        if plan.keep is not None:
            if plan.keep.is_relative_to(plan.root):
                raise BadInput("state-inside-root", "it lies inside the folder", str(plan.keep))
            return Scratch.keep(plan.keep)
        return Scratch.make(self._scratch) if self._on_disk(plan) or plan.own_git else None

    def _on_disk(self, plan: StagePlan) -> bool:
        return plan.keep is not None or plan.on_disk or self._upper_on_disk


class StepFailure(Exception):
    """A stage could not be set up; `report` says where it failed."""

    def __init__(self, report: ProbeReport) -> None:
        super().__init__(report.text)
        self.report = report


def _zygote_command() -> list[str]:
    """Our own package, found by path: the helper sees neither environment nor site-packages."""
    packages = str(Path(version.__file__).parents[2])
    code = "import sys; sys.path.insert(0, sys.argv[1]); "
    code += "from understudy.stage.inside.zygote import main; main()"
    return [sys.executable, "-I", "-S", "-c", code, packages]


def _check_root(root: Path) -> None:
    if root == Path("/") or any(root.is_relative_to(path) for path in _NO_ROOTS):
        raise BadInput("root-unusable", "no stage can be made of this folder", str(root))
    if not root.is_dir() or root != Path(os.path.realpath(root)):
        raise BadInput("no-such-root", "not the real path of a folder", str(root))


def _isolation(plan: StagePlan) -> Isolation:
    notes: list[str] = []
    if landlock.abi() < 1:
        notes.append("named pipes outside the folder can be written to: the kernel has no Landlock")
    if plan.network == "host":
        notes.append(
            "the network is the machine's own, abstract sockets of other programs included"
        )
    elif plan.hosts is not None and plan.hosts.hosts:
        listed = ", ".join(map(str, plan.hosts.hosts))
        notes.append(f"the network leads to {listed}, and to all that these pass on to others")
    if plan.root in (Path.home(), *Path.home().parents):
        notes.append("the folder holds the user's home, whose other files are shown as well")
    return Isolation(True, plan.network == "none", True, tuple(notes))


def _surroundings(plan: StagePlan) -> Surroundings:
    environ = os.environ if plan.environ is None else plan.environ
    shown = surroundings(
        plan.root,
        environ,
        tools=plan.visible,
        homes=plan.homes,
        also=plan.added.places,
        read_only=plan.added.read_only,
    )
    if plan.way_out is None:
        return shown
    place = BRANCH_SOCKET_PLACE, str(plan.way_out)
    links = (*shown.links, place) if place[0].parent.is_dir() else shown.links
    return replace(shown, visible=(*shown.visible, plan.way_out), links=links)


def _message(
    plan: StagePlan, scratch: Scratch | None, shown: Surroundings, bounds: Bounds
) -> tuple[Message, list[tuple[Path, str]]]:
    """The request to the zygote, and the layers whose changes are of interest."""
    mounts = mounted_folders()
    inside = below(plan.root, mounts)
    folders = [path for path in shown.private if path.is_dir()]
    files = [path for path in shown.private if path not in folders]
    inner = {mount for path in folders for mount in below(path, mounts)}
    limits = plan.limits
    covered = [plan.root, *folders, *shown.masks, *(one.path for one in shown.covers)]
    message: dict[str, Any] = {
        "root": _text(plan.root),
        "lower": _text(plan.root),
        "network": plan.network,
        "keep": None if scratch is None else _text(scratch.folder),
        "size": limits.disk,
        "disk": limits.disk,
        "memory": bounds.told.bytes,
        "cgroup": None if bounds.group is None else bounds.group.version,
        "processes": limits.processes,
        "covers": [
            (_text(one.path), one.mode, one.writable, one.with_links) for one in shown.covers
        ],
        "masks": [_text(path) for path in shown.masks],
        "below": [_text(path) for path in inside],
        "homes": [_text(path) for path in folders],
        "visible": [_text(path) for path in (*shown.visible, *files)],
        "mounts": [_text(path) for path in sorted(inner - {plan.root, *inside})],
        "veiled": [_text(path) for path in data_folders(covered, mounts)],
        "over": [] if plan.hosts is None else list(texts(plan.hosts).items()),
        "links": [(_text(path), _text(target)) for path, target in shown.links],
        "files": [(_text(path), text.decode("utf-8")) for path, text in shown.files],
    }
    layers = [(plan.root, "")]
    layers += [(path, path.relative_to(plan.root).as_posix() + "/") for path in inside]
    return message, layers


def _handles(descriptors: list[int], layers: list[tuple[Path, str]], opaque: str) -> Handles:
    if len(descriptors) != 3 + len(layers):
        for descriptor in descriptors:
            os.close(descriptor)
        raise OutsideFailure("stage-failed", "we have too many files open")
    lowers: list[int] = []
    try:
        for path, _ in layers:
            lowers.append(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError as error:
        for descriptor in (*descriptors, *lowers):
            os.close(descriptor)
        text = f"the folder cannot be opened: {error.strerror}"
        raise OutsideFailure("stage-failed", text, str(error.filename)) from error
    root, scratch, end = descriptors[:3]
    parts = zip(descriptors[3:], lowers, layers, strict=True)
    found = tuple(Layer(upper, lower, prefix, opaque) for upper, lower, (_, prefix) in parts)
    return Handles(root, scratch, end, found)


def _git(plan: StagePlan, scratch: Scratch | None) -> GitView:
    """Git folders of the stage's own, where it is to have them."""
    if not plan.own_git or scratch is None:
        return GitView()
    return git_view(plan.root, scratch.folder / "git")


def _text(path: str | Path) -> str:
    return decode(os.fsencode(path))
