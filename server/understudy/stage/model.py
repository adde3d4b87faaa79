"""The interface that every kind of stage has, and the values that go through it.

A *kind* knows whether it works here (`probe`) and opens stages; a *stage* is one private view of
the user's folder: files are written into it, commands run on it, what they changed is listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from understudy.process.launch import Spawn
from understudy.process.running import Running
from understudy.stage.shown.surroundings import Surroundings
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.hosts import HostList

KindName = Literal["overlay", "copy", "memory"]
Network = Literal["none", "host"]
ChangeKind = Literal["added", "modified", "deleted"]
FileType = Literal["file", "symlink"]
Limit = Literal["time", "memory", "processes", "disk", "stage"]

Sink = Callable[[bytes], Awaitable[None] | None]
"""Takes output as it comes. What it returns is waited for before more is read, so that a command
goes no faster than its listener; once the command has ended, it is waited for no longer."""

MIB = 1024 * 1024
MAX_LIMIT = 1 << 50
"""Bytes that no limit needs to be over; the kernel takes numbers of a few times more."""


@frozen(slots=True)
class Isolation:
    """What a stage keeps apart from the user; `notes` say what is not, in sentences."""

    files: bool
    network: bool
    processes: bool
    notes: tuple[str, ...] = ()


@frozen(slots=True)
class StageLimits:
    """What a command may use; None is no limit, but of `memory`: three quarters of the machine's.

    `wall` and `cpu` are seconds (`cpu` of each process). `memory` is bytes of all that the stage's
    processes hold together, files that they write into memory included. `processes` counts them
    all. `disk` is bytes of what is written: the stage's files, /tmp and /dev/shm together; there
    may be a file for every 4 KiB of it.
    """

    wall: float | None = None
    cpu: int | None = None
    memory: int | None = None
    processes: int | None = 4096
    disk: int | None = 2048 * MIB


@frozen(slots=True)
class Additions:
    """What is shown besides the lists: places, variables by their names, and with values.

    `places` are written privately, a single file as a copy; `read_only` are not written at all.
    """

    places: tuple[Path, ...] = ()
    read_only: tuple[Path, ...] = ()
    names: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __add__(self, other: Additions) -> Additions:
        """Both; the other's values win."""
        return Additions(
            (*self.places, *other.places),
            (*self.read_only, *other.read_only),
            (*self.names, *other.names),
            {**self.values, **other.values},
        )


@frozen(slots=True)
class MemoryLimit:
    """The bytes that a stage may hold, and who sees to it: the kernel, or a watcher that looks.

    `why` says why there is no cgroup, or nobody to count.
    """

    bytes: int | None = None
    held_by: Literal["cgroup", "watcher"] | None = None
    why: str = ""


def memory_text(limit: MemoryLimit) -> str:
    """One line for people: the limit, and what holds it."""
    if limit.bytes is None:
        return f"memory has no limit: {limit.why}"
    most = f"memory up to {limit.bytes // MIB} MiB"
    if limit.held_by == "cgroup":
        return f"{most}, held by a cgroup"
    return f"{most}, counted by a watcher: {limit.why}"


@frozen(slots=True)
class StagePlan:
    """How a stage is to be opened; one stage has one network for all its commands.

    `limits` hold for the stage as a whole (`wall` and `cpu` for each command without its own).
    `keep` is a private folder on disk that holds what is written (big builds; it can be opened
    again later). `on_disk` does the same in a folder that goes with the stage, where the disk can
    do that (see `Stage.outlive`); else it is kept in memory. `environ` is that of who asks, None
    for ours: its tools are shown. `visible` are further tools, shown read-only. `added` is what the
    user has named to be shown, whatever it is; what commands write there goes with the stage. So
    does what they write to `homes`, folders outside the root; None: what is listed of the user's
    home (`shown.toml`). `hosts` are reached from a network of its own, and who else was asked for
    is noted; an empty list notes alone, and None does nothing.
    A `live` stage is looked through, and changed, while commands are at work on it. It lies on a
    snapshot of the folder where there can be one, unless `why_unfrozen` says why it shall not.
    With `own_git` the folder's repository has a git folder of the stage's own there. `way_out` is
    the one socket of ours that commands may connect to.
    """

    root: Path
    network: Network = "none"
    limits: StageLimits = StageLimits()
    keep: Path | None = None
    on_disk: bool = False
    environ: Mapping[str, str] | None = None
    visible: tuple[Path, ...] = ()
    added: Additions = Additions()
    homes: tuple[Path, ...] | None = None
    hosts: HostList | None = None
    own_git: bool = False
    live: bool = False
    why_unfrozen: str = ""
    way_out: Path | None = None


