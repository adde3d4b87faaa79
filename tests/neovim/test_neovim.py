"""The server behind a second real editor: headless Neovim, as Debian has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.folders import UNDERSTUDY, child_environment, copy_demo
from tests.langserver.toybox import running_in
from tests.support.workspace import state_of

NEOVIM = shutil.which("nvim")
SESSION = Path(__file__).with_name("session.lua")
SECONDS = 180


@pytest.mark.skipif(
    NEOVIM is None and not os.environ.get("CI"), reason="no Neovim: `make test` as root installs it"
)
def test_neovim_rehearses_and_accepts(tmp_path: Path) -> None:
    assert NEOVIM is not None
    folder = copy_demo(tmp_path / "demo")
    before, text = state_of(folder), (folder / "main.py").read_text()
    report = tmp_path / "report.json"
    done = subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-S", str(SESSION)],
        env={
            **child_environment(tmp_path / "state"),
            "COMMAND": json.dumps([*UNDERSTUDY, "lsp"]),
            "FOLDER": str(folder),
            "REPORT": str(report),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = json.loads(report.read_text())
    assert done.returncode == 0, said

    assert said["edited"]["changed"] == ["main.py"]
    assert said["check"]["verdict"] == "findings"
    errors = [one for one in said["check"]["introduced"] if one["severity"] == "error"]
    assert {one["server"] for one in errors} == {"basedpyright", "ruff"}
    assert all("later_fee" in one["message"] for one in errors)
    assert said["refused"]["data"]["code"] == "no-match"
    assert said["untouched"] == text

    assert said["accepted"]["outcome"] == "applied", said["accepted"]
    typed = '"""Typed by the user."""' + text.removeprefix('"""Prints one sample invoice."""')
    assert said["merged"] == typed.replace("late_fee(", "later_fee(")

    assert said["conflict"]["outcome"] == "conflict", said["conflict"]
    assert said["is_kept"]

    assert said["diagnostics"] == 0
    assert said["exit_code"] == 0
    assert state_of(folder) == before
    assert running_in(folder) == []
