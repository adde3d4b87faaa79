"""The unit tests of the TypeScript, run by Node's own test runner."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_unit_tests_pass() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.node", "npm", "test", "--silent"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout
    assert "# tests 0" not in done.stdout
