"""A stage whose owner was killed: what its commands changed lies on disk, and who wanted it.

The record is written before a command runs, and goes with the stage's folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import stat
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.room import needing_room
from understudy.process.tree import started_at
from understudy.stage import btrfs, scratch
from understudy.stage.beneath import open_beneath, read_file
from understudy.stage.live import NOT_FROZEN, Frozen
from understudy.stage.model import Changes
from understudy.stage.overlay.upper import Layer, compare
from understudy.stage.staged_process import host_pid
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

_SCHEMA, _FROZEN_SCHEMA = 1, 2
"""Over the user's folder itself the record is of the first form still: the version before, which
knows no snapshots, can finish what it says."""
_UPPER = "upper"
_END_S = 5.0
"""The kernel ends a stage with its owner, at once; a process may take a moment to go."""


def record(
    folder: Path, root: Path, layer: Layer, end: int, note: Mapping[str, Any], *, frozen: bool
) -> None:
    """Write down what lies in a stage's own folder, which a snapshot may lie in, too.

    Raises OutsideFailure `state-full`.
    """
    pid = host_pid(end)
    told = {
        "schema": _FROZEN_SCHEMA if frozen else _SCHEMA,
        "root": os.fsencode(root).hex(),
        "opaque": layer.opaque,
        "process": [pid, started_at(pid)],
        "note": note,
    }
    place = folder / scratch.RECORD
    with needing_room(place):
        write_private(place, json.dumps(told).encode())


@frozen
class LeftStage:
    """What commands changed in the folder itself; what is mounted in it ended with the stage."""

    layer: Layer
    note: Mapping[str, Any]
    frozen: Frozen = NOT_FROZEN

    async def changes(self) -> Changes:
        """See `model.Stage.changes`; files that we wrote ourselves are among them."""
        return await asyncio.to_thread(compare, [self.layer], {}, lambda: False)

    async def read(self, path: str) -> bytes | None:
        """What the stage showed at a changed path; None if no file was there."""
        return await asyncio.to_thread(self._read, path)

    def _read(self, path: str) -> bytes | None:
        with suppress(OSError):
            entry = open_beneath(self.layer.upper, path, os.O_PATH | os.O_NOFOLLOW)
            try:
                is_file = stat.S_ISREG(os.fstat(entry).st_mode)
            finally:
                os.close(entry)
            return read_file(self.layer.upper, path) if is_file else None
        return None


@contextmanager
def left_stage(folder: Path, root: Path) -> Generator[LeftStage, None, None]:
    """Open what lies in the folder of a stage of `root` that is gone.

    Raises OutsideFailure `stage-left` where it cannot be read, or its processes do not end.
    """
    place = folder / scratch.RECORD
    with ExitStack() as held:
        try:
            told = _read(place, root)
            wait_for(*told["process"])
            is_frozen = told["schema"] == _FROZEN_SCHEMA
            frozen = _frozen(folder / scratch.FROZEN) if is_frozen else NOT_FROZEN
            below = frozen.folder or root
            lower, upper = (held.enter_context(_open(one)) for one in (below, folder / _UPPER))
        except (OSError, ValueError, KeyError, TypeError) as error:
            text = f"what a run has left cannot be read: {error}"
            raise OutsideFailure("stage-left", text, str(place)) from error
        yield LeftStage(Layer(upper, lower, "", told["opaque"]), told["note"], frozen)


@contextmanager
def _open(folder: Path) -> Generator[int, None, None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _frozen(place: Path) -> Frozen:
    """Where somebody has removed it the user's folder has to do: then less is known."""
    return Frozen(place) if btrfs.is_subvolume(place) else NOT_FROZEN


def _read(place: Path, root: Path) -> dict[str, Any]:
    told = cast("dict[str, Any]", json.loads(place.read_bytes()))
    if told["schema"] not in (_SCHEMA, _FROZEN_SCHEMA) or told["root"] != os.fsencode(root).hex():
        raise ValueError("it is of another version of Understudy, or of another folder")
    return told


def wait_for(pid: int, started: str) -> None:
    """Until the stage's first process is gone, and with it all others."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if started_at(pid) == started and not poll.poll(_END_S * 1000):
            raise OSError("its processes still run")
    finally:
        os.close(handle)
