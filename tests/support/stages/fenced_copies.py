"""The copy kind under attack, as any user: a fenced command tries to get out of its copy."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.stages.field import FAST, Field, processes_with, refused
from understudy.stage.copy.kind import CopyKind
from understudy.stage.copy.stage import CopyStage
from understudy.stage.model import Command, StageLimits, StagePlan

ATTACKS = (Path(__file__).parent / "attacks.py").read_text()
_NOT_OURS = ("read /proc/1/environ", "enter /proc/1/root", "enter /proc/1/cwd", "open /proc/1/fd")
"""Pid 1 is the machine's own here, and no less protected than from any program of the user's."""


@asynccontextmanager
async def _copied(field: Field) -> AsyncIterator[CopyStage]:
    kind = CopyKind(field.home / "copies")
    try:
        yield await kind.open(StagePlan(field.project))
    finally:
        await kind.close()
        assert list((field.home / "copies").iterdir()) == []


async def _said(stage: CopyStage, *argv: str, limits: StageLimits = FAST) -> str:
    said = bytearray()
    await stage.run(Command(argv, limits=limits), said.extend)
    return said.decode("utf-8", "surrogateescape")


async def files_outside_a_copy(field: Field) -> None:
    """No write, no rename, no link, no truncation; through links neither."""
    async with _copied(field) as stage:
        script = (
            'v="$1/victim"; echo x >> "$v"; echo x > "$v"; rm -f "$v"; mv "$v" here; ln "$v" hard;'
            'ln -s "$1" link; echo x > link/victim; echo x > link/new; mkdir "$1/new";'
            'truncate -s 0 "$v"; cp README "$v"; mv README "$1/"; echo x > "$2/README"; true'
        )
        await _said(stage, "sh", "-c", script, "sh", str(field.outside), str(field.project))
        await refused(stage.write({"link/victim": b"x"}), "symlink")
    assert (field.outside / "victim").read_text() == "as it was\n"


async def system_calls_in_a_copy(field: Field) -> None:
    """Mounts, namespaces, tracing, keys, handles, raw packets, devices, capabilities."""
    async with _copied(field) as stage:
        targets = json.dumps({"root": str(stage.root)})
        said = await _said(stage, sys.executable, "-I", "-S", "-c", ATTACKS, targets)
    worked = set(json.loads(said)["worked"]) - set(_NOT_OURS)
    if os.getuid() != 0:
        # Only root can empty it; with no_new_privs nothing is gained from it.
        worked = {way for way in worked if not way.startswith("CapBnd")}
    assert worked == set(), worked


async def others_from_a_copy(field: Field) -> None:
    """The user's own processes are not signalled, its abstract and path sockets not reached."""
    path = str(field.home / "socket")
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
        named.bind(path)
        abstract.bind(f"\0{path}")
        for server in (named, abstract):
            server.listen()
            server.setblocking(False)
        pid = os.fork()
        if pid == 0:
            signal.pause()
        try:
            program = (
                "import os, socket, sys\n"
                "for target in (sys.argv[1], chr(0) + sys.argv[1]):\n"
                "    try:\n"
                "        socket.socket(socket.AF_UNIX).connect(target)\n"
                "        print('reached')\n"
                "    except OSError: pass\n"
                "try:\n"
                "    os.kill(int(sys.argv[2]), 9)\n"
                "    print('signalled')\n"
                "except OSError: pass\n"
            )
            async with _copied(field) as stage:
                said = await _said(stage, sys.executable, "-I", "-S", "-c", program, path, str(pid))
            assert said == "", said
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


async def forks_in_a_copy(field: Field) -> None:
    """A fork bomb ends at its limit, and nothing of it is left."""
    mark = f"bomb-of-{field.home.name}"
    # It would end by itself at 1024, so that a limit that fails does not take the machine along.
    bomb = (
        "import os, time\n"
        "for _ in range(10):\n"
        "    os.fork()\n"
        "with open('ran', 'a') as file: file.write('x')\n"
        "time.sleep(3)\n"
    )
    async with _copied(field) as stage:
        command = Command(
            (sys.executable, "-I", "-S", "-c", bomb, mark),
            limits=StageLimits(wall=20, processes=40),
        )
        ended = await stage.run(command, lambda _: None)
        assert ended.limit in (None, "processes"), ended
        # Where the kernel itself refuses to fork, those that are there go on.
        assert len(await stage.read("ran") or b"") < 200
    assert processes_with(mark) == []


SCENARIOS = (files_outside_a_copy, system_calls_in_a_copy, others_from_a_copy, forks_in_a_copy)
