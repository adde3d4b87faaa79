"""Each of many system calls of an accept fails once: the folder is old or new, and the next start
works. `python -m bench faults` tries all of them, of every verb.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.faults.watch import SEES_HERE

ROOT = Path(__file__).resolve().parents[2]
EVERY = 17
"""A prime: the ways to fail of one call are a handful, so each of them has its turn."""


@pytest.mark.skipif(not SEES_HERE, reason="seccomp's notification, as it is on x86-64")
def test_a_system_call_of_an_accept_that_fails_leaves_old_or_new(tmp_path: Path) -> None:
    counts = tmp_path / "counts.json"
    command = [sys.executable, "-m", "tests.support.faults", "accept", "--every", str(EVERY)]
    done = subprocess.run(
        [*command, "--json", counts],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(counts.read_text())
    assert (told["wrong"], told["leaked"]) == ([], 0)
    assert told["faults"] > 40
    assert {"EIO", "EACCES", "EINTR", "kill"} <= told["by_way"].keys()
