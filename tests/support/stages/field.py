"""Where a scenario plays: a home, a project in it, a kind of stage, and short words for all that.

Scenarios run in a process of their own, as another user too, so that they import nothing but the
package and the standard library.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.stage.model import Command, CommandEnd, StageLimits, StagePlan
from understudy.stage.overlay.kind import OverlayKind
from understudy.stage.overlay.stage import OverlayStage
from understudy.values.errors import UnderstudyError

PATIENCE_S = 60.0
FAST = StageLimits(wall=60)


@dataclass(frozen=True)
class Said:
    """What a command printed (stderr too) and how it ended."""

    ended: CommandEnd
    text: str


@dataclass
class Field:
    """The folders of a scenario and its kind of stage."""

    home: Path
    kind: OverlayKind
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def project(self) -> Path:
        return self.home / "project"

    @property
    def outside(self) -> Path:
        """A folder of the user's beside the project."""
        return self.home / "outside"

    @property
    def is_root(self) -> bool:
        return os.getuid() == 0

    @property
    def is_machine_root(self) -> bool:
        """Root of the machine, not of a user namespace."""
        return self.is_root and Path("/proc/self/uid_map").read_text().split()[2] == "4294967295"

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self.tasks.add(task)
        return task

    @asynccontextmanager
    async def stage(self, root: Path | None = None, **plan: Any) -> AsyncIterator[OverlayStage]:
        """An open stage over the project, or over another folder."""
        stage = await self.kind.open(StagePlan(root or self.project, **plan))
        try:
            yield stage
        finally:
            await stage.close()


@asynccontextmanager
async def playing(home: Path) -> AsyncIterator[Field]:
    """A field with a small project; all that it started ends with it."""
    place = Field(home, None)  # type: ignore[arg-type]
    place.kind = OverlayKind(home / "scratch", home / "scratch" / "helper.log", place.spawn)
    put(place.project, {"README": "read me\n", "folder/inner.txt": "inner\n", "run.sh": "true\n"})
    put(place.outside, {"victim": "as it was\n"})
    try:
        yield place
    finally:
        await place.kind.close()
        for task in place.tasks:
            task.cancel()
        await asyncio.gather(*place.tasks, return_exceptions=True)


def put(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def sh(stage: OverlayStage, script: str, *arguments: str, **how: Any) -> Said:
    """Run a shell script on the stage."""
    return await run(stage, "sh", "-c", script, "sh", *arguments, **how)


async def python(stage: OverlayStage, program: str, *arguments: str, **how: Any) -> Said:
    """Run a Python program on the stage."""
    return await run(stage, sys.executable, "-I", "-S", "-c", program, *arguments, **how)


async def run(
    stage: OverlayStage, *argv: str, cancelled: asyncio.Event | None = None, **how: Any
) -> Said:
    said = bytearray()
    command = Command(argv, **{"limits": FAST, **how})
    ended = await stage.run(command, said.extend, cancelled=cancelled)
    return Said(ended, said.decode("utf-8", "surrogateescape"))


async def refused(action: Coroutine[Any, Any, object], code: str) -> UnderstudyError:
    """The named error that this must raise."""
    found: UnderstudyError | None = None
    try:
        await action
    except UnderstudyError as error:
        found = error
    assert found is not None, f"no {code!r} was raised"
    assert found.code == code, f"{found.code}: {found}"
    return found


async def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition, with a limit."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"this did not come: {what}"
        await asyncio.sleep(0)


def processes_with(mark: str) -> list[int]:
    """Processes of the machine whose command line holds a mark; this one is none of them."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line:
                found.append(int(entry.name))
    return found


def fingerprints(folder: Path) -> dict[str, tuple[int, int, int, int]]:
    """Size, modification time, change time and mode of everything below."""
    found: dict[str, tuple[int, int, int, int]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        named = str(path.relative_to(folder))
        found[named] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode)
    return found
