"""What is mounted below a folder: an overlay does not show it, so that each gets its own."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from pathlib import Path

_ESCAPE = re.compile(rb"\\([0-7]{3})")


_NO_SOCKETS = frozenset(
    ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "nix", "proc", "sbin", "sys")
) | {"usr"}
"""Folders of / with programs alone, or that a stage has of its own; all others are for data."""


def below(folder: Path, mounts: Iterable[Path]) -> list[Path]:
    """The mounts in a folder, a folder before those in it."""
    prefix = os.fsencode(folder) + b"/"
    return [place for place in mounts if os.fsencode(place).startswith(prefix)]


def data_folders(covered: Collection[Path], mounts: Iterable[Path]) -> list[Path]:
    """The folders of / that are not for programs, and all that is mounted in them.

    Left out is what lies in `covered`: folders that a stage covers anyway.
    """
    with os.scandir("/") as entries:
        tops = {
            Path(entry.path)
            for entry in entries
            if entry.name not in _NO_SOCKETS and entry.is_dir(follow_symlinks=False)
        }
    mounted = (place for place in mounts if Path("/", place.parts[1]) in tops)
    hidden = frozenset(covered)
    return sorted(
        place for place in {*tops, *mounted} if hidden.isdisjoint((place, *place.parents))
    )


def mounted_folders() -> list[Path]:
    """Folders but / that something is mounted on, a folder before those in it."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return []
    found: set[bytes] = set()
    for line in lines:
        raw = line.split(b" ", 5)[4]
        path = _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), raw) if b"\\" in raw else raw
        if path != b"/" and os.path.isdir(path):
            found.add(path)
    return [Path(os.fsdecode(path)) for path in sorted(found)]
