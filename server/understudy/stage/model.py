"""The interface that every kind of stage has, and the values that go through it.

A *kind* knows whether it works here (`probe`) and opens stages; a *stage* is one private view of
the user's folder: files are written into it, commands run on it, what they changed is listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol

from understudy.process.launch import Spawn
from understudy.process.running import Running
from understudy.values.errors import OutsideFailure

KindName = Literal["overlay", "copy", "memory"]
Network = Literal["none", "host"]
ChangeKind = Literal["added", "modified", "deleted"]
FileType = Literal["file", "symlink"]
Limit = Literal["time", "memory", "processes", "disk", "stage"]

Sink = Callable[[bytes], Awaitable[None] | None]
"""Takes output as it comes. What it returns is waited for before more is read, so that a command
goes no faster than its listener; once the command has ended, it is waited for no longer."""

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a stage keeps apart from the user; `notes` say what is not, in sentences."""

    files: bool
    network: bool
    processes: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a command may use; None is no limit.

    `wall` and `cpu` are seconds (`cpu` of each process). `memory` is bytes, of all processes of the
    stage together. `processes` counts them all. `disk` is bytes of what is written: the stage's
    files, /tmp and /dev/shm together.
    """

    wall: float | None = None
    cpu: int | None = None
    memory: int | None = None
    processes: int | None = 4096
    disk: int | None = 2048 * MIB


@dataclass(frozen=True, slots=True)
class Plan:
    """How a stage is to be opened; one stage has one network for all its commands.

    `limits` hold for the stage as a whole (`wall` and `cpu` for each command without its own).
    `keep` is a private folder on disk that holds what is written (big builds; it can be opened
    again later). `on_disk` does the same in a folder that goes with the stage; else it is kept in
    memory. `visible` are paths beneath folders that a stage hides (a toolchain in /tmp), shown
    read-only. `homes` are folders outside the root that commands may write to, privately: it goes
    with the stage. None: the user's home folder.
    """

    root: Path
    network: Network = "none"
    limits: Limits = Limits()
    keep: Path | None = None
    on_disk: bool = False
    visible: tuple[Path, ...] = ()
    homes: tuple[Path, ...] | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run on a stage; `cwd` is relative to the root.

    `env` is put over `environ`, or the scrubbed environment of ours (None takes a variable away).
    `limits` of None are the stage's; of its own, `wall`, `cpu` and `memory` count.
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    limits: Limits | None = None
    environ: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: `status` is negative for a signal; `limit` names what ended it.

    `disk_full` says that nothing more could be written when it ended: its own words about it mean
    the stage, not the user's disk. `output_cut` says that something that it left running still
    held its streams open, and could have written more.
    """

    status: int
    limit: Limit | None = None
    disk_full: bool = False
    output_cut: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs from what the stage showed before any command ran (by content).

    `executable` tells the mode bit of what is there now, `was_executable` of what was.
    """

    path: str
    kind: ChangeKind
    type: FileType = "file"
    size: int = 0
    executable: bool = False
    was_executable: bool = False


@dataclass(frozen=True, slots=True)
class Changes:
    """The changed paths, sorted; `skipped` are those that no patch can hold, with the reason."""

    items: tuple[Change, ...]
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """Whether a kind of stage works here; if not: the failing step, its error, and the fix."""

    kind: KindName
    ok: bool
    step: str | None = None
    errno: str | None = None
    text: str = ""
    fix: str = ""


class Stage(Protocol):
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

    async def read(self, path: str) -> bytes | None:
        """What the stage shows at a root-relative path now; None if no file is there."""
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
    ) -> Ended:
        """Run a command to its end with nothing on stdin; give its output on as it comes.

        stderr goes to `errors`, or with stdout, in the order written. At the end, at a limit, when
        `cancelled` is set or this call is cancelled, the command's process group and all below it
        are ended. Raises as `start` does.
        """
        ...

    async def changes(self) -> Changes:
        """What commands changed on the stage, by content."""
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


class Kind(Protocol):
    """A kind of stage; it may keep a warm process of its own until it is closed."""

    @property
    def name(self) -> KindName:
        """The word for it."""
        ...

    async def probe(self) -> ProbeReport:
        """Set a stage up once, try to break out of it, and say what failed; kept once it is ok."""
        ...

    async def open(self, plan: Plan) -> Stage:
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
