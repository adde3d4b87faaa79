"""An interrupt while the command line is still loaded: no traceback, and the exit code of one."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from tests.e2e.command_line import SECONDS
from tests.e2e.folders import UNDERSTUDY, child_environment


def test_an_interrupt_while_modules_are_loaded(state: Path) -> None:
    environ = {**child_environment(state), "PYTHONPROFILEIMPORTTIME": "1"}
    with subprocess.Popen(
        [*UNDERSTUDY, "check", "--help"], env=environ,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as starting:  # fmt: skip
        assert starting.stderr is not None
        while "understudy.faces" not in starting.stderr.readline():  # the package itself is there
            assert starting.poll() is None
        starting.send_signal(signal.SIGINT)
        out, err = starting.communicate(timeout=SECONDS)
    assert (starting.returncode, out) == (130, "")
    assert "Traceback" not in err
