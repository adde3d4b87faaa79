"""A broken-off accept that cannot be ended: its plan is kept until it can, whatever is tried."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.ring
ROOT = Path(__file__).resolve().parent.parent.parent
OLD = "one\ntwo\nthree\n"


def test_the_plan_outlives_every_start_that_fails(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m",
         "tests.attacks.read_only_folder", tmp_path / "x"],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    for start in ("first", "again", "accept"):
        assert "can be neither finished nor taken back yet" in told[start][1], told
        assert "as it was" not in told[start][1]
    assert told["accept"][0] == 2
    assert "accept-unfinished: b1" in told["accept"][1]
    assert "that was broken off is finished now" in told["last"][1]
    assert told["before"] == [OLD + "more\n"]
    assert "can be neither finished nor taken back yet" in told["nothing written"][1]
    assert (len(told["texts"]), told["strays"]) == (1, 0)
