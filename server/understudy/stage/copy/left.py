"""A copied stage whose owner was killed: what its commands changed lies in the copy.

The record in the rehearsal's layer names the copy, which is nobody else's while it is there.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import needing_room
from understudy.process.tree import started_at
from understudy.stage import scratch
from understudy.stage.copy.kept import KeptCopy
from understudy.stage.copy.sightings import CopyLook
from understudy.stage.live import NOT_FROZEN, CapturedFile, FileMark, Frozen, Sightings
from understudy.stage.overlay.left import wait_for
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.frozen import frozen

_SCHEMA = 1
_KIND = "copy"


def record(layer: Path, kept: KeptCopy, fences: Iterable[int], followed_until_ns: int) -> None:
    """Write down where the writes lie, and who may write; raises OutsideFailure `state-full`."""
    told = {
        "schema": _SCHEMA,
        "kind": _KIND,
        "root": os.fsencode(kept.root).hex(),
        "copy": os.fsencode(kept.folder).hex(),
        "processes": [[pid, started_at(pid)] for pid in fences],
        "followedUntilNs": followed_until_ns,
    }
    make_private_folder(layer)
    with needing_room(layer):
        write_private(layer / scratch.RECORD, json.dumps(told).encode("ascii"))


@frozen
class LeftCopy:
    """See `live.Looked`."""

    followed_until_ns: int | None
    began: Mapping[str, FileMark] | None
    _look: CopyLook
    frozen: Frozen = NOT_FROZEN

    async def sightings(self, enters: Callable[[str], bool]) -> Sightings:
        """See `live.Looked.sightings`."""
        return await asyncio.to_thread(self._look.look, enters, lambda: False)

    async def taken(self, path: str) -> CapturedFile | None:
        """See `live.Looked.taken`."""
        return await asyncio.to_thread(self._look.take, path)


def is_copy(layer: Path) -> bool:
    """Whether the record in a rehearsal's layer is that of a copied stage."""
    try:
        return _read(layer).get("kind") == _KIND
    except (OSError, ValueError, AttributeError):
        return False


@contextmanager
def left_copy(layer: Path, root: Path) -> Generator[LeftCopy, None, None]:
    """Open the copy that a record names.

    Raises OutsideFailure `stage-left` where it cannot be read, or its processes do not end.
    """
    try:
        told = _read(layer)
        _check_of(told, root)
        for pid, started in told["processes"]:
            wait_for(pid, started)
        kept = KeptCopy.left(Path(os.fsdecode(bytes.fromhex(told["copy"]))), root)
    except (OSError, ValueError, KeyError, TypeError, Refused) as error:
        raise _unreadable(error, layer) from error
    try:
        manifest = kept.manifest()
        if manifest is None:
            raise _unreadable("its copy is gone", layer)
        folder = os.open(kept.target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            until_ns = int(told["followedUntilNs"])
            yield LeftCopy(until_ns, manifest.theirs, CopyLook(folder, manifest))
        finally:
            os.close(folder)
    finally:
        kept.release()


def _unreadable(why: object, layer: Path) -> OutsideFailure:
    text = f"what a rehearsal has left cannot be read: {why}"
    return OutsideFailure("stage-left", text, str(layer / scratch.RECORD))


def _check_of(told: dict[str, Any], root: Path) -> None:
    if told["schema"] != _SCHEMA or told["root"] != os.fsencode(root).hex():
        raise ValueError("it is of another version of Understudy, or of another folder")


def _read(layer: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads((layer / scratch.RECORD).read_bytes()))
