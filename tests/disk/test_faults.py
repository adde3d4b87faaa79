"""System calls that were seen to break something when they failed; each fails once more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.faults.watch import SEES_HERE

ROOT = Path(__file__).resolve().parents[2]
STATE = "state/workspaces/project-*"
SEEN = {
    # A read of the journal that fails is no damage: the branches were put aside with it.
    "accept": (
        f"pread64({STATE}/journal.sqlite)#4 EIO",
        "newfstatat(project/pyproject.toml)#1 EIO",
    ),
    # What could not be put back stayed half done: nobody tried it again.
    "undo": ("rename(project/.changed.txt.*.understudy)#2 EIO", "rmdir(project/made/deep)#1 EIO"),
    # A temporary file stayed for ever.
    "trust": (
        "rename(state/.trust.json.*.understudy)#1 ENOSPC",
        "fsync(state/.trust.json.*.understudy)#1 kill",
    ),
    # The command did not run, as its recording could not.
    "record": (f"getdents64({STATE}/terminals)#1 EIO",),
}


@pytest.mark.skipif(not SEES_HERE, reason="seccomp's notification, as it is on x86-64")
def test_what_once_broke_something_when_it_failed_breaks_nothing(tmp_path: Path) -> None:
    counts = tmp_path / "counts.json"
    only = [word for names in SEEN.values() for name in names for word in ("--only", name)]
    command = [sys.executable, "-m", "tests.support.faults", *SEEN, *only, "--json", str(counts)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    told = {one["verb"]: one for one in json.loads(counts.read_text())}
    assert all(told[verb]["faults"] >= len(names) for verb, names in SEEN.items())
    assert sum(one["unreached"] for one in told.values()) == 0


@pytest.mark.skipif(not SEES_HERE, reason="seccomp's notification, as it is on x86-64")
def test_a_receipt_outlasts_a_cut_of_the_power(tmp_path: Path) -> None:
    """It stood for a file whose folders were new, and their names were not written through."""
    counts = tmp_path / "counts.json"
    command = [sys.executable, "-m", "tests.support.faults", "store", "--cuts", "--every", "5"]
    done = subprocess.run(
        [*command, "--json", counts], cwd=ROOT, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(counts.read_text())[0]["power_cuts"] >= 3
