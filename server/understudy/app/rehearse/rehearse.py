"""The verb `rehearse`: a command lives on a stage of ours, and its branch follows what it writes.

The stage is this process's own. The folder's host takes what is written from disk whenever there
is one, so that either may end without the other.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from understudy.app.rehearse.keep_commits import forget_commits, keep_commits, take_up
from understudy.app.rehearse.pace import Pace
from understudy.app.rehearse.plan import RehearseOptions, open_stage, plan_of
from understudy.disk.layout import Layout
from understudy.disk.room import needing_room
from understudy.stage.choose import StageChooser
from understudy.stage.live import LiveProgram, LiveStage
from understudy.stage.model import MIB, Command
from understudy.stage.reach.publish import Published, publish
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.agents.given_back import GivenBack, HomeBefore
from understudy.workspace.rehearsals.ledger import Ledger
from understudy.workspace.rehearsals.place import Change, Record, place_of
from understudy.workspace.rehearsals.sweep import Sweeper, enters
from understudy.workspace.rehearsals.truth import Truth
from understudy.workspace.rehearsals.user_files import UserFiles
from understudy.workspace.settings import Settings
from understudy.workspace.stage_additions import additions
from understudy.workspace.tasks import Tasks

LOOK_S = 0.08
"""How often the stage is looked through; longer where a look takes long."""
_REST = 4
"""Looking takes a fifth of a processor at most."""
SAVES_S = 0.5
"""How often the user's folder is looked at; looking takes a twentieth of a processor at most."""
_SAVES_REST = 20
DISK_S = 1.0
"""How often what was written is counted; counting takes a twentieth of a processor at most."""
_NEARLY_FULL = 0.8
_MAX_WARNINGS = 20
_GRACE_S = 3.0
_LAST_LOOKS = 3


@frozen
class GivenTexts:
    """What a branch begins with: path -> the user's text, and the text that the stage shows.

    `has_fellows`: this process has others, which live on where this one is asked to end.
    """

    branch: str
    texts: Mapping[str, tuple[bytes | None, bytes | None]]
    has_fellows: bool = False


