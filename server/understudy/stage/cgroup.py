"""A cgroup of a stage's own: the kernel then holds all memory of its commands, however it is had.

Both versions of cgroups are known. A group is made below our own one, or (version 2 has no
processes beside groups) beside it, as far as the machine lets us; where it does not, a watcher has
to count (`inside/memory_use.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from understudy.process.memory_groups import LIMIT, Version, limits_above, own_groups
from understudy.process.tree import started_at
from understudy.stage.model import MIB, MemoryLimit
from understudy.values.frozen import frozen

_PREFIX = "understudy-"
_NAME = re.compile(rf"{_PREFIX}(\d+)-(\d+)-\d+")
_SHARE = 0.75
_LEAST = 256 * MIB
_NUMBERS = count(1)
_OTHERS = {
    1: (("memory.memsw.limit_in_bytes", None), ("memory.kmem.tcp.limit_in_bytes", None)),
    2: (("memory.swap.max", "0"), ("memory.oom.group", "1")),
}
"""What else is set where there is such a file; None: the limit itself."""


@frozen(slots=True)
class ControlGroup:
    """A group that is there: its folder, and how its kernel names things."""

    folder: Path
    version: Version

    def close(self) -> None:
        """Remove it; what cannot be removed yet goes when the next one is made."""
        with suppress(OSError):
            self.folder.rmdir()


@contextmanager
def opened(group: ControlGroup | None) -> Generator[list[int], None, None]:
    """Descriptors of the file that takes processes, and of the folder for reading; else none."""
    found: list[int] = []
    try:
        if group is not None:
            found.append(os.open(group.folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC))
            found.append(os.open(group.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        yield found
    finally:
        for descriptor in found:
            os.close(descriptor)


class Bounds:
    """The memory limit of one stage, and its cgroup where there is one."""

    def __init__(self, wanted: int | None, *, fenced: bool = True) -> None:
        self.group: ControlGroup | None = None
        self.told = MemoryLimit(why="there is no fence")
        if fenced:
            limit = usual_limit() if wanted is None else wanted
            self.group, why = make(limit)
            self.told = MemoryLimit(limit, "watcher" if self.group is None else "cgroup", why)

    def entrance(self, wanted: int | None) -> tuple[Version, str] | None:
        """The version and the folder of the group, for a process that opens it by its path.

        None where there is none, and for a command with a limit of its own: it is counted.
        """
        if self.group is None or wanted not in (None, self.told.bytes):
            return None
        return self.group.version, str(self.group.folder)

    def lose_group(self) -> None:
        """Go on without the group, if there is one: no process could be put in."""
        if self.group is None:
            return
        self.close()
        self.told = MemoryLimit(self.told.bytes, "watcher", "no process can be put into a cgroup")

    def close(self) -> None:
        """Remove the group; its processes have ended."""
        if self.group is not None:
            self.group.close()
            self.group = None


def make(limit: int) -> tuple[ControlGroup | None, str]:
    """A new, empty group that holds at most `limit` bytes; else None, and why there is none."""
    why = "no cgroups that count memory are mounted"
    for parent, version in _parents():
        _sweep(parent)
        folder = parent / f"{_PREFIX}{_ourselves()}-{next(_NUMBERS)}"
        try:
            folder.mkdir()
        except OSError as error:
            why = f"no cgroup can be made in {parent}: {error.strerror}"
            continue
        try:
            (folder / LIMIT[version]).write_text(str(limit))
            for name, value in _OTHERS[version]:
                if (folder / name).exists():
                    (folder / name).write_text(value or str(limit))
        except OSError as error:
            why = f"a cgroup in {parent} takes no limit: {error.strerror}"
            ControlGroup(folder, version).close()
            continue
        return ControlGroup(folder, version), ""
    return None, why


def usual_limit() -> int:
    """Bytes that a stage may hold where nobody says: three quarters of what there is for us."""
    found = [_machine_bytes(), *limits_above()]
    return max(int(min(found) * _SHARE), _LEAST)


def _machine_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _parents() -> Iterator[tuple[Path, Version]]:
    """Folders in which a group of our own may be made, the nearest first."""
    for own, top, version in own_groups():
        if version == 1:
            yield own, version
            continue
        for folder in (own, *own.parents):
            with suppress(OSError):
                if "memory" in (folder / "cgroup.subtree_control").read_text().split():
                    yield folder, version
            if folder == top:
                break


def _ourselves() -> str:
    """This process, by a name that no later one has."""
    return f"{os.getpid()}-{started_at(os.getpid())}"


def _sweep(parent: Path) -> None:
    """Remove the groups of processes that are gone; one with processes in it cannot be."""
    with suppress(OSError):
        for name in os.listdir(parent):
            made = _NAME.fullmatch(name)
            if made and started_at(int(made[1])) != made[2]:
                with suppress(OSError):
                    (parent / name).rmdir()
