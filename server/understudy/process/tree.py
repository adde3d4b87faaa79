"""A process and everything it started: memory, and who is still there. psutil is loaded on use.

The extension without compiled parts has no psutil: then memory and time are unknown (0), and who
has left its process group is not found; `doctor` says so.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil


def is_known() -> bool:
    """Whether processes can be looked at: psutil is there, compiled for this Python."""
    return _process(os.getpid()) is not None


def signal_name(number: int) -> str:
    """`SIGKILL` for 9; signals that have no name by their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def started_at(pid: int) -> str:
    """When a process started, as Linux counts: with its id, a name that no later one has."""
    with suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        return stat.rpartition(")")[2].split()[19]
    return ""


def began(pid: int) -> str:
    """The same on any system, each as it counts; empty: it is gone, or that is not known."""
    if counted := started_at(pid):
        return counted
    process = _process(pid)
    if process is None:
        return ""
    import psutil  # noqa: PLC0415 - it is loaded already

    try:
        return str(process.create_time())
    except psutil.Error:
        return ""


def descendants(pid: int) -> list[psutil.Process]:
    """All processes below `pid`, nearest first; empty when it is gone."""
    process = _process(pid)
    if process is None:
        return []
    import psutil  # noqa: PLC0415 - it is loaded already

    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def resident_bytes(pid: int) -> int:
    """Resident memory of the process and its descendants, in bytes; 0 when it is gone."""
    process = _process(pid)
    if process is None:
        return 0
    return sum(_resident(member) for member in (process, *descendants(pid)))


def resident_bytes_alone(pid: int) -> int:
    """Resident memory of the process itself, in bytes; 0 when it is gone.

    Cheap: finding descendants takes a look at every process of the machine.
    """
    process = _process(pid)
    return 0 if process is None else _resident(process)


def cpu_seconds(pid: int) -> float:
    """Processor time that the process has used so far, in s; 0 when it is gone."""
    process = _process(pid)
    if process is None:
        return 0.0
    import psutil  # noqa: PLC0415 - it is loaded already

    try:
        used = process.cpu_times()
    except psutil.Error:
        return 0.0
    return used.user + used.system


def lower_class(pid: int) -> None:
    """Let a process of Windows yield to others, as niceness does elsewhere."""
    process = _process(pid)
    if os.name == "nt" and process is not None:
        import psutil  # noqa: PLC0415 - it is loaded already

        with suppress(psutil.Error):  # it has ended already
            process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)


def kill_each(processes: Sequence[psutil.Process]) -> None:
    """Kill those that still run; psutil makes sure that a process id was not used anew."""
    if processes:
        import psutil  # noqa: PLC0415 - it is loaded already

        for process in processes:
            with suppress(psutil.Error):  # gone already
                process.kill()


def _process(pid: int) -> psutil.Process | None:
    """None for one that is gone, and for every one without psutil."""
    try:
        import psutil  # noqa: PLC0415 - native, and needed only while something is watched or ends
    except ImportError:
        return None
    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None


def _resident(process: psutil.Process) -> int:
    import psutil  # noqa: PLC0415 - it is loaded already

    try:
        return process.memory_info().rss
    except psutil.Error:  # it may end while we look
        return 0
