"""A live stage over a folder, in this process: a shell on it, and a user who saves meanwhile."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from understudy.app.rehearse.plan import RehearseOptions
from understudy.app.rehearse.rehearse import GivenTexts, Rehearsal, opened
from understudy.disk.layout import Layout
from understudy.shadow.branch import BranchFile
from understudy.stage.copy import landlock
from understudy.stage.live import LiveProgram
from understudy.stage.model import KindName
from understudy.values.paths import Root
from understudy.workspace.rehearsals.bases import CLOCK_NS
from understudy.workspace.rehearsals.place import Change, place_of
from understudy.workspace.settings import Settings

LIMIT_S = 60.0
NEEDS_FENCE = pytest.mark.skipif(landlock.abi() < 1, reason="nothing fences here")
"""Of a copy that commands live in: kernels without Landlock have none."""


Contents = Mapping[str, tuple[str | None, str | None]]
"""Path -> the base of an edit, and its text; None: there is no such file, or nobody knows."""


def contents(files: Mapping[str, BranchFile]) -> Contents:
    """What a branch's files hold."""
    return {
        path: (
            file.base and file.base.unpack().content,
            file.after and file.after.unpack().content,
        )
        for path, file in files.items()
    }


def until_older(folder: Path) -> None:
    """Return once its files are older than the clock's grain: of younger ones, nobody knows which
    text a stage began with."""
    made_ns = max(file.stat().st_ctime_ns for file in folder.iterdir())
    while time.time_ns() <= made_ns + CLOCK_NS:
        pass


@dataclass
class Stage:
    """A shell on a live stage over a folder, and what was found of what it wrote."""

    folder: Path
    layout: Layout
    rehearsal: Rehearsal
    program: LiveProgram
    to_shell: int
    from_shell: int

    async def do(self, line: str) -> str:
        """Have the shell do it; what it prints."""
        return await asyncio.to_thread(self.do_at_once, line)

    def do_at_once(self, line: str) -> str:
        """The same, by a thread that waits for it."""
        os.write(self.to_shell, f"{line}\necho done-with-it\n".encode())
        said = b""
        while not said.endswith(b"done-with-it\n"):
            data = os.read(self.from_shell, 4096)
            assert data, f"the shell has ended, after {said!r}"
            said += data
        return said.decode().removesuffix("done-with-it\n")

    def save(self, path: str, text: str, *, in_place: bool = False) -> None:
        """The user saves, as editors do."""
        file = self.folder / path
        if in_place:
            file.write_text(text)
        else:
            beside = file.with_name(f"{file.name}~")
            beside.write_text(text)
            beside.replace(file)

    def edits(self) -> dict[str, Change]:
        """What the host would have by now, by path."""
        place = place_of(self.layout, "b1")
        return {one.path: one for batch in place.batches() for one in batch.changes}

    async def until(self, is_so: Callable[[], bool | Awaitable[bool]]) -> None:
        end = asyncio.get_running_loop().time() + LIMIT_S
        while True:
            found = is_so()
            if found if isinstance(found, bool) else await found:
                return
            assert asyncio.get_running_loop().time() < end, {
                path: (await self.do(f"cat {path}"), one) for path, one in self.edits().items()
            }
            await asyncio.sleep(0)

    async def shows(self, path: str, text: str | None) -> None:
        """Wait until the shell sees that text there."""

        async def is_shown() -> bool:
            said = await self.do(f"cat {path} 2>/dev/null || echo -n no-file")
            return said == ("no-file" if text is None else text)

        await self.until(is_shown)

    async def has(self, path: str, after: str | None) -> Change:
        """Wait until that text is an edit of the path."""
        data = None if after is None else after.encode()
        await self.until(lambda: path in self.edits() and self.edits()[path].after == data)
        return self.edits()[path]


@asynccontextmanager
async def living(
    folder: Path,
    state: Path,
    pause_s: float = 30.0,
    kind: KindName | None = None,
    *,
    waits: bool = False,
) -> AsyncIterator[Stage]:
    """With `waits` nothing is looked at before the sweeper's `turn` is released."""
    layout, root = Layout(state).create(), Root.open(folder)
    options = RehearseOptions(("sh",), kind=kind)
    async with opened(root, layout, Settings(), options, GivenTexts("b1", {})) as rehearsal:
        rehearsal.truth.pause_s = pause_s
        if waits:
            await rehearsal.truth.sweeper.turn.acquire()
        (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
        streams = (theirs_in, theirs_out, os.dup(theirs_out))
        program = await rehearsal.launch(options, streams, controls=False)
        try:
            yield Stage(folder, layout, rehearsal, program, ours_in, ours_out)
        finally:
            os.close(ours_in)
            await rehearsal.finish(program, options)
            os.close(ours_out)
