"""What a start does about a run with `--adopt` whose host was killed: what it changed is kept.

The changes lie on disk (`stage/overlay/left.py`); they are settled as at the end of any run, over
what the run began with as far as that is still known.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from understudy.app.run.base_guard import EVERYTHING, FolderState, folder_state
from understudy.app.run.outcome import Outcome, Settling
from understudy.app.run.question import RunQuestion
from understudy.disk.folder.scan import FolderReader
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.stage.overlay.left import LeftStage, left_stage
from understudy.stage.scratch import left
from understudy.values.errors import UnderstudyError
from understudy.workspace.pinned_base import base_of_then
from understudy.workspace.runs.stages import texts_of
from understudy.workspace.session import Session

log = logging.getLogger(__name__)

_CLOCK_NS = 20_000_000
"""The time that the kernel gives to changed files may lie that far behind its clock."""
_UNKNOWN = Fingerprint(0, -1, 0)
"""No file has it: what was here at the start is not known any more."""


def note_of(question: RunQuestion, argv: Sequence[str], output: Path) -> dict[str, Any]:
    """What the next start has to know of a run; the changes themselves lie on its stage."""
    written = {
        path: "" if data is None else sha256(data).hexdigest()
        for path, data in texts_of(question.snapshot).items()
    }
    return {
        "branch": question.branch,
        "stamp": question.branch_stamp,
        "command": argv[0],
        "output": str(output),
        "began_ns": question.began_ns,
        "written": written,
        "typed": sorted(question.base.buffers),
    }


async def recover_runs(session: Session) -> list[str]:
    """Adopt what runs have left that nobody could end; returns what the user should be told.

    The caller holds the host lock, and has loaded the branches. What cannot be kept now, as the
    disk is full, stays for the next start.
    """
    told: list[str] = []
    for scratch in await asyncio.to_thread(lambda: list(left(session.layout.stages))):
        is_kept = False
        try:
            with left_stage(scratch.folder, session.root.path) as stage:
                outcome = await _settled(session, stage)
                is_kept = not outcome.is_lossy
                told += _told(stage.note, outcome)
        except (UnderstudyError, Moved) as error:
            told.append(
                f"what a run has changed that was broken off lies in {scratch.folder}: {error}"
            )
        finally:
            await asyncio.to_thread(scratch.close if is_kept else scratch.release)
    told = [f"understudy: {line}" for line in told]
    for line in told:
        log.warning("%s", line)
    return told


async def _settled(session: Session, stage: LeftStage) -> Outcome:
    note = stage.note
    question = await _question(session, note)
    earlier = {path: bytes.fromhex(digest) for path, digest in note["written"].items()}
    output = Path(note["output"])
    settling = Settling(session.root, stage, earlier, question, output)
    work = settling.settle(None, adopt=True)
    outcome, was_cancelled = await session.tasks.finish(work, "settle what a run has left")
    if was_cancelled:
        raise asyncio.CancelledError
    return outcome


async def _question(session: Session, note: Mapping[str, Any]) -> RunQuestion:
    """The run's question, with what has changed since its start unknown."""
    now = await folder_state(session.root)
    began_ns = int(note["began_ns"])
    since = began_ns - _CLOCK_NS
    files = {p: m if m.changed_ns < since else _UNKNOWN for p, m in now.files.items()}
    files |= dict.fromkeys(note["typed"], _UNKNOWN)
    view = FolderView(FolderReader(session.root), files, now.environment)
    base = base_of_then(Base(view), EVERYTHING.covers)
    state = FolderState(files, now.environment)
    book, branch, stamp = session.branches, str(note["branch"]), note["stamp"]
    try:
        snapshot = await book.snapshot(branch, base)
    except (UnderstudyError, Moved):  # put away, or the user has changed its files since
        branch, stamp, snapshot = (await book.create(_title(note))).id, None, Snapshot(base)
    return RunQuestion(
        began_ns, state, base, snapshot, session.root, session.bases.own, book, branch, stamp
    )


def _told(note: Mapping[str, Any], outcome: Outcome) -> list[str]:
    lines = [*outcome.lines()] if outcome.changes.items else ["it had changed nothing"]
    return [f"a run of {note['command']} that was broken off: {lines[0].strip()}", *lines[1:]]


def _title(note: Mapping[str, Any]) -> str:
    return f"what a run with {note['branch']} changed"
