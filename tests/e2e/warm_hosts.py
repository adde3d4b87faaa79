"""The hosts that checks leave behind in a test: found by what they write down, ended after it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.langserver.toybox import toys_in

SECONDS = 120.0
"""Longest wait for the end of a host."""


@dataclass(frozen=True)
class Hosts:
    """The hosts of all folders whose state lies there."""

    state: Path

    def found(self) -> list[psutil.Process]:
        """Those that run, by their process ids."""
        pids = [text for lock in self.state.rglob("host.lock") if (text := lock.read_text())]
        return [psutil.Process(int(pid)) for pid in sorted(pids, key=int) if _is_there(int(pid))]

    def only(self) -> psutil.Process:
        """The one that runs."""
        (host,) = self.found()
        return host

    def wait_until_gone(self) -> None:
        """Return when those that there were have ended by themselves; raises psutil.TimeoutExpired.

        One may end between its caller's end and a look at it.
        """
        assert any(self.state.rglob("host.lock")), "nobody was host"
        for host in self.found():
            wait_for_end(host)

    def servers_of(self, host: psutil.Process, folder: Path) -> set[int]:
        """The language servers that it has started in the folder."""
        return {child.pid for child in host.children(recursive=True)} & toys_in(folder)

    def end(self) -> None:
        """End them all as a user does; one that does not end fails the test."""
        hosts = self.found()
        for host in hosts:
            host.terminate()
        _, alive = psutil.wait_procs(hosts, SECONDS)
        for host in alive:
            host.kill()
        assert alive == [], "a host did not end when it was told to"


def wait_for_end(host: psutil.Process) -> None:
    """Return when the host has ended; raises psutil.TimeoutExpired."""
    host.wait(SECONDS)


def descriptors_of(host: psutil.Process) -> dict[str, str]:
    """What each descriptor of a process is, by its number (Linux)."""
    folder = Path(f"/proc/{host.pid}/fd")
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself, in our own process
            found[entry.name] = str(entry.readlink())
    return found


def _is_there(pid: int) -> bool:
    """Whether it is one of ours, and no later process of the number of one that was killed."""
    try:
        return any("understudy" in word for word in psutil.Process(pid).cmdline())
    except psutil.NoSuchProcess:  # also a zombie's
        return False
