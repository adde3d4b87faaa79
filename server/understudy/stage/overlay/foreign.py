"""Files of other owners: a stage that maps only our own ids cannot let commands write them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_OVERFLOW = ("/proc/sys/kernel/overflowuid", "/proc/sys/kernel/overflowgid")


def foreign_paths(root: Path, is_over: Callable[[], bool], limit: int = 1000) -> tuple[str, ...]:
    """Root-relative paths that no command can write on a stage, a folder instead of all below it.

    At most `limit` of them. Who may mount needs no user namespace: all owners have numbers then,
    but those that our own namespace has none for.
    """
    from understudy.stage.inside import namespaces  # noqa: PLC0415 - exists on Linux only

    if namespaces.owns_trusted_attributes():
        return ()  # root of the machine: every owner has its number
    if namespaces.is_privileged():
        numbers = [int(Path(path).read_text("ascii")) for path in _OVERFLOW]

        def is_foreign(status: os.stat_result) -> bool:
            return status.st_uid == numbers[0] or status.st_gid == numbers[1]
    else:
        own = (os.getuid(), os.getgid())

        def is_foreign(status: os.stat_result) -> bool:
            return (status.st_uid, status.st_gid) != own

    return tuple(sorted(_find(root, is_foreign, is_over, limit)))


def _find(
    root: Path,
    is_foreign: Callable[[os.stat_result], bool],
    is_over: Callable[[], bool],
    limit: int,
) -> list[str]:
    found: list[str] = []
    folders = [""]
    while folders and len(found) < limit and not is_over():
        folder = folders.pop()
        with suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                status = entry.stat(follow_symlinks=False)
                if is_foreign(status):
                    found.append(path)
                elif stat.S_ISDIR(status.st_mode):
                    folders.append(path)
    return found
