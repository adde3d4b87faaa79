"""The verb `run`: a command on a stage that shows a snapshot, and a receipt of what it did.

scan -> snapshot -> stage -> command -> output on disk -> changes (patch, adoption) -> scan again
"""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from understudy.app.base_guard import FolderState, folder_state, typed_meanwhile
from understudy.app.branches import BranchBook
from understudy.app.check_options import REPEATS, time_limit
from understudy.app.live_base import LiveBase
from understudy.app.progress import Live, Placed, Stream, unheard, untold
from understudy.app.run_changes import Patch, RunChanges, edits_of, patch_of, run_changes
from understudy.app.run_stages import RunStage, StageWish, digest_of
from understudy.app.session import Session
from understudy.disk.atomic import write_private
from understudy.disk.output_file import Output, OutputFile
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.stage.model import (
    Command,
    Ended,
    Isolation,
    KindName,
    Limits,
    Network,
    Plan,
    Sink,
    Stage,
)
from understudy.stage.privacy import default_homes, hidden_tools
from understudy.values.errors import BadInput, Conflict, OutsideFailure, Refused, UnderstudyError
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.trust import HOW_TO_TRUST

DEFAULT_LIMIT_S = 600.0
"""The time limit of a run that names none."""


@dataclass(frozen=True)
class RunOptions:
    """What to run, and how; `cwd` is relative to the root, `seconds` None is the default.

    `by_user` says that the command line's own user asks; others need a trusted folder (law 7).
    `environ` is that of who asks, where it is another process; `env` is put over it.
    `limits.wall` is not looked at. `patch` is the file that the changes are written to as a git
    diff: one of the caller's, or one beside the output.
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    network: Network = "none"
    limits: Limits = field(default_factory=Limits)
    seconds: float | None = None
    kind: KindName | None = None
    shared: str | None = None
    keep: bool = False
    patch: Path | Literal["beside"] | None = None
    adopt: bool = False
    unfenced: bool = False
    by_user: bool = False
    environ: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Adopted:
    """The branch's changed paths after an adoption, and what a branch cannot hold, with reasons."""

    branch: str
    paths: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Receipt:
    """What stands for a run: totals first; the whole output lies at `output.path`."""

    options: RunOptions
    ended: Ended
    output: Output
    kind: KindName
    root: Path
    isolation: Isolation
    foreign: tuple[str, ...]
    stamp: Stamp
    moved: tuple[str, ...]
    changes: RunChanges
    patch: Patch | None
    patch_file: Path | None
    adopted: Adopted | None
    elapsed_ms: float

    @property
    def base_moved(self) -> bool:
        """Whether the user's folder or buffers changed while the command ran."""
        return bool(self.moved)


@dataclass(frozen=True)
class _Question:
    """What a run is about: the base at its start, and the branch of a book over it."""

    state: FolderState
    base: Base
    snapshot: Snapshot
    book: BranchBook
    branch: str | None
    branch_stamp: Stamp | None


