"""An interrupt while the command line is still loaded: no traceback, and the exit code of one."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from pathlib import Path

from tests.e2e.command_line import SECONDS
from tests.e2e.folders import UNDERSTUDY, child_environment

PAGE = 4096


def test_an_interrupt_while_modules_are_loaded(state: Path) -> None:
    environ = {**child_environment(state), "PYTHONPROFILEIMPORTTIME": "1"}
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PAGE)  # it gets no farther than that before us
    with (
        subprocess.Popen(
            [*UNDERSTUDY, "check", "--help"], env=environ, stdout=subprocess.PIPE, stderr=writing
        ) as starting,
        os.fdopen(reading, "rb", buffering=0) as stderr,
    ):
        os.close(writing)
        said = b""
        while b"understudy.faces" not in said:  # the package itself is there
            more = stderr.read(PAGE)
            assert more, said
            said += more
        starting.send_signal(signal.SIGINT)
        said += stderr.read()
        out, _ = starting.communicate(timeout=SECONDS)
    assert (starting.returncode, out) == (130, b"")
    assert b"Traceback" not in said
