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
        from understudy.stage.model import Plan  # noqa: PLC0415 - see above

        plan = Plan(spec.root.path, visible=outside_tools(spec))
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


def outside_tools(spec: ServerSpec) -> tuple[Path, ...]:
    """Where the server and its tools are, if a stage has folders of its own there."""
    from understudy.stage.privacy import private_folders  # noqa: PLC0415 - see above

    hidden = [Path(folder) for folder, _, _ in private_folders()]
    found = {
        place
        for place in map(os.path.realpath, _tools(spec))
        if any(Path(place).is_relative_to(folder) for folder in hidden)
        and not Path(place).is_relative_to(spec.root.path)
        and not spec.root.path.is_relative_to(place)
        and Path(place).exists()
    }
    return tuple(sorted(map(Path, found)))


def _tools(spec: ServerSpec) -> Iterator[Path]:
    """The program, what it is started with, and the project's own tools that it is told of."""
    yield from (Path(part).parent for part in spec.command[1:] if Path(part).is_absolute())
    for program in (Path(spec.command[0]), Path(os.path.realpath(spec.command[0]))):
        yield program.parent
        packages = [folder for folder in program.parents if folder.name == "node_modules"]
        yield packages[-1] if packages else program.parent.parent
    for name in ("PATH", "VIRTUAL_ENV"):
        yield from (Path(entry) for entry in spec.env.get(name, "").split(os.pathsep) if entry)
    library = spec.initialization_options.get("tsserver", {}).get("path")
    if library:
        yield Path(library).parent.parent
