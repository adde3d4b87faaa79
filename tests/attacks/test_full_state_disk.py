"""A disk that takes nothing more: reading goes on, writing names the disk, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
READING = ("branches list", "branches diff b1", "trust --list", "terminals list")
WRITING = ("trust", "branches accept b1", "branches discard b2")


def _told(folder: Path, *how: str, module: str = "full_state_disk") -> dict[str, Any]:
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m",
         f"tests.attacks.{module}", folder, *how],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("how", "code"), [("full", "state-full"), ("read-only", "state-unwritable")]
)
def test_a_disk_that_takes_nothing_more(tmp_path: Path, how: str, code: str) -> None:
    told = _told(tmp_path / "x", how)
    said = told["said"]
    for command in READING:
        assert (said[command]["code"], said[command]["err"]) == (0, ""), command
    assert said["branches list"]["out"].startswith("b1  1 file")
    assert "+changed\n" in said["branches diff b1"]["out"]
    for command, answer in said.items():
        if command not in READING:
            assert answer["code"] == (4 if command in WRITING else 125), answer
            assert "Traceback" not in answer["err"], answer
            line = answer["err"].splitlines()[-1]
            assert line.startswith(f"understudy: {code}: ")
            assert told["mount"] in line
            assert line.endswith("Nothing is lost")
    assert told["folder"] == {"a.txt": "old\n", "b.txt": "old\n"}
    assert told["left"] == []
    assert (told["recorded"]["code"], told["recorded"]["out"]) == (0, "hi\n")
    (line,) = told["recorded"]["err"].splitlines()
    assert line.startswith("understudy: not recorded: ")
    for answer in (told["recorded"], told["kept"]):
        assert f"the disk mounted at {told['mount']} is {how}" in answer["err"], answer
    assert told["after"]["list"]["out"].count("\n") == 2
    assert told["after"]["trust"]["out"] == "no folder is trusted\n"
    assert (told["accepted"]["code"], told["then"]["a.txt"]) == (0, "changed\n")


def test_a_disk_that_was_full_before_there_was_any_state(tmp_path: Path) -> None:
    told = _told(tmp_path / "x", "new")
    said = told["said"]
    assert said["branches list"] == {"code": 0, "out": "no branches\n", "err": ""}
    assert said["trust --list"]["code"] == said["terminals list"]["code"] == 0
    for command in ("trust", "run --adopt -- sh -c echo new > n.txt"):
        assert "state-full" in said[command]["err"]
    assert not any("internal" in answer["err"] for answer in said.values())
    assert told["folder"] == {"a.txt": "old\n", "b.txt": "old\n"}


def test_a_disk_that_fills_in_the_middle_of_a_verb(tmp_path: Path) -> None:
    told = _told(tmp_path / "x", "pages")
    branches = 2
    for verb, answer in told.items():
        assert "internal" not in answer["err"], answer
        assert "Traceback" not in answer["err"], answer
        assert answer["folder"], verb
        if verb.startswith("run") and answer["code"] == 0:
            branches += 1
        elif answer["code"] != 0:
            assert "state-full" in answer["err"] or "No space left" in answer["err"], answer
        assert answer["branches"] == branches, (verb, answer)
    assert any(answer["code"] for answer in told.values())


def test_a_disk_that_fills_in_the_middle_of_each_other_verb(tmp_path: Path) -> None:
    """It is done or not, as is said; what could not be done is done once there is room."""
    told = _told(tmp_path / "x", module="filling_state_disk")
    refused: set[str] = set()
    for verb, (first, again) in told.items():
        assert "Traceback" not in first["err"] + again["err"], (verb, first)
        assert "internal" not in first["err"], (verb, first)
        assert again["code"] == 0 or again == first, (verb, again)
        name = verb.rpartition(" ")[0]
        if name == "record":  # its program runs, whatever becomes of the log
            assert (first["code"], first["out"]) == (0, "hi\n"), first
            continue
        assert again["found"] == "new", (verb, first, again)
        if first["code"] == 0:
            assert first["found"] == "new", (verb, first)
            continue
        refused.add(name)
        assert "the disk mounted at" in first["err"], (verb, first)
        is_written = "the folder has the accepted files" in first["err"]
        assert first["found"] == ("new" if is_written else "old"), (verb, first)
        assert is_written == ("is finished now" in first.get("next", "")), (verb, first)
    assert refused >= {"accept", "discard", "put", "note", "log"}
    assert any(name.endswith("in a host") for name in refused)
    assert len(told) == 8 + 4 * 3