async def run(
    session: Session,
    branch: str | None,
    options: RunOptions,
    live: Live = unheard,
    *,
    placed: Placed = untold,
    owner: str | None = None,
    live_base: LiveBase | None = None,
    book: BranchBook | None = None,
) -> Receipt:
    """Run a command on a stage with the branch (None: the base itself); the folder stays untouched.

    `live` takes its output as it comes, `placed` is told where all of it lies. `owner` names whose
    kept products are meant (default: the branch's, or the base's); `live_base` is what the branch
    is over (None: the base of this process' own connection), `book` where it is (None: the kept).
    Raises BadInput (`no-command`, `bad-timeout`, `no-branch`, `unknown-branch`, ...), Refused
    (`untrusted`, `cannot-run`), Conflict where the branch does not fit the base, OutsideFailure
    (`command-not-found`, `command-not-executable`, `stage-unavailable`, ...). When it is cancelled,
    the command's whole process tree is ended.
    """
    began = time.monotonic()
    _refuse(session, branch, options)
    limits = replace(options.limits, wall=time_limit(options.seconds, DEFAULT_LIMIT_S))
    live_base = live_base or session.bases.own
    question = await _question(session, live_base, book or session.branches, branch)
    _refuse_folder(session, question, options.cwd)
    wish = StageWish(
        owner or branch or "base",
        _plan(session, options, limits),
        options.kind,
        options.shared,
        options.keep,
        options.unfenced,
    )
    if options.keep and owner is None:
        session.run_stages.forget({one.id for one in session.branches.summaries()})
    async with session.run_stages.opened(wish, session.root, question.snapshot) as opened:
        ended, output = await _execute(session, opened.stage, options, limits, live, placed)
        found = await _new_changes(session, opened)
        patch, patch_file = await _patch(session, opened.stage, question, options, output, found)
        adopted = await _adopt(opened.stage, question, found) if options.adopt else None
        now = await folder_state(session.root)
        typed = typed_meanwhile(question.base.buffers, live_base.now.buffers)
        return Receipt(
            options=options,
            ended=ended,
            output=output,
            kind=opened.stage.kind,
            root=opened.stage.root,
            isolation=opened.stage.isolation,
            foreign=await opened.stage.foreign(),
            stamp=_stamp(question, options, opened.stage.kind),
            moved=tuple(sorted({*question.state.moved(now), *typed} - _own(session, patch_file))),
            changes=found,
            patch=patch,
            patch_file=patch_file,
            adopted=adopted,
            elapsed_ms=(time.monotonic() - began) * 1000,
        )


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
        number = _unwritable(options.patch)
        if number is not None:
            raise _cannot_write(options.patch, os.strerror(number))


def _unwritable(file: Path) -> int | None:
    """Why a file could not be written, as far as it can be told without doing it."""
    if file.is_dir():
        return errno.EISDIR
    if not file.parent.is_dir():
        return errno.ENOENT
    return None if os.access(file if file.exists() else file.parent, os.W_OK) else errno.EACCES


def _cannot_write(file: Path, why: str | None) -> OutsideFailure:
    return OutsideFailure("cannot-write", f"the patch cannot be written: {why}", str(file))


def _refuse_folder(session: Session, question: _Question, cwd: str) -> None:
    """Raise BadInput `no-such-folder` unless the stage will show one there."""
    if cwd in ("", "."):
        return
    folder = session.root.relative(cwd)
    shown = (path for path, text in question.snapshot.overlay.items() if text is not None)
    if session.root.absolute(folder).is_dir() or any(p.startswith(folder + "/") for p in shown):
        return
    raise BadInput("no-such-folder", "there is no such folder to run it in", cwd)


def _plan(session: Session, options: RunOptions, limits: Limits) -> Plan:
    """The stage, with the tools and caches of who asks where that is another process."""
    plan = Plan(session.root.path, options.network, limits)
    if options.environ is None:
        return plan
    visible = hidden_tools(session.root.path, options.environ)
    return replace(plan, visible=visible, homes=default_homes(options.environ))


async def _question(
    session: Session, live_base: LiveBase, book: BranchBook, branch: str | None
) -> _Question:
    """The snapshot over the folder as it is; a file that moves while it is read is read again."""
    for attempt in range(REPEATS + 1):
        state = await folder_state(session.root)
        # A check looks at the files that servers read; a command may read any.
        base = (await live_base.fresh()).with_scan(state.files, state.environment)
        try:
            snapshot, stamp = Snapshot(base), None
            if branch is not None:
                stamp = (await book.get(branch)).stamp
                snapshot = await book.snapshot(branch, base)
            _ = snapshot.unlike_disk
        except Moved:
            if attempt == REPEATS:
                raise
            continue
        if snapshot.conflicts:
            text = "the branch's edits collide with what the user changed; rebase it first"
            raise Conflict("conflict", text, ", ".join(sorted(snapshot.conflicts)))
        return _Question(state, base, snapshot, book, branch, stamp)
    raise AssertionError


