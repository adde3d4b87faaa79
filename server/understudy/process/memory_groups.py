"""The cgroups that count this process's memory: their limits, and what is left of them.

A container, a session and a service have less than the machine. Both versions of cgroups are
known (cgroup-v1/memory.rst and cgroup-v2.rst of the kernel's documentation).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

Version = Literal[1, 2]

LIMIT = {1: "memory.limit_in_bytes", 2: "memory.max"}
_HELD = {1: "memory.usage_in_bytes", 2: "memory.current"}
_DROPPED_FIRST = {
    1: ("total_active_file", "total_inactive_file"),
    2: ("active_file", "inactive_file"),
}
"""What is kept of files only as long as nobody needs the memory."""


def limits_above() -> Iterator[int]:
    """The limits in bytes of the groups that we are in, those without one left out."""
    for folder, version in _groups_above():
        with suppress(OSError, ValueError):  # no such file at the top; `max`
            yield int((folder / LIMIT[version]).read_text())


def left_above() -> Iterator[tuple[int, int]]:
    """Of each group with a limit that we are in: bytes that can still be had, and the limit."""
    for folder, version in _groups_above():
        with suppress(OSError, ValueError):
            limit = int((folder / LIMIT[version]).read_text())
            held = int((folder / _HELD[version]).read_text())
            counted = dict(
                line.split() for line in (folder / "memory.stat").read_text().splitlines()
            )
            held -= sum(int(counted.get(name, 0)) for name in _DROPPED_FIRST[version])
            yield max(0, limit - held), limit


def _groups_above() -> Iterator[tuple[Path, Version]]:
    """Our groups and those around them, the nearest first."""
    for own, top, version in own_groups():
        for folder in (own, *own.parents):
            yield folder, version
            if folder == top:
                break


def own_groups() -> Iterator[tuple[Path, Path, Version]]:
    """Our groups that could count memory, and where their trees are mounted."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
        groups = Path("/proc/self/cgroup").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # not Linux
        return
    paths = {names: path for _, names, path in (line.split(":", 2) for line in groups)}
    for line in mounts:
        fields, _, kind = line.partition(" - ")
        top, place = fields.split(" ")[3:5]
        name, _, options = kind.split(" ", 2)
        for names, path in paths.items():
            is_one = name == "cgroup" and "memory" in names.split(",")
            if is_one and "memory" not in options.split(" ")[-1].split(","):
                continue
            if (is_one or (name == "cgroup2" and not names)) and _lies_in(path, top):
                own = Path(place, os.path.relpath(path, top))
                yield Path(os.path.normpath(own)), Path(place), 1 if is_one else 2


def _lies_in(path: str, top: str) -> bool:
    return Path(path).is_relative_to(top) and ".." not in path.split("/")
