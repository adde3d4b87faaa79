"""The `memory` kind: texts alone, for where nothing keeps a program apart; it runs no code."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from understudy.process.launch import Spawn
from understudy.process.running import Running
from understudy.stage.copy.files import read_file
from understudy.stage.model import (
    Changes,
    Command,
    CommandEnd,
    Isolation,
    KindName,
    MemoryLimit,
    ProbeReport,
    Sink,
    StagePlan,
)
from understudy.stage.shown.surroundings import Surroundings
from understudy.values.errors import OutsideFailure, Refused


class MemoryKind:
    """Opens stages that only hold texts; `why` says what the other kinds lack here."""

    def __init__(self, why: str = "") -> None:
        self.why = why

    @property
    def name(self) -> KindName:
        """The word for it."""
        return "memory"

    async def probe(self) -> ProbeReport:
        """It works everywhere."""
        return ProbeReport("memory", ok=True, text="holds texts; runs no commands")

    async def open(self, plan: StagePlan) -> MemoryStage:
        """Open a stage."""
        return MemoryStage(plan.root, self.why)

    async def close(self) -> None:
        """Nothing is kept warm."""


class MemoryStage:
    """The folder with texts laid over it; commands are Refused `cannot-run`."""

    def __init__(self, root: Path, why: str) -> None:
        self._root, self._why = root, why
        self._texts: dict[str, bytes | None] = {}
        self._lost = False

    @property
    def kind(self) -> KindName:
        """The kind that opened it."""
        return "memory"

    missed: tuple[str, ...] = ()

    @property
    def root(self) -> Path:
        """The user's own folder, which is only read."""
        return self._root

    @property
    def isolation(self) -> Isolation:
        """Nothing runs, so nothing has to be kept apart."""
        return Isolation(True, True, True, ("no command can run",))

    @property
    def shown(self) -> Surroundings | None:
        """Nothing runs that could look."""
        return None

    @property
    def memory(self) -> MemoryLimit:
        """Nothing runs, so nothing has to be held."""
        return MemoryLimit(why="no command can run")

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """Hold these texts."""
        del mtimes
        self._check_open()
        self._texts.update(files)

    async def read(self, path: str) -> bytes | None:
        """The text held at a path, else the file on disk."""
        self._check_open()
        if path in self._texts:
            return self._texts[path]
        return await asyncio.to_thread(read_file, self._root, path)

    async def start(self, command: Command, *, log: Path, spawn: Spawn) -> Running:
        """Refused `cannot-run`."""
        del log, spawn
        self._refuse(command)

    async def run(
        self,
        command: Command,
        output: Sink,
        errors: Sink | None = None,
        *,
        cancelled: asyncio.Event | None = None,
    ) -> CommandEnd:
        """Refused `cannot-run`."""
        del output, errors, cancelled
        self._refuse(command)

    async def outlive(self, note: Mapping[str, Any]) -> bool:
        """Never: nothing is written."""
        del note
        return False

    async def changes(self) -> Changes:
        """None: no command ran."""
        self._check_open()
        return Changes(())

    async def listens(self, port: int) -> bool:
        """Nobody does: no command runs."""
        del port
        return False

    async def foreign(self) -> tuple[str, ...]:
        """None: nothing is written."""
        return ()

    async def refresh(self) -> None:
        """Files that are not held are read from the disk anyway."""
        self._check_open()

    async def close(self) -> None:
        """Forget the texts."""
        self._lost = True
        self._texts.clear()

    def _refuse(self, command: Command) -> NoReturn:
        self._check_open()
        why = f": {self._why}" if self._why else ""
        raise Refused(
            "cannot-run",
            f"nothing here keeps a command apart from the user's folder, so none is run{why}",
            command.argv[0],
        )

    def _check_open(self) -> None:
        if self._lost:
            raise OutsideFailure("stage-lost", "the stage is closed", str(self._root))