@frozen
class RehearsalEnd:
    """How it ended: the command's exit status, negative for a signal; what is in no branch.

    `has_commits` is None for more than are kept. `collisions` are the paths where the user has
    changed the same lines.
    """

    branch: str
    status: int
    left_out: Mapping[str, str]
    n_changed: int
    refused_hosts: tuple[str, ...] = ()
    given_back: GivenBack | None = None
    has_commits: bool | None = False
    collisions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Rehearsal:
    """One rehearsal that is open: its stage, and the task that looks through it."""

    def __init__(
        self,
        stage: LiveStage,
        sweeper: Sweeper,
        truth: Truth,
        given: GivenTexts,
        record: Record,
        home: HomeBefore | None,
        commits: Path,
    ) -> None:
        self.stage = stage
        self.published: list[Published] = []
        self._home = home
        self._commits = commits
        self.record = record
        self.truth = truth
        self._sweeper = sweeper
        self._given = given
        self._told = dict[str, str]()

    async def launch(
        self, options: RehearseOptions, streams: tuple[int, int, int], *, controls: bool
    ) -> LiveProgram:
        """Start the command with these streams; raises as `LiveStage.launch` does.

        Its ports are shown until the rehearsal ends, however often a command is started.
        """
        if not options.argv or not options.argv[0] or any("\0" in part for part in options.argv):
            raise BadInput("no-command", "name a command to rehearse")
        for port in options.publish[len(self.published) :]:
            branch, enter = self._given.branch, self.stage.doors.entered
            self.published.append(await publish(port, branch, enter))
            self._tell(published=tuple(shown.url for shown in self.published))
        command = Command(options.argv, options.cwd, options.env, environ=options.environ)
        return await self.stage.launch(command, streams, controls=controls)

    def go_on(
        self, tasks: Tasks, pinning: asyncio.Task[None], disk: int | None
    ) -> list[asyncio.Task[None]]:
        """Begin what goes on until it is cancelled; `disk` is the limit in bytes."""
        begun = [
            tasks.spawn(self.follow(), "look through the stage"),
            tasks.spawn(_after(pinning, self.keep_true), "keep the stage true"),
        ]
        if disk is not None:
            begun.append(tasks.spawn(self.watch_disk(disk), "watch the disk limit"))
        return begun

    async def follow(self) -> None:
        """Look through the stage until cancelled; what a full disk hinders is tried again."""
        while True:
            pace = Pace()
            try:
                await self._look()
            except OutsideFailure as error:
                if error.code == "stage-lost":
                    return
                self._warn(str(error))
            await asyncio.sleep(pace.rest(LOOK_S, _REST))

    async def keep_true(self) -> None:
        """Bring the user's saves onto the stage until cancelled."""
        while True:
            pace, rest = Pace(), _SAVES_REST
            try:
                if await self.truth.keep():
                    rest = 1  # it was work more than looking, and who saves so much may go on
                self._tell_collisions()
            except BadInput as error:  # the folder itself is gone, or cannot be listed
                self._warn(str(error))
            except OutsideFailure as error:
                if error.code == "stage-lost":
                    return
                self._warn(str(error))
            await asyncio.sleep(pace.rest(SAVES_S, rest))

    async def watch_disk(self, limit: int) -> None:
        """Warn once when most of what may be written was written; `limit` is in bytes."""
        while True:
            pace = Pace()
            try:
                used = await self.stage.written()
            except OutsideFailure:  # the stage is lost; looking through it says so
                return
            if used >= _NEARLY_FULL * limit:
                self._warn(
                    f"{used // MIB} of {limit // MIB} MiB that it may write are written; at more "
                    "it is ended (--disk MIB allows more the next time)"
                )
                return
            await asyncio.sleep(pace.rest(DISK_S, _SAVES_REST))

    async def finish(self, program: LiveProgram, options: RehearseOptions) -> RehearsalEnd:
        """End what is left of the command, and look for the last time.

        Raises as looking does, once all else is done: what was committed is kept in every case.
        """
        await program.end_tree(_GRACE_S)
        hindered = None
        try:
            for _ in range(_LAST_LOOKS):
                if not await self._look(last=True):
                    break
            await self.truth.find_collisions()
        except (UnderstudyError, OSError) as error:
            hindered = error
        for shown in self.published:
            shown.close()
        if program.reached is not None:
            self._warn(f"it was ended: it has reached its limit of {program.reached.limit}")
        status = -signal.SIGKILL if program.exit_status is None else program.exit_status
        known = self._sweeper.ledger.known.values()
        changed = sum(1 for one in known if one.after != one.base)
        back = has_commits = None
        with suppress(OutsideFailure):  # the stage is lost: what was written is not
            has_commits = await self._keep_commits(options.environ)
        with suppress(OutsideFailure):
            back = None if self._home is None else await self._home.give_back(self.stage)
        if hindered is not None:
            raise hindered
        return RehearsalEnd(
            self._given.branch, status, dict(self._sweeper.left_out), changed,
            self.stage.missed, back, has_commits, tuple(sorted(self.truth.collisions)),
            self.record.warnings,
        )  # fmt: skip

    async def _keep_commits(self, environ: Mapping[str, str]) -> bool | None:
        try:
            return await keep_commits(self.stage, self._commits, environ)
        except OutsideFailure as error:
            if error.code == "stage-lost":
                raise
            self._warn(str(error))
            return False

    async def is_touched(self, path: str) -> bool:
        """Whether anybody on the stage has written to a path, also a moment ago."""
        async with self._sweeper.turn:
            return await self._sweeper.is_touched(path)

    async def give(self, path: str, data: bytes) -> None:
        """Show a text of the user's at a path, as one that was given: an edit of it is over this.

        Does nothing where somebody on the stage has written to it.
        """
        async with self._sweeper.turn:
            shown = await self.stage.read(path)
            if shown == data or await self._sweeper.is_touched(path):
                return
            await self._sweeper.intend([(Change(path, data, data), shown)])
            try:
                await self.stage.write({path: data})
            except BaseException:  # whatever it is: nothing is meant any more, and it is raised
                await self._sweeper.settled((), (path,))
                raise
            found = await self.stage.sightings(enters)
            await self._sweeper.noted({path: (data, data)}, found)

    async def settle(self) -> None:
        """Write down all that was written until now; raises as looking does."""
        await self._look(last=True)

    async def _look(self, *, last: bool = False) -> int:
        n_changes = await self._sweeper.look(last=last)
        if self._sweeper.left_out != self._told:
            self._told = dict(self._sweeper.left_out)
            self._tell(left_out=self._told)
        return n_changes

    def _tell_collisions(self) -> None:
        found = tuple(sorted(self.truth.collisions))
        if found != self.record.collisions:
            self._tell(collisions=found)

    def _warn(self, text: str) -> None:
        """Say it once."""
        if text not in self.record.warnings:
            self._tell(warnings=(*self.record.warnings, text)[-_MAX_WARNINGS:])

    def _tell(self, **news: object) -> None:
        self.record = replace(self.record, **news)  # type: ignore[arg-type] - its own fields
        with suppress(UnderstudyError):  # a full disk: the next news say it again
            self._sweeper.place.write_record(self.record)


