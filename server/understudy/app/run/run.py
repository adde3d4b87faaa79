"""The verb `run`: a command on a stage that shows a snapshot, and a receipt of what it did.

scan -> snapshot -> stage -> command -> output on disk -> changes (patch, adoption) -> scan again
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

from understudy.app.run.base_guard import folder_state, typed_meanwhile
from understudy.app.run.hidden_things import HiddenThings, hidden_things
from understudy.app.run.kept_output import KeptOutput, redactor
from understudy.app.run.outcome import Adopted, Outcome, Settling, cannot_write
from understudy.app.run.question import RunQuestion, pinning, question_of
from understudy.app.run.recovery import note_of
from understudy.disk.named_file import unwritable
from understudy.disk.output_file import StoredOutput
from understudy.stage.model import (
    Command,
    CommandEnd,
    Isolation,
    KindName,
    MemoryLimit,
    Network,
    Sink,
    Stage,
    StageLimits,
    StagePlan,
)
from understudy.values.errors import HOW_TO_TRUST, BadInput, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.hosts import HostList
from understudy.values.stamps import Stamp, stamp_of
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import time_limit
from understudy.workspace.progress import NOBODY, Audience, Stream, Told
from understudy.workspace.runs.changes import Patch, RunChanges
from understudy.workspace.runs.stages import RunStage, StageWish
from understudy.workspace.session import Session
from understudy.workspace.stage_additions import added_by, withheld_from

DEFAULT_LIMIT_S = 600.0
"""The time limit of a run that names none."""


@frozen
class RunOptions:
    """What to run, and how; `cwd` is relative to the root, `seconds` None is the default.

    `by_user` says that the command line's own user asks; others need a trusted folder (law 7).
    `environ` is that of who asks, where it is another process; `env` is put over it.
    `limits.wall` is not looked at. `patch` is the file that the changes are written to as a git
    diff: one of the caller's, or one beside the output. `home` are places that the stage is to show
    besides its list. `hosts` are reached besides, from a network of its own.
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    network: Network = "none"
    hosts: HostList | None = None
    limits: StageLimits = field(default_factory=StageLimits)
    seconds: float | None = None
    kind: KindName | None = None
    shared: str | None = None
    keep: bool = False
    patch: Path | Literal["beside"] | None = None
    adopt: bool = False
    unfenced: bool = False
    home: tuple[str, ...] = ()
    by_user: bool = False
    environ: Mapping[str, str] | None = None


@frozen
class RunReceipt:
    """What stands for a run: totals first; the whole output lies at `output.path`."""

    options: RunOptions
    ended: CommandEnd
    output: StoredOutput
    kind: KindName
    root: Path
    isolation: Isolation
    memory: MemoryLimit
    foreign: tuple[str, ...]
    stamp: Stamp
    moved: tuple[str, ...]
    outcome: Outcome
    missed: HiddenThings
    refused_hosts: tuple[str, ...]
    elapsed_ms: float

    @property
    def changes(self) -> RunChanges:
        """What the command changed."""
        return self.outcome.changes

    @property
    def patch(self) -> Patch | None:
        """The changes as a patch, where one is wanted."""
        return self.outcome.patch

    @property
    def patch_file(self) -> Path | None:
        """Where the patch was written to."""
        return self.outcome.patch_file

    @property
    def adopted(self) -> Adopted | None:
        """What became edits of the branch, where that is wanted."""
        return self.outcome.adopted

    @property
    def base_moved(self) -> bool:
        """Whether the user's text changed while it ran, or since its shared stage was opened."""
        return bool(self.moved)


class Attendant(Protocol):
    """Who minds a command that has no time limit: it goes on until it ends, or is told to."""

    @property
    def stopping(self) -> asyncio.Event:
        """Set when the command is to end; its receipt comes then."""
        ...

    async def come(self, opened: RunStage) -> None:
        """The stage is open, the command about to start; what this raises is raised instead."""


