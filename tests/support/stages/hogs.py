"""Commands that take more memory than they may, in every way; and some that only seem to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, python, sh
from understudy.stage.copy.kind import CopyKind
from understudy.stage.model import MIB, Stage, StageLimits, StagePlan

HOG = (Path(__file__).parent / "hog.py").read_text()
ALLOWED = 150 * MIB
LIMITS = StageLimits(wall=60, memory=ALLOWED)
ANYWHERE = ("shared", "shared by many", "memory file", "memory files", "mapped memory file")
WAYS = (
    *ANYWHERE,
    *("system v", "deleted file", "file in shm"),
    *("unix sockets", "tcp sockets", "udp sockets", "pipes"),
)
ALIKE = """
import mmap, os, subprocess, sys
own, shared = bytearray(60 << 20), mmap.mmap(-1, 40 << 20)
for place in range(0, 40 << 20, 4096):
    shared[place] = own[place] = 1
children = []
for _ in range(6):
    children.append(os.fork())
    if children[-1] == 0:
        for _ in range(5):
            sum(shared[place] + own[place] for place in range(0, 40 << 20, 4096))
        os._exit(0)
for _ in range(100):
    subprocess.run(["true"], check=True)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
print("done")
"""


async def _hog(stage: Any, way: str) -> None:
    said = await python(stage, HOG, way, "400", limits=LIMITS)
    ended = said.ended
    if said.text == "held back\n":
        return
    assert (ended.limit, ended.status, said.text) == ("memory", -9, ""), (way, said)
    assert ended.allowed == ALLOWED, (way, ended)
    assert ended.used is not None
    assert ended.used > 0.9 * ALLOWED, (way, ended)


async def every_way_to_take_memory(field: Field) -> None:
    """Whoever holds it, a cgroup or the watcher: the limit ends the command, with figures."""
    for way in WAYS:
        async with field.stage(limits=LIMITS) as stage:
            assert stage.memory.held_by in ("cgroup", "watcher"), stage.memory
            assert stage.memory.bytes == ALLOWED
            await _hog(stage, way)


async def what_a_hog_left_is_freed(field: Field) -> None:
    """The stage can be used again: System V objects of an ended command do not stay."""
    async with field.stage(limits=LIMITS) as stage:
        for way in ("system v", "memory file"):
            await _hog(stage, way)
        assert (await sh(stage, "echo usable")).text == "usable\n"


async def shared_pages_count_once(field: Field) -> None:
    """Six processes that share 100 MB hold 100 MB, and so does a child before its execve."""
    async with field.stage(limits=LIMITS) as stage:
        said = await python(stage, ALIKE, limits=LIMITS)
        assert (said.ended.limit, said.text) == (None, "done\n"), said


async def a_limit_where_none_is_named(field: Field) -> None:
    """Three quarters of the memory there is, at most; a process may still reserve more."""
    async with field.stage() as stage:
        assert stage.memory.bytes is not None
        pages = int((await sh(stage, "getconf _PHYS_PAGES")).text)
        assert stage.memory.bytes <= 0.75 * pages * 4096
        # MAP_NORESERVE, which Python has no word for.
        reserve = "import mmap; mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | 0x4000)"
        said = await python(stage, reserve + "; print('reserved')")
        assert said.text == "reserved\n", said


async def hogs_in_a_copy(field: Field) -> None:
    """A fenced copy holds its commands, too; what others would share with it is refused."""
    async with in_a_copy(field, LIMITS) as stage:
        for way in (*ANYWHERE, "unix sockets"):
            await _hog(stage, way)
        said = await python(stage, HOG, "system v", "400", limits=LIMITS)
        assert "Operation not permitted" in said.text, said
        said = await python(stage, ALIKE, limits=LIMITS)
        assert (said.ended.limit, said.text) == (None, "done\n"), said


def without_a_helper(field: Field) -> None:
    """Put there what the overlay's helper would have."""
    (field.home / "scratch").mkdir()
    (field.home / "scratch" / "helper.log").touch()


hogs_in_a_copy.prepare = without_a_helper  # type: ignore[attr-defined]


@asynccontextmanager
async def in_a_copy(field: Field, limits: StageLimits) -> AsyncIterator[Stage]:
    """An open fenced copy of the project."""
    kind = CopyKind(field.home / "copies")
    try:
        yield await kind.open(StagePlan(field.project, limits=limits))
    finally:
        await kind.close()


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    every_way_to_take_memory,
    what_a_hog_left_is_freed,
    shared_pages_count_once,
    a_limit_where_none_is_named,
    hogs_in_a_copy,
)
