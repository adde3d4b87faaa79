"""What runs on a stage and what it uses, read from its own /proc."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from understudy.stage.inside.view import View

_PAGE = os.sysconf("SC_PAGE_SIZE")
_DISK_EVERY_S = 2.0


class Census:
    """Counts processes, their memory, and the bytes that they wrote to a folder on disk."""

    def __init__(self, plan: dict[str, Any], view: View) -> None:
        self._memory: int | None = plan["memory"]
        self._processes: int | None = plan["processes"]
        self._disk: int | None = plan["disk"] if plan["keep"] is not None else None
        self._view = view
        self._disk_at = 0.0

    @property
    def has_limits(self) -> bool:
        """Whether there is anything to watch."""
        return (self._memory, self._processes, self._disk) != (None, None, None)

    def exceeded(self) -> str | None:
        """The limit that is exceeded now, None if none is."""
        pids = _pids()
        if self._processes is not None and len(pids) > self._processes:
            return "processes"
        if self._memory is not None and sum(map(_own_memory, pids)) > self._memory:
            return "memory"
        if self._disk is not None and time.monotonic() - self._disk_at > _DISK_EVERY_S:
            self._disk_at = time.monotonic()
            if _written(self._view.layers[0]) > self._disk:
                return "disk"
        return None

    def below(self, pid: int) -> list[int]:
        """The processes that descend from `pid` or are of its session, itself left out."""
        parents: dict[int, int] = {}
        found = {pid}
        for one in _pids():
            with suppress(OSError, ValueError):
                fields = Path(f"/proc/{one}/stat").read_bytes().rpartition(b")")[2].split()
                parents[one] = int(fields[1])
                if int(fields[3]) == pid:
                    found.add(one)
        n_before = 0
        while len(found) != n_before:
            n_before = len(found)
            found |= {one for one, parent in parents.items() if parent in found}
        return sorted(found - {pid})


def _pids() -> list[int]:
    """All processes of the stage but the first."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _own_memory(pid: int) -> int:
    """Resident bytes that no file backs."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_bytes().split()
        return (int(fields[1]) - int(fields[2])) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def _written(upper: int) -> int:
    """Bytes on disk below the folder that takes what is written."""
    total = 0
    for _, _, names, folder in os.fwalk(b".", dir_fd=upper):
        for name in names:
            with suppress(OSError):
                total += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * 512
    return total
