"""What a rehearsal has left whose process is gone: looked through again, journalled, removed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from understudy.app.rehearse.settle import settle
from understudy.stage.copy.left import is_copy, left_copy
from understudy.stage.live import NEVER_NS, CapturedFile, FileMark, Frozen, Looked, Sightings
from understudy.stage.overlay.left import LeftStage, left_stage
from understudy.stage.overlay.sightings import look, take
from understudy.stage.scratch import RECORD
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.workspace.rehearsals.ledger import Ledger
from understudy.workspace.rehearsals.place import RehearsalPlace
from understudy.workspace.rehearsals.sweep import Sweeper
from understudy.workspace.rehearsals.user_files import UserFiles
from understudy.workspace.session import Session


@frozen
class _LeftLayer:
    """What lies on disk of a stage that is gone."""

    left: LeftStage
    began: Mapping[str, FileMark] | None = None

    @property
    def frozen(self) -> Frozen:
        return self.left.frozen

    @property
    def followed_until_ns(self) -> int | None:
        return None if self.frozen.folder is None else NEVER_NS

    async def sightings(self, enters: Callable[[str], bool]) -> Sightings:
        return await asyncio.to_thread(look, [self.left.layer], enters, lambda: False)

    async def taken(self, path: str) -> CapturedFile | None:
        return await asyncio.to_thread(take, [self.left.layer], path)


@contextmanager
def _left(layer: Path, root: Path) -> Generator[Looked, None, None]:
    """What was written on a stage that is gone, whatever its kind; raises OutsideFailure."""
    if is_copy(layer):
        with left_copy(layer, root) as copy:
            yield copy
    else:
        with left_stage(layer, root) as left:
            yield _LeftLayer(left)


async def end_left(session: Session, place: RehearsalPlace) -> str | None:
    """Journal all that a rehearsal without a process has written; the branch, if anything was.

    Raises OutsideFailure where it cannot be read or journalled: then that stays as it is.
    """
    try:
        place.claim(is_left=True)
    except (Refused, FileNotFoundError):
        return None  # it lives, or another process sees to it, or has done so
    try:
        branch = await settle(session, place)  # also where the rest cannot be read
        if (place.layer / RECORD).exists():
            await _sweep(session, place)
            branch = await settle(session, place) or branch
    except BaseException:  # whatever it is: left as it is, and raised again
        place.release()
        raise
    await asyncio.to_thread(place.remove)
    return branch


async def _sweep(session: Session, place: RehearsalPlace) -> None:
    ledger = Ledger(place.folder)
    await asyncio.to_thread(ledger.load)
    record = place.record()
    files = UserFiles(session.root, 0 if record is None else record.opened_ns)
    try:
        with _left(place.layer, session.root.path) as left:
            files.begin_with(left)
            sweeper = Sweeper(left, place, ledger, files)
            await sweeper.begin({})
            await sweeper.look(last=True)
    except OSError as error:
        text = f"what a rehearsal has left cannot be read: {error}"
        raise OutsideFailure("stage-left", text, str(place.folder)) from error
    finally:
        files.close()
