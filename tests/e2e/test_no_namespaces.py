"""Where the kernel refuses namespaces: checking commands say why they prove nothing, runs copy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import REFUSED, SECONDS, Done
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.support.command_projects import PROJECTS
from tests.support.workspace import state_of

UNKNOWN = 3


def without_namespaces(folder: Path, state: Path, *arguments: str | Path) -> Done:
    done = subprocess.run(
        [*REFUSED, *UNDERSTUDY, *map(str, arguments)],
        cwd=folder,
        env=child_environment(state),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("name", PROJECTS)
def test_checking_commands_say_what_is_missing_and_the_fix(
    tmp_path: Path, state: Path, name: str
) -> None:
    """A copy at another path is no way out: what is cached in it leads to the user's files."""
    project = PROJECTS[name]
    files = {path: text for path, text in project.files.items() if text is not None}
    folder = make_folder(tmp_path / "work", files)
    before = state_of(folder)
    edits = tmp_path / "edits.json"
    written = [
        {"kind": "write", "path": path, "text": text}
        for path, text in project.edits["clean"].items()
    ]
    edits.write_text(json.dumps(written))
    asked = ("check", "--edits", edits, "--trust", "--server", name)
    done = without_namespaces(folder, state, *asked)
    assert done.code == UNKNOWN, done
    assert f"unsupported: {name} could not be run on a stage: the overlay stage" in done.out
    assert "user namespace failed" in done.out
    assert "set the sysctl user.max_user_namespaces" in done.out
    assert state_of(folder) == before


def test_a_run_copies_and_says_so(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "one\n"})
    before = state_of(folder)
    script = "cat a.txt; echo two > a.txt; echo three > b.txt"
    done = without_namespaces(folder, state, "run", "--format", "json", "--", "sh", "-c", script)
    assert done.code == 0, done.err
    receipt = done.json
    assert receipt["output"]["head"] == "one\n"
    stage = receipt["stage"]
    assert (stage["kind"], stage["isolation"]["processes"]) == ("copy", False)
    assert any("a copy at a path of its own" in note for note in stage["isolation"]["notes"])
    assert [change["path"] for change in receipt["changed"]] == ["a.txt", "b.txt"]
    assert state_of(folder) == before


def test_the_doctor_names_the_step_and_the_fix(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": "one\n"})
    done = without_namespaces(folder, state, "doctor", "--format", "json")
    found = {one["subject"]: one for one in done.json["findings"]}
    assert "user namespace failed" in found["stage overlay"]["text"]
    assert "user.max_user_namespaces" in found["stage overlay"]["text"]
    assert found["stage copy"]["state"] == "ok"