async def run(
    session: Session,
    branch: str | None,
    options: RunOptions,
    audience: Audience = NOBODY,
    *,
    owner: str | None = None,
    live_base: LiveBase | None = None,
    book: BranchBook | None = None,
    attendant: Attendant | None = None,
) -> RunReceipt:
    """Run a command on a stage with the branch (None: the base itself); the folder stays untouched.

    `owner` names whose kept products are meant (default: the branch's, or the base's); `live_base`
    is what the branch is over (None: the base of this process' own connection), `book` where it is
    (None: the kept); `attendant` ends a command that has no time limit. `audience.told` hears where
    the changes are when no receipt comes.
    Raises BadInput (`no-command`, `bad-timeout`, `no-branch`, `unknown-branch`, ...), Refused
    (`untrusted`, `cannot-run`), Conflict where the branch does not fit the base, OutsideFailure
    (`command-not-found`, `stage-unavailable`, ...). When it is cancelled, all that runs is ended,
    and what it has changed is adopted, or in the patch.
    """
    began = time.monotonic()
    _refuse(session, branch, options)
    limits = replace(options.limits, wall=None if attendant else _seconds(options))
    live_base, book = live_base or session.bases.own, book or session.branches
    question = await question_of(session, live_base, book, branch)
    _refuse_folder(session, question, options.cwd)
    wish = _wish(session, owner, branch, options, limits)
    loading = redactor(session)
    async with session.run_stages.opened(wish, session.root, question.snapshot) as opened:
        if attendant is not None:
            await attendant.come(opened)
        kept = KeptOutput(session.layout.runs, await loading)
        settling = Settling(session.root, opened.stage, opened.earlier, question, kept.path)
        await _outlive(opened.stage, question, options, kept.path)
        cancelled = attendant.stopping if attendant else asyncio.Event()
        # One that is attended merges nothing. The texts are held no longer: a scan waits for that.
        async with nullcontext() if attendant else pinning(session, question):
            running = _execute(opened.stage, options, limits, audience, kept, cancelled)
            ended, output, outcome = await _run_and_settle(
                session, running, settling, options, audience.told
            )
        moved = await _moved(session, question, live_base) | opened.stale
        return RunReceipt(
            options=options,
            ended=ended,
            output=output,
            kind=opened.stage.kind,
            root=opened.stage.root,
            isolation=opened.stage.isolation,
            memory=opened.stage.memory,
            foreign=await opened.stage.foreign(),
            stamp=_stamp(question, options, opened.stage.kind),
            moved=tuple(sorted(moved - _own(session, outcome))),
            outcome=outcome,
            refused_hosts=opened.stage.missed,
            missed=_missed(session, opened.stage, options, ended, output),
            elapsed_ms=(time.monotonic() - began) * 1000,
        )


def _seconds(options: RunOptions) -> float:
    return time_limit(options.seconds, DEFAULT_LIMIT_S)


async def _moved(session: Session, question: RunQuestion, live_base: LiveBase) -> set[str]:
    """What the user has saved or typed since the run began."""
    now = await folder_state(session.root)
    typed = typed_meanwhile(question.base.buffers, live_base.now.buffers)
    return {*question.state.moved(now), *typed}


def _refuse(session: Session, branch: str | None, options: RunOptions) -> None:
    """Raise for what can be told before anything is done."""
    if not options.argv or not options.argv[0] or any("\0" in part for part in options.argv):
        raise BadInput("no-command", "name a command to run")
    if options.adopt and branch is None:
        raise BadInput("no-branch", "changes can be adopted by a branch only")
    if not options.by_user and not session.trusted:
        raise Refused(
            "untrusted",
            f"commands run in trusted folders only: {HOW_TO_TRUST}",
            str(session.root.path),
        )
    if isinstance(options.patch, Path):  # told now, and not when a long run is over
        number = unwritable(options.patch, session.root.path)
        if number is not None:
            raise cannot_write(options.patch, os.strerror(number))


def _refuse_folder(session: Session, question: RunQuestion, cwd: str) -> None:
    """Raise BadInput `no-such-folder` unless the stage will show one there."""
    if cwd in ("", "."):
        return
    folder = session.root.relative(cwd)
    shown = (path for path, text in question.snapshot.overlay.items() if text is not None)
    if session.root.absolute(folder).is_dir() or any(p.startswith(folder + "/") for p in shown):
        return
    raise BadInput("no-such-folder", "there is no such folder to run it in", cwd)


def _wish(
    session: Session,
    owner: str | None,
    branch: str | None,
    options: RunOptions,
    limits: StageLimits,
) -> StageWish:
    """The stage that is wanted; products of branches that are gone make room for it."""
    if options.keep and owner is None:
        session.run_stages.forget({one.id for one in session.branches.summaries()})
    return StageWish(
        owner or branch or "base", _plan(session, options, limits),
        options.kind, options.shared, options.keep, options.unfenced,
        merges=options.adopt or options.patch is not None,
    )  # fmt: skip


def _plan(session: Session, options: RunOptions, limits: StageLimits) -> StagePlan:
    """The stage, as the user who asks has tools and has named things to be shown."""
    added = added_by(session.settings, options.home, options.environ)
    outlives = options.adopt and options.shared is None and not options.keep
    return StagePlan(
        session.root.path, options.network, limits,
        on_disk=outlives, environ=options.environ, added=added, hosts=options.hosts,
    )  # fmt: skip


