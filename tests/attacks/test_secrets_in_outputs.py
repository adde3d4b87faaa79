"""A secret that a command prints reaches whoever ran it, and nothing that is kept or read later."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder

KEY = "AKIA2OGYBAH6" + "STMMNXNN"  # in two, so that nobody's scanner takes it for a key


def test_what_is_kept_of_a_run_holds_no_secret(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": f"id\nkey={KEY}\n"})
    state = tmp_path / "state"
    done = subprocess.run(
        [*UNDERSTUDY, "run", "--format", "json", "--", "cat", "a.txt"],
        cwd=folder, env=child_environment(state), capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    output = json.loads(done.stdout)["output"]
    assert output["redacted"] == 1
    assert output["head"] == "id\nkey=[REDACTED:aws:20]\n"
    assert Path(output["path"]).read_text() == output["head"]
    kept = [path for path in state.rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]


def test_the_user_sees_what_the_command_printed(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.txt": f"key={KEY}\n"})
    done = subprocess.run(
        [*UNDERSTUDY, "run", "--", "cat", "a.txt"],
        cwd=folder, env=child_environment(tmp_path / "state"), capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == f"key={KEY}\n"
    assert "understudy: secrets taken out of what is kept of it: 1\n" in done.stderr
