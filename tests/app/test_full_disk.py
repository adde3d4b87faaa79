"""A disk that is really full: what should leave the prompt stays in it, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="a disk of our own is a mount namespace's")
def test_on_a_full_disk_the_original_text_stays_in_the_prompt(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m",
         "tests.support.full_disk", tmp_path / "disk"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    n_outputs, n_left = told.pop("outputs"), told.pop("wished to leave")
    assert min(n_outputs, n_left) > 0
    assert told == {
        "full: failures": ["state-unwritable"],
        "full: outputs shown": True,
        "full: put": [None, "state-unwritable"],
        "full: log": [None, "state-unwritable"],
        "full: nothing changed": True,
        "full: command": [4, True, True],
        "one page: log": [True, "state-unwritable"],
        "one page: outputs shown": True,
        "room: left": n_left,
        "room: restored": True,
    }
