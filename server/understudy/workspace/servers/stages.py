"""Stages for language servers: the overlay kind alone, for its paths are the user's own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.langserver.spec import ServerSpec
from understudy.process.launch import Spawn
from understudy.process.running import Running

if TYPE_CHECKING:  # most checks need no stage, and so should not load what makes one
    from understudy.stage.choose import StageChooser
    from understudy.stage.model import Stage


class ServerStages:
    """Opens stages for servers, and knows why that does not work here."""

    def __init__(self, chooser: Callable[[], StageChooser]) -> None:
        self._chooser = chooser

    async def refusal(self) -> str | None:
        """Why no server can run on a stage here, with the failing step; None if it can."""
        from understudy.stage.model import unavailable  # noqa: PLC0415 - see above

        report = await self._chooser().report("overlay")
        return None if report.ok else unavailable(report).text

    async def open(self, spec: ServerSpec) -> StagedServers:
        """A stage of the server's root; raises OutsideFailure `stage-unavailable`, BadInput."""
        from understudy.stage.model import StagePlan  # noqa: PLC0415 - see above

        plan = StagePlan(spec.root.path, visible=server_tools(spec))
        return StagedServers(await self._chooser().open(plan, wanted="overlay"))


class StagedServers:
    """One stage, as `langserver.staged_disk.ServerStage` wants it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """See ServerStage."""
        await self._stage.write(files, mtimes)

    async def read(self, path: str) -> bytes | None:
        """See ServerStage."""
        return await self._stage.read(path)

    async def launch(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path,
        spawn: Spawn,
    ) -> Running:
        """See ServerStage."""
        from understudy.stage.model import Command  # noqa: PLC0415 - see above

        inside = cwd.relative_to(self._stage.root).as_posix()
        return await self._stage.start(Command(tuple(command), inside, env), log=log, spawn=spawn)

    async def close(self) -> None:
        """See ServerStage."""
        await self._stage.close()


def server_tools(spec: ServerSpec) -> tuple[Path, ...]:
    """Where the server and its tools are: a stage shows them wherever that is."""
    found = (Path(place) for place in map(os.path.realpath, _tools(spec)))
    return tuple(sorted({path for path in found if path.exists()}))


def _tools(spec: ServerSpec) -> Iterator[Path]:
    """The program, what it is started with, and the project's own tools that it is told of."""
    from understudy.stage.shown.tool_places import linked_programs, with_prefixes  # noqa: PLC0415 - see above

    yield from (Path(part).parent for part in spec.command[1:] if Path(part).is_absolute())
    for program in (Path(spec.command[0]), Path(os.path.realpath(spec.command[0]))):
        yield from with_prefixes(program.parent)
        if program.parent.name == "bin":
            yield program.parent.parent
        yield from [folder for folder in program.parents if folder.name == "node_modules"][-1:]
    for name in ("PATH", "VIRTUAL_ENV"):
        for entry in filter(None, spec.env.get(name, "").split(os.pathsep)):
            yield from with_prefixes(Path(entry))
            yield from linked_programs(Path(entry), spec.root.path)
    python = spec.settings.get("python", {}).get("pythonPath")
    if python:
        yield from with_prefixes(Path(python).parent)
    library = spec.initialization_options.get("tsserver", {}).get("path")
    if library:
        yield Path(library).parent.parent
