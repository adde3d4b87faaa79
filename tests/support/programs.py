"""What runs below a process; a program may end between being listed and being named."""

from __future__ import annotations

import os
from contextlib import suppress

import psutil

from understudy.process.keeper import KEEPER


def running_below(pid: int) -> dict[int, str]:
    """Pid to program name of all that still run below ``pid``; zombies have ended."""
    programs = {
        child.pid: program(child.pid) for child in psutil.Process(pid).children(recursive=True)
    }
    return {child: name for child, name in programs.items() if name is not None}


def program(pid: int) -> str | None:
    """The name of the program that runs as ``pid``; None where it has ended."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.name()
    except psutil.NoSuchProcess:
        return None


class Started:
    """What was started below this process since then: not by tests before, nor our keeper."""

    def __init__(self) -> None:
        self._others = running_below(os.getpid()).keys()

    def running(self) -> dict[int, str]:
        """Pid to program name of all that still run."""
        found = running_below(os.getpid())
        ours = found.keys() - self._others - {KEEPER.pid}
        return {pid: found[pid] for pid in ours}


def worker_processes() -> list[psutil.Process]:
    """The worker processes of this one; it may have other children, of tests before."""
    return children_with("understudy.workspace.worker_process", os.getpid())


def children_with(word: str, pid: int, *, recursive: bool = False) -> list[psutil.Process]:
    """The children of ``pid`` whose command line has the word; those that have ended have none."""
    found: list[psutil.Process] = []
    for child in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):  # also a zombie's
            if any(word in part for part in child.cmdline()):
                found.append(child)
    return found
