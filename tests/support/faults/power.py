"""What a power cut may leave: the writes of a run, replayed without what no fsync had ordered.

As POSIX has it, and no kinder: `fsync` of a file keeps its bytes and permissions, `fsync` of a
folder keeps which names are in it. Whatever else was written may be there or not.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.faults.calls import CALLS, memory
from tests.support.faults.case import Case
from tests.support.faults.run import Ended, run
from tests.support.faults.watch import Asked

_MOST_LEFT_OUT = 12
"""With more writes that nothing has ordered, they are left out together alone."""


@dataclass(frozen=True)
class _Write:
    """A change of names (`names`: path -> file, None for none), or of the file `of`.

    `sync` is what an fsync keeps: a file's number, or a folder's path.
    """

    names: tuple[tuple[str, int | None], ...] = ()
    of: int = 0
    at: int = 0
    data: bytes | None = None
    cut: int | None = None
    mode: int | None = None
    sync: int | str | None = None


@dataclass
class _File:
    is_folder: bool
    mode: int
    data: bytearray = field(default_factory=bytearray)


class Recording:
    """The writes of one run, in their order."""

    def __init__(self, case: Case) -> None:
        self.files: dict[int, _File] = {}
        self.names: dict[str, int] = {}
        self.writes: list[_Write] = []
        for root in case.place.roots:
            for path in sorted(root.rglob("*")):
                mode = stat.S_IMODE(path.lstat().st_mode)
                data = bytearray() if path.is_dir() else bytearray(path.read_bytes())
                self.names[str(path)] = self._new(_File(path.is_dir(), mode, data))
        self._now = dict(self.names)

    def note(self, asked: Asked, paths: list[str]) -> None:
        """Hear of a call that is about to be made."""
        name, args = CALLS[asked.number].name, asked.arguments
        path = paths[0]
        here = self._now.get(path)
        if name in ("open", "openat"):
            self._open(path, args[1 if name == "open" else 2], args[2 if name == "open" else 3])
        elif name in ("mkdir", "mkdirat") and here is None:
            mode = args[1 if name == "mkdir" else 2] & 0o755
            self._put(path, self._new(_File(is_folder=True, mode=mode)))
        elif name.startswith("rename") and here is not None:
            self._name((path, None), (paths[1], here))
        elif name in ("unlink", "unlinkat", "rmdir") and here is not None:
            if name != "rmdir" or not any(other.startswith(f"{path}/") for other in self._now):
                self._name((path, None))
        elif name in ("fsync", "fdatasync"):
            of = here if here is not None and not self.files[here].is_folder else path
            self.writes.append(_Write(sync=of))
        elif here is not None:
            self._change(name, asked, here)

    def _open(self, path: str, flags: int, mode: int) -> None:
        here = self._now.get(path)
        if here is None and flags & os.O_CREAT:
            self._put(path, self._new(_File(is_folder=False, mode=mode & 0o755)))
        elif here is not None and flags & os.O_TRUNC:
            self.writes.append(_Write(of=here, cut=0))

    def _change(self, name: str, asked: Asked, of: int) -> None:
        args = asked.arguments
        if name == "write":
            told = Path(f"/proc/{asked.thread}/fdinfo/{args[0]}").read_text()
            at = int(told.split("pos:")[1].split()[0])
            self.writes.append(_Write(of=of, at=at, data=memory(asked.thread, args[1], args[2])))
        elif name == "pwrite64":
            data = memory(asked.thread, args[1], args[2])
            self.writes.append(_Write(of=of, at=args[3], data=data))
        elif name in ("ftruncate", "truncate"):
            self.writes.append(_Write(of=of, cut=args[1]))
        elif name in ("fchmod", "chmod"):
            self.writes.append(_Write(of=of, mode=args[1]))

    def _new(self, file: _File) -> int:
        self.files[len(self.files) + 1] = file
        return len(self.files)

    def _put(self, path: str, number: int) -> None:
        self._name((path, number))

    def _name(self, *names: tuple[str, int | None]) -> None:
        self.writes.append(_Write(names=names))
        for path, number in names:
            if number is None:
                self._now.pop(path, None)
            else:
                self._now[path] = number


def _kept(writes: Sequence[_Write]) -> list[bool]:
    """Of each write, whether an fsync after it keeps it."""
    synced: set[int | str] = set()
    kept: list[bool] = []
    for write in reversed(writes):
        if write.sync is not None:
            synced.add(write.sync)
            kept.append(True)
        elif write.names:
            kept.append(all(str(Path(path).parent) in synced for path, _ in write.names))
        else:
            kept.append(write.of in synced)
    return kept[::-1]


def _left(writes: Sequence[_Write]) -> Iterator[list[_Write]]:
    """What may be on disk when the power goes after these writes."""
    kept = _kept(writes)
    loose = [index for index, is_kept in enumerate(kept) if not is_kept]
    choices = [
        set[int](),
        {index for index in loose if writes[index].names},
        {index for index in loose if not writes[index].names},
    ]
    if len(loose) <= _MOST_LEFT_OUT:
        choices += [set(loose) - {index} for index in loose]
        choices += [{index} for index in loose]
    for chosen in choices:
        yield [w for index, w in enumerate(writes) if kept[index] or index in chosen]


Disk = dict[str, tuple[bool, int, bytes]]


def _disk(recording: Recording, writes: Sequence[_Write]) -> Disk:
    names = dict(recording.names)
    files = {
        number: _File(file.is_folder, file.mode, bytearray(file.data))
        for number, file in recording.files.items()
    }
    for write in writes:
        for path, number in write.names:
            if number is None:
                names.pop(path, None)
            else:
                names[path] = number
        if not write.of:
            continue
        file = files[write.of]
        if write.data is not None:
            file.data.extend(bytes(max(0, write.at - len(file.data))))
            file.data[write.at : write.at + len(write.data)] = write.data
        elif write.cut is not None:
            file.data.extend(bytes(max(0, write.cut - len(file.data))))
            del file.data[write.cut :]
        elif write.mode is not None:
            file.mode = write.mode
    return {
        path: (files[number].is_folder, files[number].mode, bytes(files[number].data))
        for path, number in sorted(names.items())
    }


def _lay(case: Case, disk: Disk) -> None:
    """Make the folders what the disk has; what lies in a folder that is not there is lost."""
    for root in case.place.roots:
        shutil.rmtree(root)
        root.mkdir(mode=0o700)
    for name, (is_folder, mode, data) in disk.items():
        path = Path(name)
        if not path.parent.is_dir():
            continue
        if is_folder:
            path.mkdir()
        else:
            path.write_bytes(data)
        path.chmod(mode)


def try_power_cuts(case: Case, every: int) -> tuple[int, list[str]]:
    """How many different disks a cut of the power may leave, and what is wrong with them."""
    case.reset()
    recording = Recording(case)
    ended = run(case.place, case.program, case.standing, note=recording.note, given=case.given)
    assert ended.code == 0, ended.err
    disks: dict[tuple[tuple[str, tuple[bool, int, bytes]], ...], tuple[int, Disk]] = {}
    for n_writes in range(len(recording.writes) + 1):
        for left in _left(recording.writes[:n_writes]):
            disk = _disk(recording, left)
            disks.setdefault(tuple(disk.items()), (n_writes, disk))
    wrong: list[str] = []
    chosen = list(disks.values())[::-every]
    for n_writes, disk in chosen:
        _lay(case, disk)
        after = ended if n_writes == len(recording.writes) else Ended(-9, "", "")
        wrong += [f"the power goes after {n_writes} writes: {one}" for one in case.wrong(after)]
    return len(chosen), wrong
