"""A run on the command line that waits in its middle for the user to do something."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from tests.e2e.command_line import SECONDS, Shell
from tests.support.programs import running_below

WAIT = 'trap go=on USR1; echo up; until [ "$go" ]; do :; done'
"""Once it has said `up`, a command waits for `wake`."""


def started(shell: Shell, *arguments: str | Path) -> subprocess.Popen[bytes]:
    """A command that has said `up`."""
    process = shell.start(*arguments)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == b"up\n", (line, process.communicate()[1])
    return process


def wake(process: subprocess.Popen[bytes]) -> None:
    """Let the command go on."""
    for pid, name in running_below(process.pid).items():
        if name in ("sh", "dash", "bash"):
            os.kill(pid, signal.SIGUSR1)


def told(process: subprocess.Popen[bytes]) -> list[str]:
    """What it says on stderr until its end."""
    return process.communicate(timeout=SECONDS)[1].decode().splitlines()


def adopted(lines: list[str]) -> str:
    """The branch that a run says to have adopted its changes."""
    mark = "understudy: adopted by branch "
    (line,) = [line for line in lines if line.startswith(mark)]
    return line.removeprefix(mark).partition(":")[0]
