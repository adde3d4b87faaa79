"""What a shell starts in the background ignores the signals of keys; commands of ours do not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.support.recorded_shells import RecordedTerminal

OF_KEYS = (signal.SIGINT, signal.SIGQUIT)
SAYS_WHAT_IT_IGNORES = """
import signal, sys
ignored = [n.name for n in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
           if signal.getsignal(n) == signal.SIG_IGN]
print("ignored:", *ignored, "end")
"""


def in_the_background() -> None:
    """As `nohup CMD &` in a script has it."""
    for number in (*OF_KEYS, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


@pytest.mark.parametrize("kind", ["overlay", "copy"])
def test_a_command_on_a_stage_hears_the_keys(tmp_path: Path, kind: str) -> None:
    (tmp_path / "work").mkdir()
    done = subprocess.run(
        [*UNDERSTUDY, "run", "--stage", kind, "--", sys.executable, "-c", SAYS_WHAT_IT_IGNORES],
        cwd=tmp_path / "work",
        env={**child_environment(tmp_path / "state"), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=in_the_background,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ignored = next(line for line in done.stdout.splitlines() if line.startswith("ignored:"))
    assert not {number.name for number in OF_KEYS} & set(ignored.split())


def test_a_command_in_a_recorded_terminal_hears_the_keys(tmp_path: Path) -> None:
    """What `nohup` wants holds on: the end of the terminal is none of the keys."""
    terminal = RecordedTerminal(
        ["--", sys.executable, "-c", SAYS_WHAT_IT_IGNORES],
        tmp_path,
        {"UNDERSTUDY_STATE_DIR": str(tmp_path / "state")},
        before=in_the_background,
    )
    assert b"ignored: SIGHUP end" in terminal.finish()


def test_ctrl_c_ends_a_command_in_a_recorded_terminal(tmp_path: Path) -> None:
    terminal = RecordedTerminal(
        ["--", "sh", "-c", "echo ready; exec sleep 300"],
        tmp_path,
        {"UNDERSTUDY_STATE_DIR": str(tmp_path / "state")},
        before=in_the_background,
    )
    terminal.wait_for(b"ready")
    terminal.type("\x03")
    terminal.finish()
    assert terminal.status == 128 + signal.SIGINT
