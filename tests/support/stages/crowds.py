"""Commands that write next to no bytes, and files without end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.stages.field import Field, python, sh
from tests.support.stages.hogs import in_a_copy, without_a_helper
from understudy.stage.model import MIB, StageLimits

LIMITS = StageLimits(wall=60, disk=8 * MIB)
FEW = StageLimits(wall=60, disk=2 * MIB)
N_ALLOWED = 8 * MIB // 4096
CROWD = """
import os, sys
way, number = sys.argv[1], 0
os.mkdir("crowd")
open("crowd/first", "w").close()
try:
    while number < 4000:
        number += 1
        name = f"crowd/{number}"
        if way == "files":
            os.close(os.open(name, os.O_CREAT))
        elif way == "folders":
            os.mkdir(name)
        elif way == "symbolic links":
            os.symlink("x", name)
        else:
            os.link("crowd/first", name)
except OSError as error:
    print(number, error.strerror)
"""
HELD_CROWD = CROWD + "import signal\nsignal.pause()\n"
WAYS = ("files", "folders", "symbolic links", "hard links")


async def files_without_a_byte(field: Field) -> None:
    """The stage is full of names, which is told as a full stage; and it can be emptied."""
    async with field.stage(limits=LIMITS) as stage:
        for way in WAYS:
            said = await python(stage, CROWD, way)
            assert said.ended.disk_full, (way, said)
            number, _, why = said.text.partition(" ")
            assert why == "No space left on device\n", (way, said)
            assert int(number) <= N_ALLOWED, (way, said)
            said = await sh(stage, "rm -r crowd; echo fits > small; cat small")
            assert (said.text, said.ended.disk_full) == ("fits\n", False), (way, said)


async def files_without_a_byte_elsewhere(field: Field) -> None:
    """/tmp, /dev/shm and the home are of the same store."""
    async with field.stage(limits=LIMITS) as stage:
        for folder in ("/tmp", "/dev/shm", str(field.home)):
            said = await sh(stage, 'cd "$1" && seq 1 5000 | xargs touch; rm -f [0-9]*', folder)
            assert "No space left" in said.text, (folder, said)


async def files_without_a_byte_on_disk(field: Field) -> None:
    """Where writes go to the disk, every name counts."""
    async with field.stage(keep=field.home / "kept", limits=FEW) as stage:
        said = await python(
            stage, CROWD + "\nimport signal; signal.pause()", "folders", limits=LIMITS
        )
        assert said.ended.limit == "disk", said
        assert said.ended.used is not None
        assert said.ended.used > 2 * MIB, said


async def files_in_a_copy(field: Field) -> None:
    """A fenced copy counts all that is written, and not a file at a time."""
    async with in_a_copy(field, LIMITS) as stage:
        said = await python(stage, HELD_CROWD, "files", limits=LIMITS)
        assert said.ended.limit == "disk", said
    async with in_a_copy(field, LIMITS) as stage:
        script = 'for i in 1 2 3 4 5 6; do head -c 3000000 /dev/zero > "big$i"; done; sleep 1000'
        said = await sh(stage, script, limits=LIMITS)
        assert (said.ended.limit, said.ended.allowed) == ("disk", 8 * MIB), said


files_in_a_copy.prepare = without_a_helper  # type: ignore[attr-defined]

SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    files_without_a_byte,
    files_without_a_byte_elsewhere,
    files_without_a_byte_on_disk,
    files_in_a_copy,
)
