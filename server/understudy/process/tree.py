"""A process and everything it started: memory, and who is still there. psutil is loaded on use."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil


def descendants(pid: int) -> list[psutil.Process]:
    """All processes below `pid`, nearest first; empty when it is gone."""
    import psutil  # noqa: PLC0415 - native, and needed only at the end of a process

    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def resident_bytes(pid: int) -> int:
    """Resident memory of the process and its descendants, in bytes; 0 when it is gone."""
    import psutil  # noqa: PLC0415 - native, and needed only between leases

    total = 0
    try:
        members = [psutil.Process(pid), *descendants(pid)]
    except psutil.Error:
        return 0
    for member in members:
        with suppress(psutil.Error):  # it may end while we look
            total += member.memory_info().rss
    return total


def resident_bytes_alone(pid: int) -> int:
    """Resident memory of the process itself, in bytes; 0 when it is gone.

    Cheap: finding descendants takes a look at every process of the machine.
    """
    import psutil  # noqa: PLC0415 - native, and needed only while something is watched

    try:
        return psutil.Process(pid).memory_info().rss
    except psutil.Error:
        return 0


def cpu_seconds(pid: int) -> float:
    """Processor time that the process has used so far, in s; 0 when it is gone."""
    import psutil  # noqa: PLC0415 - native, and needed only while something is watched

    try:
        used = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return used.user + used.system


def kill_each(processes: Sequence[psutil.Process]) -> None:
    """Kill those that still run; psutil makes sure that a process id was not used anew."""
    import psutil  # noqa: PLC0415 - see above

    for process in processes:
        with suppress(psutil.Error):  # gone already
            process.kill()
