"""The folder of one rehearsal: who it is, what it wrote, and what of that is not journalled yet.

Its process and the folder's host meet here and nowhere else: either may end, or be another version,
and nothing is lost. A host deletes a batch once the journal has it.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import Layout, make_private_folder
from understudy.disk.lock import HostLock, is_locked
from understudy.disk.room import needing_room
from understudy.stage import scratch
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.frozen import frozen

SCHEMA = 1
"""Of the record and of batches. A host reads those of the version before, too."""
_READ = (SCHEMA,)
_LOCK, _RECORD, _BATCHES = "owner.lock", "rehearsal.json", "batches"
_END = "end-asked"
_KEPT = (_RECORD, _BATCHES, f"{scratch.LAYER}/{scratch.RECORD}")


@frozen
class Record:
    """What anybody may know of a rehearsal; its paths that no branch can hold are `left_out`.

    `opened_ns` is when its stage was opened, in ns since 1970. `collisions` are the paths where the
    user has changed the same lines. `has_fellows`: its process has others, too, so that a signal
    would end them all; it heeds `RehearsalPlace.ask_to_end`. `published` are the addresses at which
    its ports are shown. `on_snapshot`: its stage lies on one.
    """

    branch: str
    command: tuple[str, ...]
    pid: int
    root: str
    opened_ns: int
    network: str = "none"
    stage: str = "overlay"
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] | None = None
    collisions: tuple[str, ...] = ()
    has_fellows: bool = False
    published: tuple[str, ...] = ()
    on_snapshot: bool = False


@frozen
class Change:
    """A file's bytes now, and those of the user's that they are an edit of; None: no file.

    `base_known` is False where it cannot be told which text of the user's that was.
    """

    path: str
    base: bytes | None
    after: bytes | None
    base_known: bool = True


@frozen
class Batch:
    """Changes that belong together, and the file that keeps them until the journal does."""

    file: Path
    changes: tuple[Change, ...]


class RehearsalPlace:
    """One rehearsal's folder; its owner holds the lock, everybody else reads."""

    def __init__(self, folder: Path, stages: Path) -> None:
        self.folder = folder
        self._stages = stages
        self._lock: HostLock | None = None

    @property
    def layer(self) -> Path:
        """The folder that keeps what is written on the stage."""
        return self.folder / scratch.LAYER

    @property
    def lock(self) -> Path:
        """The file that its owner holds."""
        return self.folder / _LOCK

    @property
    def is_live(self) -> bool:
        """Whether its process runs."""
        return is_locked(self.lock)

    @property
    def news(self) -> tuple[str, int]:
        """Another one when its record has been written anew."""
        with suppress(OSError):
            return self.folder.name, (self.folder / _RECORD).stat().st_mtime_ns
        return self.folder.name, 0

    @property
    def is_begun(self) -> bool:
        """Whether there is anything of a rehearsal, also without its record."""
        return any((self.folder / part).exists() for part in _KEPT)

    @property
    def is_left(self) -> bool:
        """Whether there is anything to be done about it: of one that is begun, or hardly was."""
        return self.is_begun or (self.layer / scratch.FROZEN).exists()

    def claim(self, *, is_left: bool = False) -> None:
        """Be its owner; raises Refused `branch-in-use` while another process is.

        With `is_left` it is made by nobody: raises FileNotFoundError once it has been removed.
        """
        if not is_left:
            make_private_folder(self.folder)
        text = "another rehearsal is at work in this branch; end it, or take another branch"
        try:
            lock = HostLock.acquire(self.lock)
        except Refused as error:
            raise Refused("branch-in-use", text, self.folder.name) from error
        except OutsideFailure as error:
            if is_left and not self.folder.exists():
                raise FileNotFoundError(self.folder) from error
            raise
        if not lock.is_there:  # its owner has removed it after we had found the lock's file
            lock.release()
            raise Refused("branch-in-use", text, self.folder.name)
        self._lock = lock
        (self.folder / _END).unlink(missing_ok=True)  # the former owner was asked

    def release(self) -> None:
        """Leave it to the next host."""
        if self._lock is not None:
            self._lock.release()

    def ask_to_end(self) -> None:
        """Tell the owner that its user wants this one to end; raises OSError."""
        (self.folder / _END).touch()

    @property
    def is_asked_to_end(self) -> bool:
        """Whether its owner was told so."""
        return (self.folder / _END).exists()

    def remove(self) -> None:
        """Nothing of it is needed any more; the caller has claimed it."""
        scratch.remove_at_once(self.folder, self._stages)  # or a part is taken for the whole
        self.release()

    def write_record(self, record: Record) -> None:
        """Replace the record; raises OutsideFailure `state-full`."""
        told = {
            "schema": SCHEMA, "branch": record.branch, "command": list(record.command),
            "pid": record.pid, "root": record.root, "openedNs": record.opened_ns,
            "network": record.network, "stage": record.stage, "warnings": list(record.warnings),
            "leftOut": dict(record.left_out or {}), "collisions": list(record.collisions),
            "hasFellows": record.has_fellows, "published": list(record.published),
            "onSnapshot": record.on_snapshot,
        }  # fmt: skip
        self._write(self.folder / _RECORD, told)

    def record(self) -> Record | None:
        """What is written there; None where nothing is that we can read."""
        told = _read(self.folder / _RECORD)
        if told is None:
            return None
        with suppress(KeyError, TypeError, ValueError):
            return Record(
                str(told["branch"]), tuple(map(str, told["command"])), int(told["pid"]),
                str(told["root"]), int(told["openedNs"]), str(told["network"]), str(told["stage"]),
                tuple(map(str, told["warnings"])), dict(told["leftOut"]),
                tuple(map(str, told.get("collisions", ()))),  # from another version: none are told
                told.get("hasFellows") is True,
                tuple(map(str, told.get("published", ()))),
                told.get("onSnapshot") is True,
            )  # fmt: skip
        return None

    def write_batch(self, number: int, changes: tuple[Change, ...]) -> None:
        """Keep changes until a host has them; raises OutsideFailure `state-full`."""
        make_private_folder(self.folder / _BATCHES)
        told = {"schema": SCHEMA, "changes": [_change_json(change) for change in changes]}
        self._write(self.folder / _BATCHES / f"{number:012}.json", told)

    def batches(self) -> Iterator[Batch]:
        """What waits for a host, in order."""
        for file in self._waiting():
            told = _read(file)
            if told is not None:
                yield Batch(file, tuple(map(_change_of, told["changes"])))

    @property
    def has_batches(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting())

    @property
    def next_number(self) -> int:
        """What the next batch is called."""
        return max((int(file.stem) for file in self._waiting()), default=0) + 1

    def _waiting(self) -> list[Path]:
        return sorted((self.folder / _BATCHES).glob("*.json"))

    @staticmethod
    def _write(file: Path, told: dict[str, Any]) -> None:
        with needing_room(file):
            write_private(file, json.dumps(told).encode("ascii"))


def place_of(layout: Layout, branch: str) -> RehearsalPlace:
    """Where a branch's rehearsal lies."""
    return RehearsalPlace(layout.rehearsals / branch, layout.stages)


def places(layout: Layout) -> list[RehearsalPlace]:
    """Every rehearsal that there is, or that a kill has left, also without its record."""
    found = [RehearsalPlace(one, layout.stages) for one in sorted(layout.rehearsals.glob("*"))]
    return [one for one in found if one.is_left]


def _read(file: Path) -> dict[str, Any] | None:
    try:
        told = cast("dict[str, Any]", json.loads(file.read_bytes()))
    except (OSError, ValueError):
        return None
    if told.get("schema") not in _READ:
        text = "it was written by another version of Understudy; end the rehearsal with that one"
        raise OutsideFailure("rehearsal-version", text, str(file))
    return told


def _change_json(change: Change) -> dict[str, Any]:
    base, after = map(_text, (change.base, change.after))
    return {"path": change.path, "base": base, "after": after, "baseKnown": change.base_known}


def _change_of(told: dict[str, Any]) -> Change:
    base, after = map(_bytes, (told["base"], told["after"]))
    return Change(str(told["path"]), base, after, bool(told["baseKnown"]))


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode("ascii")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