@frozen(slots=True)
class Command:
    """A program to run on a stage; `cwd` is relative to the root.

    Of `environ`, or of our own environment, those variables pass that are listed (`shown.toml`) or
    named by the plan; `env` is put over them (None takes a variable away). `limits` of None are the
    stage's; of its own, `wall`, `cpu` and `memory` count.
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    limits: StageLimits | None = None
    environ: Mapping[str, str] | None = None


@frozen(slots=True)
class CommandEnd:
    """How a command ended: `status` is negative for a signal; `limit` names what ended it.

    `used` and `allowed` are what was counted then, and the limit: bytes, or processes.
    `disk_full` says that nothing more could be written when it ended: its own words about it mean
    the stage, not the user's disk. `output_cut` says that something that it left running still
    held its streams open, and could have written more.
    """

    status: int
    limit: Limit | None = None
    disk_full: bool = False
    output_cut: bool = False
    used: int | None = None
    allowed: int | None = None


@frozen(slots=True)
class StageChange:
    """A path that differs from what the stage showed before any command ran (by content).

    `executable` tells the mode bit of what is there now, `was_executable` of what was.
    """

    path: str
    kind: ChangeKind
    type: FileType = "file"
    size: int = 0
    executable: bool = False
    was_executable: bool = False


@frozen(slots=True)
class Changes:
    """The changed paths, sorted; `skipped` are those that no patch can hold, with the reason."""

    items: tuple[StageChange, ...]
    skipped: tuple[tuple[str, str], ...] = ()


@frozen(slots=True)
class ProbeReport:
    """Whether a kind of stage works here; if not: the failing step, its error, and the fix.

    `memory` is the usual limit of its stages, and what holds it.
    """

    kind: KindName
    ok: bool
    step: str | None = None
    errno: str | None = None
    text: str = ""
    fix: str = ""
    memory: MemoryLimit | None = None


class Changed(Protocol):
    """What commands changed somewhere, and what is there now."""

    async def read(self, path: str) -> bytes | None:
        """What the stage shows at a root-relative path now; None if no file is there."""
        ...

    async def changes(self) -> Changes:
        """What commands changed on the stage, by content."""
        ...


class Stage(Changed, Protocol):
    """One open stage. Everything raises OutsideFailure `stage-lost` once it is gone."""

    @property
    def kind(self) -> KindName:
        """The kind that opened it."""
        ...

    @property
    def root(self) -> Path:
        """Where commands on the stage see the user's folder."""
        ...

    @property
    def isolation(self) -> Isolation:
        """What is kept apart."""
        ...

    @property
    def shown(self) -> Surroundings | None:
        """What commands see around the root; None where that is all that the user sees."""
        ...

    @property
    def memory(self) -> MemoryLimit:
        """What its processes may hold together, and what keeps them to it."""
        ...

    @property
    def missed(self) -> tuple[str, ...]:
        """Hosts that commands asked for in vain, as the stage's list has them not (`hosts`)."""
        ...

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """Show these texts at root-relative paths (None: no file there); all are our own edits.

        `mtimes` are whole seconds, of these files or of folders (`.` is the root), which are
        given theirs last; folders that a deletion empties go with it. Raises BadInput
        `outside-root` or `bad-path` (nothing is written then), Refused `symlink`, OutsideFailure
        `stage-full` or `foreign-owner` (some of the files may be written).
        """
        ...

    async def start(self, command: Command, *, log: Path, spawn: Spawn) -> Running:
        """Start a long-lived program with pipes on stdin and stdout; its stderr goes to `log`.

        Raises OutsideFailure `command-not-found` or `command-not-executable`.
        """
        ...

    async def run(
        self,
        command: Command,
        output: Sink,
        errors: Sink | None = None,
        *,
        cancelled: asyncio.Event | None = None,
    ) -> CommandEnd:
        """Run a command to its end with nothing on stdin; give its output on as it comes.

        stderr goes to `errors`, or with stdout, in the order written. At the end, at a limit, when
        `cancelled` is set or this call is cancelled, the command's process group and all below it
        are ended. Raises as `start` does.
        """
        ...

    async def outlive(self, note: Mapping[str, Any]) -> bool:
        """Have what commands change found, with this note, should we be killed (`scratch.left`).

        False where it would be lost: it is not on disk. Raises OutsideFailure `state-full`.
        """
        ...

    async def listens(self, port: int) -> bool:
        """Whether a program listens at a TCP port of the network that commands have here.

        That is the stage's own loopback, or the user's network; False where it is neither.
        """
        ...

    async def foreign(self) -> tuple[str, ...]:
        """Paths that commands cannot write here though the user perhaps can: others own them."""
        ...

    async def refresh(self) -> None:
        """Let commands that start from now on see the user's folder as it is now."""
        ...

    async def close(self) -> None:
        """End every process of the stage and forget what was written (but `keep`)."""
        ...


class StageKind(Protocol):
    """A kind of stage; it may keep a warm process of its own until it is closed."""

    @property
    def name(self) -> KindName:
        """The word for it."""
        ...

    async def probe(self) -> ProbeReport:
        """Set a stage up once, try to break out of it, and say what failed; kept once it is ok."""
        ...

    async def open(self, plan: StagePlan) -> Stage:
        """Open a stage; raises OutsideFailure `stage-unavailable` with step and fix.

        BadInput `no-such-root` where the folder is gone, Refused `stage-in-use` where `keep` is
        open on another stage.
        """
        ...

    async def close(self) -> None:
        """End all stages that are still open, and what the kind keeps warm."""
        ...


def unavailable(report: ProbeReport) -> OutsideFailure:
    """The error for a kind that does not work here."""
    cause = f"{report.step} failed: {report.text}" if report.step else report.text
    text = f"the {report.kind} stage does not work here: {cause}"
    return OutsideFailure("stage-unavailable", f"{text}; {report.fix}" if report.fix else text)
