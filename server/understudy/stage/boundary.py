"""The boundary tests itself: a stage over a folder of ours, and a program that tries to leave it.

What counts is seen from outside: a file that changed, a connection or a datagram that arrived.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.stage.model import Command, Stage, StageLimits, StagePlan
from understudy.stage.scratch import Scratch
from understudy.values.frozen import frozen

_PROGRAM = Path(__file__).with_name("inside") / "escape.py"
_SECRET = b"as it was"
_MAX_ADDRESS = 107  # bytes of a path that fit into the address of a socket
_LIMITS = StageLimits(wall=20, disk=16 * 1024 * 1024)


@frozen
class Findings:
    """What got out, in sentences; `replaced_folder_shows`: old files show in a folder made anew."""

    sentences: tuple[str, ...]
    replaced_folder_shows: bool


async def breaches(open_stage: Callable[[StagePlan], Awaitable[Stage]], scratch: Path) -> Findings:
    """Open a stage, run the program on it, look from outside; raises what `open_stage` raises."""
    held = Scratch.make(scratch)
    try:
        with _Outside(held.folder / "beside") as outside:
            stage = await open_stage(outside.plan())
            try:
                said = bytearray()
                errors = bytearray()
                ended = await stage.run(outside.command(), said.extend, errors.extend)
            finally:
                await stage.close()
            sentences = outside.harm()
            if ended.status != 0:
                why = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no word"]
                sentences.append(f"the self-test ended with {ended.status}: {why[0]}")
            report: dict[str, Any] = json.loads(said) if ended.status == 0 else {}
            sentences += report.get("did", [])
            return Findings(tuple(sentences), bool(report.get("replaced_folder_shows")))
    finally:
        held.close()


class _Outside:
    """A folder beside the root that must stay as it is, and sockets that must hear nothing."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self._victim = folder / "victim"
        self._sockets: list[socket.socket] = []
        self._folder = folder
        self._address = folder / "socket"
        if len(os.fsencode(self._address)) > _MAX_ADDRESS:
            # TMPDIR may be as deep as the scratch folder is.
            self._address = Path(tempfile.mkdtemp(prefix="understudy-", dir="/tmp")) / "socket"

    def __enter__(self) -> _Outside:
        (self.root / "replaced").mkdir(parents=True)
        (self.root / "replaced" / "old").write_bytes(_SECRET)
        (self.root / "file").write_bytes(_SECRET)
        self._victim.write_bytes(_SECRET)
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(socket.AF_INET, kind)
            one.bind(("127.0.0.1", 0))
            self._sockets.append(one)
        path_socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sockets.append(path_socket)
        path_socket.bind(str(self._address))
        for one in (self._sockets[0], path_socket):
            one.listen()
        for one in self._sockets:
            one.setblocking(False)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._sockets:
            one.close()
        if self._address.parent != self._folder:
            shutil.rmtree(self._address.parent, ignore_errors=True)

    def plan(self) -> StagePlan:
        """A stage that shows our own interpreter, wherever it is installed."""
        ours = (Path(sys.prefix), Path(sys.base_prefix), _PROGRAM.parent)
        return StagePlan(self.root, limits=_LIMITS, visible=(*ours, self._folder), homes=())

    def command(self) -> Command:
        """The program with all that it is to attack."""
        targets = {
            "victim": str(self._victim),
            "socket": str(self._address),
            "stream": self._sockets[0].getsockname()[1],
            "datagram": self._sockets[1].getsockname()[1],
            "pid": os.getpid(),
        }
        return Command((sys.executable, "-I", "-S", str(_PROGRAM), json.dumps(targets)))

    def harm(self) -> list[str]:
        """What the program has reached, in sentences."""
        found: list[str] = []
        names = set(os.listdir(self._folder)) - {"socket"}
        if names != {"root", "victim"} or self._victim.read_bytes() != _SECRET:
            found.append("a file outside was written")
        inside = {path.name: path.read_bytes() for path in self.root.rglob("*") if path.is_file()}
        if inside != {"old": _SECRET, "file": _SECRET}:
            found.append("a file of the folder itself was written")
        with suppress(BlockingIOError):
            self._sockets[0].accept()[0].close()
            found.append("a TCP connection got out")
        with suppress(BlockingIOError):
            self._sockets[1].recv(100)
            found.append("a UDP packet got out")
        with suppress(BlockingIOError):
            self._sockets[2].accept()[0].close()
            found.append("a socket outside was reached by its path")
        return found