@asynccontextmanager
async def opened(
    root: Root, layout: Layout, settings: Settings, options: RehearseOptions, given: GivenTexts
) -> AsyncGenerator[Rehearsal, None]:
    """A rehearsal of a branch while the body runs; what no host has taken by then stays.

    Raises Refused `branch-in-use`, and what opening a stage raises.
    """
    place = place_of(layout, given.branch)
    place.claim()
    tasks = Tasks()
    is_done = False
    files = UserFiles(root)
    commits = layout.commits / f"{given.branch}.bundle"
    forget_commits(layout.commits, settings.archive_days + settings.branch_days)
    preset = options.preset
    home = None if preset is None else HomeBefore.of(preset.life, options.environ)
    stop = Event()
    chooser = StageChooser(
        layout.stages, layout.log("rehearsals"), tasks.spawn,
        lambda environ: additions(settings.stage_home, settings.stage_env, environ),
    )  # fmt: skip
    try:
        with needing_room(place.folder):
            plan = plan_of(root, settings, options, place, commits)
            stage = await open_stage(chooser, plan, options)
        try:
            files.begin_with(stage)
            await stage.outlive({})
            record = Record(
                given.branch, options.argv, os.getpid(), str(root.path), files.opened_ns,
                options.network, stage.kind, _unfrozen(stage), has_fellows=given.has_fellows,
                on_snapshot=stage.frozen.folder is not None,
            )  # fmt: skip
            place.write_record(record)
            ledger = Ledger(place.folder)
            sweeper = Sweeper(stage, place, ledger, files)
            await stage.write({path: shown for path, (_, shown) in given.texts.items()})
            await sweeper.begin(given.texts)
            await take_up(stage, commits, options.environ)
            truth = Truth(stage, sweeper, files)
            rehearsal = Rehearsal(stage, sweeper, truth, given, record, home, commits)
            pinning = tasks.spawn(asyncio.to_thread(files.pin, stop), "pin the user's files")
            going_on = rehearsal.go_on(tasks, pinning, options.limits.disk)
            yield rehearsal
            for task in going_on:
                task.cancel()
            stop.set()
            await asyncio.wait([pinning, *going_on])
            is_done = True
        finally:
            stop.set()
            await stage.close()
    finally:
        await chooser.close()
        await tasks.close()
        files.close()
        if not place.is_begun or (is_done and not place.has_batches):
            place.remove()
        place.release()


def _unfrozen(stage: LiveStage) -> tuple[str, ...]:
    why = stage.frozen.why_not
    return (f"the folder is a subvolume, and yet it lies on no snapshot: {why}",) if why else ()


async def _after(first: asyncio.Task[None], work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Both would read the user's files at once."""
    await asyncio.wait([first])
    await work()
