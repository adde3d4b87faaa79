"""The server behind a second real editor: headless Neovim, as Debian has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.folders import UNDERSTUDY, child_environment, copy_demo
from tests.langserver.toybox import ended_in
from tests.support.workspace import state_of

NEOVIM = shutil.which("nvim")
SESSION = Path(__file__).with_name("session.lua")
REVIEW = Path(__file__).with_name("review.lua")
SECONDS = 180


@pytest.mark.skipif(
    NEOVIM is None and not os.environ.get("CI"), reason="no Neovim: `make test` as root installs it"
)
def test_neovim_rehearses_and_accepts(tmp_path: Path) -> None:
    assert NEOVIM is not None
    folder = copy_demo(tmp_path / "demo")
    before, text = state_of(folder), (folder / "main.py").read_text()
    said = play(SESSION, tmp_path, folder)

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
    assert ended_in(folder)


@pytest.mark.skipif(
    NEOVIM is None and not os.environ.get("CI"), reason="no Neovim: `make test` as root installs it"
)
def test_neovim_reviews_by_what_every_client_has(tmp_path: Path) -> None:
    folder = copy_demo(tmp_path / "demo")
    before, text = state_of(folder), (folder / "main.py").read_text()
    changes = (
        ("from datetime import date", "import os\nfrom datetime import date"),
        ('"Hinge, stainless", 40', '"Hinge", 41'),
        ("date(2026, 3, 2)))", "date(2026, 3, 9)))"),
    )
    edits = [{"kind": "replace", "path": "main.py", "old": old, "new": new} for old, new in changes]
    said = play(REVIEW, tmp_path, folder, EDITS=json.dumps(edits))
    branch = said["branch"]
    assert not said.get("lenses_before"), "in no file before the user has opened it for review"
    titles = [lens["command"]["title"] for lens in said["lenses"]]
    assert titles[:3] == [
        f"{verb}: {branch}: +1 import os" for verb in ("Accept", "Reject", "Send back")
    ]
    assert len(titles) == 9
    assert (
        '-    invoice.lines.append(Line("Hinge, stainless", 40, 315))\n+'
        in (said["hover"]["contents"]["value"])
    )
    assert said["accepted"] == said["after"] == text.replace(*changes[1])
    (ask,) = said["asks"]
    assert (ask["path"], ask["start"], ask["end"]) == ("main.py", 16, 17)
    (file,) = said["files"]
    assert [hunk["lines"][1] for hunk in file["hunks"]] == [
        '+    print("fee when late:", late_fee(invoice, date(2026, 3, 9)))'
    ]
    assert not said.get("lenses_after")
    assert all(branch in title for title in said["offered"])
    assert state_of(folder) == before


def play(script: Path, tmp_path: Path, folder: Path, **environment: str) -> dict[str, Any]:
    """What a session in Neovim has reported."""
    assert NEOVIM is not None
    report = tmp_path / "report.json"
    done = subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-S", str(script)],
        env={
            **child_environment(tmp_path / "state"),
            "COMMAND": json.dumps([*UNDERSTUDY, "lsp"]),
            "FOLDER": str(folder),
            "REPORT": str(report),
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = json.loads(report.read_text())
    assert done.returncode == 0, said
    return said
