"""Programs that go on when we have ended, and what a process gives up to be one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from understudy.values.errors import OutsideFailure

END_SIGNALS = (
    (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32"
    else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
)
"""By which such a program is asked to end."""
_STANDARD = (0, 1, 2)
_DETACHED = 0x00000208
"""Of Windows: DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP."""


def close_inherited(*, but: int) -> int:
    """Close every descriptor but one, and return its number from then on.

    Standard input and output lead nowhere after it. POSIX only.
    """
    import fcntl  # noqa: PLC0415 - POSIX only

    kept = fcntl.fcntl(but, fcntl.F_DUPFD_CLOEXEC, len(_STANDARD))  # it may be a standard one
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in _STANDARD:
        os.dup2(nowhere, standard)
    last = max(int(entry.name) for entry in Path("/dev/fd").iterdir())
    os.closerange(len(_STANDARD), kept)
    os.closerange(kept + 1, last + 1)
    return kept


def run_detached(command: Sequence[str], seconds: float) -> None:
    """Start a program that holds nothing of ours, and wait for its end for so long.

    On Windows it is what goes on, and is not waited for. Raises OutsideFailure `cannot-start`.
    """
    try:
        started = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=_DETACHED if sys.platform == "win32" else 0,
        )
    except OSError as error:
        text = f"cannot be started: {error.strerror}"
        raise OutsideFailure("cannot-start", text, command[0]) from error
    if sys.platform == "win32":
        return
    try:
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