async def _execute(
    session: Session,
    stage: Stage,
    options: RunOptions,
    limits: Limits,
    live: Live,
    placed: Placed,
) -> tuple[Ended, Output]:
    """Run the command; its output is given on as it comes, and is on disk at the end."""
    file = OutputFile(session.layout.runs)
    broken: list[Exception] = []
    cancelled = asyncio.Event()

    def taker(stream: Stream) -> Sink:
        def take(data: bytes) -> Awaitable[None] | None:
            if broken:
                return None
            try:
                file.write(data)
                return live(stream, data)
            except Exception as error:  # noqa: BLE001 - raised below, once the command is ended
                broken.append(error)
                cancelled.set()
                return None

        return take

    command = Command(options.argv, options.cwd, options.env, limits, options.environ)
    try:
        placed(file.path)
        ended = await stage.run(command, taker("stdout"), taker("stderr"), cancelled=cancelled)
    except UnderstudyError:
        file.close()
        file.path.unlink(missing_ok=True)
        raise
    except BaseException:  # cancelled: what there was of the output stays
        with suppress(UnderstudyError):
            file.finish()
        raise
    output = await asyncio.to_thread(file.finish)
    if broken:
        raise broken[0]
    return ended, output


async def _new_changes(session: Session, opened: RunStage) -> RunChanges:
    """What this run changed, without what former ones have left on a kept stage."""
    found = await run_changes(opened.stage, session.root)
    items = [
        change
        for change in found.items
        if change.path not in opened.earlier
        or opened.earlier[change.path] != await digest_of(opened.stage, change.path)
    ]
    return replace(found, items=tuple(items))


async def _patch(
    session: Session,
    stage: Stage,
    question: _Question,
    options: RunOptions,
    output: Output,
    changes: RunChanges,
) -> tuple[Patch | None, Path | None]:
    """The changes as a patch, and the file that it was written to; None where none is wanted."""
    if options.patch is None:
        return None, None
    patch = await patch_of(stage, question.snapshot, session.root, changes)
    return patch, await asyncio.to_thread(_write_patch, patch, options.patch, output)


def _write_patch(patch: Patch, wanted: Path | Literal["beside"], output: Output) -> Path:
    file = output.path.with_suffix(".patch") if wanted == "beside" else wanted
    try:
        if wanted == "beside":
            write_private(file, patch.data)
        else:
            file.write_bytes(patch.data)
    except OSError as error:
        raise _cannot_write(file, error.strerror) from error
    return file


async def _adopt(stage: Stage, question: _Question, changes: RunChanges) -> Adopted:
    """Make the changes edits of the branch, all or none; what it cannot hold is named.

    They are made over the base of the run, so that what the user has changed since is merged like
    any other move of the base. A branch that was edited meanwhile refuses them all.
    """
    assert question.branch is not None
    edits, refused = await edits_of(stage, question.snapshot, changes)
    if not edits:
        return Adopted(question.branch, (), tuple(refused))
    try:
        edited = await question.book.edit(
            question.branch, edits, question.base, question.branch_stamp
        )
    except (BadInput, Conflict, Moved) as error:
        why = "base-moved" if isinstance(error, Moved) else f"{error.code}: {error}"
        refused += [(edit["path"], why) for edit in edits]
        return Adopted(question.branch, (), tuple(sorted(refused)))
    return Adopted(question.branch, edited.changed, tuple(refused))


def _own(session: Session, patch_file: Path | None) -> set[str]:
    """What we have written into the folder ourselves: the patch, if it was wanted there."""
    if patch_file is None:
        return set()
    real = patch_file.parent.resolve() / patch_file.name
    inside = real.is_relative_to(session.root.path)
    return {real.relative_to(session.root.path).as_posix()} if inside else set()


def _stamp(question: _Question, options: RunOptions, kind: KindName) -> Stamp:
    """Names the question: all texts of the folder and the snapshot, the command, the stage."""
    env: list[Any] = [part for pair in sorted(options.env.items()) for part in pair]
    told = [kind, options.network, options.shared, str(options.keep), options.cwd, *options.argv]
    return stamp_of([question.state.stamp, question.snapshot.stamp, *told, *env])
