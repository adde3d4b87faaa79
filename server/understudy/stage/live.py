"""A stage that a process lives on while the user goes on: what is asked of it meanwhile.

What was written is found by looking: no event of the kernel tells of mapped writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol

from understudy.stage.git.copied import GitCopy
from understudy.stage.model import Command, Stage
from understudy.stage.reach.doors import Doors
from understudy.stage.staged_process import EndedByLimit
from understudy.values.frozen import frozen

SightKind = Literal["file", "symlink", "gone"]
FileMark = tuple[int, ...]
"""What tells two states of a file apart without reading it."""


NEVER_NS = -(1 << 62)
"""See `Looked.followed_until_ns`: no save comes by itself."""


@frozen(slots=True)
class Frozen:
    """The user's folder as it was when a stage was opened, kept to be read; None: nobody keeps it.

    `why_not` says why nobody does, where it could be expected.
    """

    folder: Path | None = None
    why_not: str = ""


NOT_FROZEN = Frozen()


@frozen(slots=True)
class SeenPath:
    """What lies at a path that was written to since the stage was opened, by us or by commands."""

    kind: SightKind
    mark: FileMark = ()


@frozen(slots=True)
class Sightings:
    """All such paths; `skipped` are those that no branch can hold, with the reason."""

    items: Mapping[str, SeenPath]
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])


@frozen(slots=True)
class CapturedFile:
    """A file's bytes, read while nobody wrote to it.

    `source` names the user's file that it was copied from, as the kernel has kept it: empty where
    it was made anew, None where that is not known. `born_ns` is when that was, in ns since 1970.
    """

    mark: FileMark
    data: bytes
    source: bytes | None
    born_ns: int


class LiveProgram(Protocol):
    """A program that was started with streams of its starter's."""

    @property
    def pid(self) -> int:
        """The process id as this machine's other processes see it."""
        ...

    @property
    def exit_status(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        ...

    @property
    def reached(self) -> EndedByLimit | None:
        """The limit that has ended it, None for its own end."""
        ...

    async def wait_exited(self) -> None:
        """Return when the process is gone."""
        ...

    async def send(self, number: int) -> None:
        """Signal its process group; nothing happens once it is gone."""
        ...

    async def end_tree(self, grace: float) -> bool:
        """Terminate the group, after `grace` seconds kill it and all that it started."""
        ...


class Looked(Protocol):
    """What was written on a stage, to be looked through while commands go on writing."""

    @property
    def followed_until_ns(self) -> int | None:
        """Until when the user's saves come onto it by themselves (ns since 1970); None: always."""
        ...

    @property
    def began(self) -> Mapping[str, FileMark] | None:
        """The user's files that it is a copy of, as they were; None: it shows the files themselves.

        A mark is that of `upper.mark_of`; one that no file has where that is not known.
        """
        ...

    @property
    def frozen(self) -> Frozen:
        """What it lies on instead of the user's folder, where that could be had."""
        ...

    async def sightings(self, enters: Callable[[str], bool]) -> Sightings:
        """Every path that was written to, but for folders that `enters` refuses by their path."""
        ...

    async def taken(self, path: str) -> CapturedFile | None:
        """The file there, None where there is none, or somebody writes to it just now.

        Raises BadInput `too-large`, unread.
        """
        ...


@frozen(slots=True)
class Replacement:
    """What is to lie at a path: bytes (None: no file), with the mode and time of the user's file.

    `instead_of` is what has to lie there before, or nothing is done. `readers_count`: nor where
    somebody only reads it.
    """

    path: str
    data: bytes | None
    instead_of: bytes | None
    mode: int = 0o644
    mtime_ns: int | None = None
    readers_count: bool = False


@frozen(slots=True)
class Replaced:
    """Whether it was put there; `mark` is that of our own file there (empty: no file).

    Where it was not, it is that of the old file, untouched. None: somebody has written to it since.
    """

    done: bool
    mark: FileMark | None = None


class LiveStage(Stage, Looked, Protocol):
    """An open stage that can be looked through while commands write to it."""

    @property
    def doors(self) -> Doors:
        """What leads out of its network, and into it."""
        ...

    @property
    def git(self) -> tuple[GitCopy, ...]:
        """The git folders of its own, the folder's own first."""
        ...

    async def seen(self, path: str, enters: Callable[[str], bool]) -> SeenPath | None:
        """What `sightings` has of one path, which costs no look through all others."""
        ...

    async def terminal(self) -> tuple[int, int]:
        """A new terminal: the descriptor of who shows it, and that of the program on it.

        Raises OutsideFailure `stage-failed`.
        """
        ...

    async def launch(
        self, command: Command, streams: tuple[int, int, int], *, controls: bool
    ) -> LiveProgram:
        """Start a program with these streams, which are closed here.

        With `controls` the first is the terminal that it is to control. Raises as `start` does.
        """
        ...

    async def written(self) -> int:
        """What was written below its folder, in bytes as the disk limit counts them."""
        ...

    async def is_used(self, path: str, *, readers: bool) -> bool:
        """Whether a process of the stage has a file open for writing, or for anything (`readers`).

        Raises as `write` does.
        """
        ...

    async def replace(self, wanted: Replacement) -> Replaced:
        """Put a file in the place of another, as a whole.

        Not where something else lies there by now, or a process of the stage has the old one open
        for writing. Raises as `write` does.
        """
        ...
