"""A stage for checking commands: shows a snapshot, runs the command, reads what it proves.

The stage is kept, so that what the command builds stays warm; the user's own build products are
below it and never change.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import PurePosixPath

from understudy.checkers.cargo import source_files
from understudy.checkers.evidence import CheckerEvidence
from understudy.checkers.first_error import joined
from understudy.checkers.go_vet import read_go_list
from understudy.checkers.model import COLUMNS, OutputReading, Stop
from understudy.checkers.mypy import blocker
from understudy.checkers.profile import Checker
from understudy.langserver.spec import ServerSpec
from understudy.process.core_times import why_late
from understudy.shadow.folder import Fingerprint
from understudy.shadow.snapshot import Snapshot
from understudy.stage.choose import StageChooser
from understudy.stage.model import Command, Stage, StageLimits, StagePlan
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.positions import PositionEncoding
from understudy.values.verdicts import Reason
from understudy.workspace.commands.places import OutputPlaces
from understudy.workspace.commands.printed import (
    OUTPUT_CAP,
    Printed,
    filled,
    read_output,
    refusal_of,
)
from understudy.workspace.servers.stages import server_tools

_MANY = 500
"""So many files that the user changed between two runs are not worth keeping the stage for."""


class CommandStage:
    """One kept stage for one checking command; runs go one after the other."""

    def __init__(self, spec: ServerSpec, chooser: StageChooser) -> None:
        assert spec.profile.checker is not None
        self._spec = spec
        self._checker: Checker = spec.profile.checker
        self._chooser = chooser
        self._stage: Stage | None = None
        self._written: dict[str, str | None] = {}
        self._seen: Mapping[str, Fingerprint] = {}
        self._mtime = 0
        self._folder = ""
        self._turn = asyncio.Lock()

    async def evidence(
        self, snapshot: Snapshot, folder: str, files: Sequence[str], deadline: float,
        edited: Iterable[str] = (),
    ) -> CheckerEvidence | Reason:  # fmt: skip
        """Run in `folder` (root-relative, `.` for the root) over the snapshot; why not, otherwise.

        `files` are what `{files}` stands for. `edited` may differ between this run and what the
        user has built: their times must say so. `deadline` is monotonic, in s. To be called in a
        turn of one's own. Raises Moved.
        """
        try:
            stage = await self._showing(snapshot, edited)
            return await self._run_all(stage, snapshot, folder, files, deadline)
        except OutsideFailure as error:
            await self.close()
            code = "unsupported" if error.code == "stage-unavailable" else "crashed"
            return Reason(code, f"{self._spec.name} could not be run on a stage: {error.text}")
        except BaseException:  # whatever it is: undone, and raised again
            await self.close()  # a cancelled run may have left anything behind
            raise

    @asynccontextmanager
    async def turn(self, deadline: float) -> AsyncGenerator[bool, None]:
        """Wait for one's turn; false if it has not come by the deadline (monotonic, in s)."""
        try:
            await asyncio.wait_for(self._turn.acquire(), max(deadline - time.monotonic(), 0))
        except asyncio.TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            self._turn.release()

    async def close(self) -> None:
        """End the stage; the next run opens another."""
        stage, self._stage, self._written = self._stage, None, {}
        self._seen = {}
        if stage is not None:
            await stage.close()

    async def _showing(self, snapshot: Snapshot, edited: Iterable[str]) -> Stage:
        """The stage with the snapshot on it: only what differs from its last state is written.

        Commands take a file for unchanged by its time (cargo: not newer than the build; others:
        the same second and size). So whatever is new to them gets a time that it never had, a file
        of the user's too, whose own time may be an old one.
        """
        seen, self._seen = self._seen, snapshot.base.folder.files
        moved = {path for path, mark in self._seen.items() if seen.get(path, mark) != mark}
        if len(moved) > _MANY or any(_is_no_text(snapshot, path) for path in self._written):
            await self.close()  # what it shows there could not be put right (so cheaply)
            self._seen = snapshot.base.folder.files
        stage = self._stage
        if stage is None:
            plan = StagePlan(self._spec.root.path, visible=server_tools(self._spec))
            stage = self._stage = await self._chooser.open(plan, wanted="overlay")
        elif self._folder != snapshot.base.folder.stamp:
            await stage.refresh()
        self._folder = snapshot.base.folder.stamp
        changes: dict[str, bytes | None] = {}
        digests: dict[str, str | None] = {}
        moved |= self._neighbours(snapshot, seen)
        retimed = {path for path in {*moved, *edited} if _is_text(snapshot, path)}
        for path in snapshot.written(self._written.keys() | snapshot.unlike_disk | retimed):
            text = snapshot.read(path)
            digest = None if text is None else text.digest
            if path not in self._written or self._written[path] != digest:
                changes[path] = None if text is None else text.encode()
                digests[path] = digest
        if changes:
            texts = [path for path, data in changes.items() if data is not None]
            newest = max(self._mtime, int(time.time()))
            self._mtime = newest + len(texts)
            await stage.write(changes, {path: newest + n for n, path in enumerate(texts, 1)})
            self._written.update(digests)
        return stage

    def _neighbours(self, snapshot: Snapshot, seen: Mapping[str, Fingerprint]) -> set[str]:
        """Those of files that come or go, where the command itself would not notice."""
        if self._checker.notices_new_files:
            return set()
        on_disk = snapshot.base.folder.files
        placed = {
            path
            for path in self._written.keys() | snapshot.unlike_disk
            if snapshot.exists(path) != self._shows(path, on_disk)
        }
        placed |= seen.keys() ^ on_disk.keys() if seen else set()
        language_of = self._spec.profile.language_of
        projects = {self._project(snapshot, path) for path in placed if language_of(path)}
        if not projects:
            return set()
        near = {
            path
            for path in snapshot.paths()
            if language_of(path) and self._project(snapshot, path) in projects
            and _is_text(snapshot, path)
        }  # fmt: skip
        for path in near:  # to be written again, though it is the same text
            self._written.pop(path, None)
        return near

    def _shows(self, path: str, on_disk: Mapping[str, Fingerprint]) -> bool:
        """Whether the stage has such a file, as far as it was written and the folder scanned."""
        return self._written[path] is not None if path in self._written else path in on_disk

    def _project(self, snapshot: Snapshot, path: str) -> str | None:
        folders = [folder.as_posix() for folder in PurePosixPath(path).parents]
        names = self._spec.profile.root_markers
        marked = (f for f in folders if any(snapshot.exists(_joined_path(f, n)) for n in names))
        return next(marked, None)

    async def _run_all(
        self, stage: Stage, snapshot: Snapshot, folder: str, files: Sequence[str], deadline: float
    ) -> CheckerEvidence | Reason:
        """One run; one more for each module whose stub is among the files."""
        together = _without_hidden(files) if self._checker.output == "mypy" else list(files)
        found = await self._run(stage, snapshot, folder, together, deadline)
        for hidden in sorted({*files} - {*together}):
            if isinstance(found, Reason):
                break
            alone = await self._run(stage, snapshot, folder, [hidden], deadline)
            found = alone if isinstance(alone, Reason) else _joined(found, hidden, alone)
        return found

    async def _run(
        self, stage: Stage, snapshot: Snapshot, folder: str, files: Sequence[str], deadline: float
    ) -> CheckerEvidence | Reason:
        name, checker = self._spec.name, self._checker
        began = time.monotonic()
        inside = PurePosixPath(folder)
        command = filled(self._spec, folder, files)
        printed = await self._printed(stage, folder, command, deadline)
        if isinstance(printed, Reason):
            return printed
        if printed.status not in (*checker.ran, *checker.halted):
            text = f"{name} ended with status {printed.status}: {printed.words}"
            return Reason("crashed", text)
        where = str(stage.root / inside)
        reading = read_output(checker, printed, where)
        refusal = refusal_of(name, reading, printed)
        if refusal is not None:
            return refusal
        places = OutputPlaces(stage.root, inside, snapshot, self._columns, checker.coverage)
        covered = await self._covered(stage, folder, files, reading, places, deadline)
        if isinstance(covered, Reason):
            return covered
        stops = places.stops(reading.stops)
        if not any(stop.folder == "" for stop in stops):
            hidden = await self._hidden(stage, folder, reading, deadline)
            stops += [] if hidden is None else [Stop("", hidden)]
        if printed.status in checker.halted:
            stops.append(Stop("", self._halted_at(reading) or printed.words))
        elapsed = (time.monotonic() - began) * 1000
        findings = places.findings(name, reading.remarks)
        return CheckerEvidence(name, findings, covered, tuple(stops), elapsed)

    def _halted_at(self, reading: OutputReading) -> str | None:
        """What the command ended at, if it says so in a finding."""
        first = next(iter(reading.remarks), None)
        ending = blocker(reading.remarks) if self._checker.output == "mypy" else first
        return None if ending is None else ending.told

    @property
    def _columns(self) -> PositionEncoding:
        return self._spec.profile.positions or COLUMNS[self._checker.output]

    async def _covered(
        self, stage: Stage, folder: str, files: Sequence[str], reading: OutputReading,
        places: OutputPlaces, deadline: float,
    ) -> frozenset[str] | Reason | None:  # fmt: skip
        """The files that were looked at, root-relative; None if the profile vouches for all."""
        coverage = self._checker.coverage
        if coverage == "declared":
            return None
        if coverage == "arguments":
            return frozenset(files)
        if coverage == "listing":
            return await self._listed(stage, folder, places, deadline)
        names = set(reading.covered)
        for place in reading.dep_info:
            inside = places.path(place)
            data = None if inside is None else await stage.read(inside)
            names |= source_files("" if data is None else data.decode("utf-8", "surrogateescape"))
        return frozenset(path for name in names if (path := places.path(name)) is not None)

    async def _listed(
        self, stage: Stage, folder: str, places: OutputPlaces, deadline: float
    ) -> frozenset[str] | Reason:
        printed = await self._printed(stage, folder, self._same(self._checker.listing), deadline)
        if isinstance(printed, Reason):
            return printed
        found, unread = read_go_list(printed.stdout.decode("utf-8", "surrogateescape"))
        if printed.status != 0 or unread:
            said = joined(unread) if unread else printed.words
            return Reason("unproven", f"{self._spec.name}: its files cannot be listed: {said}")
        places.listing = found
        for place, package in found.files.items():
            path = places.path(place)
            if path is not None:
                places.packages[path] = package
        return frozenset(places.packages)

    async def _hidden(
        self, stage: Stage, folder: str, reading: OutputReading, deadline: float
    ) -> str | None:
        """Why the errors that were found may hide others, if so."""
        pattern = self._checker.hidden_if
        if pattern is None or all(remark.severity != "error" for remark in reading.remarks):
            return None
        command = self._checker.if_errors
        printed = await self._printed(stage, folder, self._same(command), deadline)
        if isinstance(printed, Reason):
            return printed.text
        text = printed.stdout.decode("utf-8", "replace")
        found = next((line for line in text.splitlines() if pattern.fullmatch(line)), None)
        if found is not None:
            first = next(one for one in reading.remarks if one.severity == "error")
            return f"with errors and {found.strip(' ,')} it leaves some out: {first.told}"
        return None if printed.status == 0 else f"{' '.join(command)}: {printed.words}"

    def _same(self, command: Sequence[str]) -> tuple[str, ...]:
        """A further command by the very program that was chosen for the first."""
        named = self._spec.profile.command
        if command[0] != named[0]:
            return tuple(command)
        return (*self._spec.command[: len(self._spec.command) - len(named) + 1], *command[1:])

    async def _printed(
        self, stage: Stage, folder: str, command: Sequence[str], deadline: float
    ) -> Printed | Reason:
        """Run a command to its end, or say why it did not get there."""
        printed = Printed()
        env = {**self._spec.env, **self._checker.env}
        changes = {key: value or None for key, value in env.items()}
        left = max(deadline - time.monotonic(), 0.01)
        ended = await stage.run(
            Command(tuple(command), folder, changes, StageLimits(wall=left)),
            lambda data: printed.take(printed.stdout, data),
            lambda data: printed.take(printed.stderr, data),
        )
        printed.status = ended.status
        name = self._spec.name
        if ended.limit == "time":
            return Reason("timeout", f"{name} had not ended at the time limit{why_late(name)}")
        if ended.limit is not None or ended.disk_full:
            return Reason("crashed", f"{name} came to the stage's {ended.limit or 'disk'} limit")
        if ended.output_cut:
            return Reason("unproven", f"{name} left a process behind that may have said more")
        if printed.dropped:
            return Reason("unproven", f"{name} printed more than {OUTPUT_CAP} bytes")
        return printed


def _joined_path(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _is_text(snapshot: Snapshot, path: str) -> bool:
    """Whether there is such a file, and it is a text."""
    return snapshot.exists(path) and not _is_no_text(snapshot, path)


def _is_no_text(snapshot: Snapshot, path: str) -> bool:
    try:
        snapshot.digest(path)
    except BadInput:
        return True
    return False


def _without_hidden(files: Sequence[str]) -> list[str]:
    """The files without modules whose stubs are among them: mypy refuses two files of one name."""
    stubs = {path.removesuffix("i") for path in files if path.endswith(".pyi")}
    return [path for path in files if path not in stubs]


def _joined(found: CheckerEvidence, path: str, alone: CheckerEvidence) -> CheckerEvidence:
    """With what a run for one file alone says of it."""
    covered = None if found.covered is None else frozenset({*found.covered, path})
    stops = [Stop(path, stop.why) for stop in alone.stops if stop.folder in ("", path)]
    return replace(
        found,
        findings={**found.findings, path: alone.findings.get(path, ())},
        covered=covered,
        stops=(*found.stops, *stops),
        elapsed_ms=found.elapsed_ms + alone.elapsed_ms,
    )
