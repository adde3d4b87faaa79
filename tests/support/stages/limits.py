"""What a command may use up, and how it is told that a limit ended it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.stages.field import FAST, Field, processes_with, python, refused, run, sh, until
from understudy.stage.model import StageLimits

MIB = 1024 * 1024
BOMB = """
import os, signal
while True:
    try:
        if os.fork() == 0:
            signal.pause()
    except OSError:
        pass
"""
HOGS = """
import os, signal
for _ in range(4):
    if os.fork() == 0:
        held = b"x" * (60 << 20)
        signal.pause()
signal.pause()
"""

THREADS = """
import threading
stop = threading.Event()
try:
    for number in range(2000):
        threading.Thread(target=stop.wait).start()
except RuntimeError:
    print("held back")
stop.set()
"""


async def a_fork_bomb(field: Field) -> None:
    """It goes no further than its limit, and the stage can be used afterwards."""
    limits = StageLimits(wall=4, processes=200)
    async with field.stage(limits=limits) as stage:
        said = await python(stage, BOMB, limits=None)
        assert said.ended.limit in ("processes", "time"), said
        assert (await sh(stage, "echo usable", limits=FAST)).text == "usable\n"
        assert int((await sh(stage, "ls /proc | grep -c '^[0-9]'")).text) < 10


async def threads_are_held_back(field: Field) -> None:
    """By the kernel, root's too where it can (Linux 6.14); the machine's own limit stays."""
    machine = Path("/proc/sys/kernel/pid_max")
    before = machine.read_text()
    async with field.stage(limits=StageLimits(wall=30, processes=200)) as stage:
        said = await python(stage, THREADS, limits=None)
    release = [int(part) for part in os.uname().release.split("-")[0].split(".")[:2]]
    if os.getuid() != 0 or release >= [6, 14]:
        assert "held back" in said.text, said
    assert machine.read_text() == before


async def memory_of_all_together(field: Field) -> None:
    async with field.stage(limits=StageLimits(memory=150 * MIB)) as stage:
        said = await python(stage, HOGS, limits=StageLimits(wall=15))
        assert said.ended.limit == "memory", said
        assert said.ended.status == -9


async def memory_of_one(field: Field) -> None:
    """A single process is refused the memory, so that it can say so itself."""
    limits = StageLimits(memory=200 * MIB, wall=15)
    async with field.stage(limits=limits) as stage:
        said = await python(stage, "held = b'x' * (400 << 20)", limits=None)
        assert "MemoryError" in said.text, said


async def a_full_disk(field: Field) -> None:
    """The folder, /tmp and /dev/shm share one limit; it is the stage that is full."""
    async with field.stage(limits=StageLimits(disk=8 * MIB)) as stage:
        said = await sh(stage, "head -c 20000000 /dev/zero > big")
        assert said.ended.disk_full, said
        assert "No space left" in said.text
        await refused(stage.write({"more.txt": b"x" * MIB}), "stage-full")
        said = await sh(stage, "rm big; head -c 20000000 /dev/zero > /tmp/big")
        assert said.ended.disk_full, said
        said = await sh(stage, "rm /tmp/big; echo fits > small; cat small")
        assert (said.text, said.ended.disk_full) == ("fits\n", False)


async def a_full_folder_on_disk(field: Field) -> None:
    """Where writes go to the disk, what was written is counted."""
    keep = field.home / "kept"
    async with field.stage(keep=keep, limits=StageLimits(disk=8 * MIB)) as stage:
        script = "while :; do head -c 4000000 /dev/zero >> big; done"
        said = await sh(stage, script, limits=StageLimits(wall=15))
        assert said.ended.limit == "disk", said


async def time(field: Field) -> None:
    """The wall clock ends a command and all below it, also one that ignores SIGTERM."""
    mark = f"{field.project}/limit-mark"
    async with field.stage() as stage:
        script = "trap '' TERM; (sleep 1000; echo \"$1\") & while :; do sleep 1; done"
        said = await sh(stage, script, mark, limits=replace(FAST, wall=0.3))
        assert said.ended.limit == "time", said
        assert said.ended.status == -9
        await until(lambda: not processes_with(mark), "the end of all of them")
        said = await run(
            stage, "sh", "-c", "while :; do :; done", limits=StageLimits(wall=15, cpu=1)
        )
        assert said.ended.limit == "time", said


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    a_fork_bomb,
    threads_are_held_back,
    memory_of_all_together,
    memory_of_one,
    a_full_disk,
    a_full_folder_on_disk,
    time,
)