def _missed(
    session: Session, stage: Stage, options: RunOptions, ended: CommandEnd, output: StoredOutput
) -> HiddenThings:
    """What the command could not see, and what of that it has failed for, as it seems."""
    kept_back = withheld_from(session.settings, options.env, options.environ)
    if ended.status == 0:
        return HiddenThings(len(kept_back))
    folder = session.root.path / options.cwd
    things = hidden_things(output, folder, options.environ, stage, kept_back)
    return HiddenThings(len(kept_back), things)


async def _outlive(stage: Stage, question: RunQuestion, options: RunOptions, output: Path) -> None:
    """Have what is to be adopted found by the next start, should we be killed before."""
    if options.adopt:
        await stage.outlive(note_of(question, options.argv, output))


async def _execute(
    stage: Stage,
    options: RunOptions,
    limits: StageLimits,
    audience: Audience,
    kept: KeptOutput,
    cancelled: asyncio.Event,
) -> tuple[CommandEnd, StoredOutput]:
    """Run the command; its output is given on as it comes, and is on disk at the end."""
    broken: list[Exception] = []

    def taker(stream: Stream) -> Sink:
        def take(data: bytes) -> Awaitable[None] | None:
            if broken:
                return None
            try:
                kept.write(data)
                return audience.live(stream, data)
            except Exception as error:  # noqa: BLE001 - raised below, once the command is ended
                broken.append(error)
                cancelled.set()
                return None

        return take

    command = Command(options.argv, options.cwd, options.env, limits, options.environ)
    try:
        audience.placed(kept.path)
        ended = await stage.run(command, taker("stdout"), taker("stderr"), cancelled=cancelled)
    except UnderstudyError:
        kept.remove()
        raise
    except BaseException:  # cancelled: what there was of the output stays
        with suppress(UnderstudyError):
            kept.finish()
        raise
    output = await asyncio.to_thread(kept.finish)
    if broken:
        raise broken[0]
    return ended, output


async def _run_and_settle(
    session: Session,
    running: Awaitable[tuple[CommandEnd, StoredOutput]],
    settling: Settling,
    options: RunOptions,
    told: Told,
) -> tuple[CommandEnd, StoredOutput, Outcome]:
    """Run to the end, then keep what was changed; `told` hears where it is if no receipt comes."""
    try:
        ended, output = await running
    except BaseException:  # whatever it is: what the command has changed is kept all the same
        await _settle_for(session, settling, options, told)
        raise
    outcome, was_cancelled = await _settled(session, settling, options)
    if was_cancelled or outcome.failure is not None:
        _tell(outcome, told)
    if was_cancelled:
        raise asyncio.CancelledError
    if outcome.failure is not None:
        raise outcome.failure
    return ended, output, outcome


async def _settled(
    session: Session, settling: Settling, options: RunOptions
) -> tuple[Outcome, bool]:
    """What becomes of the changes, and whether the caller was cancelled meanwhile.

    It goes on to its end all the same: the stage is open until then, and gone afterwards.
    """
    work = settling.settle(options.patch, adopt=options.adopt)
    return await session.tasks.finish(work, "settle what a run changed")


async def _settle_for(
    session: Session, settling: Settling, options: RunOptions, told: Told
) -> None:
    """Keep what was changed until the run was broken off; its own failure is not hidden by ours."""
    if not options.adopt and options.patch is None:
        return
    try:
        outcome, _ = await _settled(session, settling, options)
    except UnderstudyError as error:
        told(f"what the command had changed is lost: {error}")
    else:
        _tell(outcome, told)
        if outcome.failure is not None:
            told(str(outcome.failure))


def _tell(outcome: Outcome, told: Told) -> None:
    for line in outcome.lines() if outcome.changes.items else ():
        told(line)


def _own(session: Session, outcome: Outcome) -> set[str]:
    """What we have written into the folder ourselves: the patch, if it was wanted there."""
    patch_file = outcome.patch_file
    if patch_file is None:
        return set()
    real = patch_file.parent.resolve() / patch_file.name
    inside = real.is_relative_to(session.root.path)
    return {real.relative_to(session.root.path).as_posix()} if inside else set()


def _stamp(question: RunQuestion, options: RunOptions, kind: KindName) -> Stamp:
    """Names the question: all texts of the folder and the snapshot, the command, the stage."""
    env: list[Any] = [part for pair in sorted(options.env.items()) for part in pair]
    told = [kind, options.network, options.shared, str(options.keep), options.cwd, *options.argv]
    told += options.home
    told += () if options.hosts is None else map(str, options.hosts.hosts)
    return stamp_of([question.state.stamp, question.snapshot.stamp, *told, *env])
