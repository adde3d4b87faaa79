"""A command that is killed right before it makes the nth file in a folder, or renames the nth.

    python -m tests.attacks.killed_accept FOLDER make|rename NTH COMMAND...

It waits there until it is dead, so that no machine is too busy to hit the moment. Exits with 1 if
the command has ended before that.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from pathlib import Path

from tests.support.faults.calls import CALLS, Reader, changes
from tests.support.faults.watch import Listener, watch_myself

_CALLS = {"make": ("open", "openat"), "rename": ("rename", "renameat", "renameat2")}


def main(folder: Path, what: str, nth: int, command: list[str]) -> int:
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        numbers = [number for number, call in CALLS.items() if call.name in _CALLS[what]]
        socket.send_fds(theirs, [b"!"], [watch_myself(numbers)])
        os.execvp(command[0], command)
    theirs.close()
    listener = Listener(socket.recv_fds(ours, 1, 1)[1][0])
    _kill_at(child, listener, Reader([folder]), nth)
    return int(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL)


def _kill_at(child: int, listener: Listener, reader: Reader, nth: int) -> None:
    """Return when it has been killed, or has ended."""
    end, poll = os.pidfd_open(child), select.poll()
    for descriptor in (end, listener.descriptor):
        poll.register(descriptor, select.POLLIN)
    while end not in dict(poll.poll()):
        asked = listener.next()
        if asked is None:
            continue
        nth -= changes(asked) and reader.place(asked) is not None
        if nth == 0:
            os.kill(child, signal.SIGKILL)
            return
        listener.let(asked)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]))
