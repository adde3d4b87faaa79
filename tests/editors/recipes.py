"""What the pages of docs/how-to/ have a user save, and the folder that editors show a branch of."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.command_line import Shell
from tests.e2e.folders import child_environment, copy_demo
from tests.e2e.lsp_client import open_editor
from tests.langserver.toybox import ended_in
from tests.support.terminals import OnPty
from tests.support.workspace import state_of

PAGES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
HERE = Path(__file__).resolve().parent
BROKEN = {"kind": "replace", "path": "main.py", "old": "late_fee(", "new": "later_fee("}


def recipe(page: str, language: str) -> str:
    """The one block of a language that a page has a user save."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(), re.M | re.S)
    return blocks[0]


@dataclass(frozen=True)
class Shown:
    """What an editor reported of its session, and what came of the branch."""

    report: dict[str, Any]
    diff: str
    original: str


async def see_branch(tmp_path: Path, recipe_file: Path, command: Sequence[str]) -> Shown:
    """Have an editor show a branch of the demo project; the folder is untouched at the end.

    The editor's script finds FOLDER, BRANCH, RECIPE and REPORT in its environment.
    """
    folder, state = copy_demo(tmp_path / "demo"), tmp_path / "state"
    async with open_editor(folder, state) as editor:
        branch = await editor.branch(BROKEN)
    before, original = state_of(folder), (folder / "main.py").read_text()
    report = tmp_path / "report.json"
    environment = {
        **child_environment(state),
        "FOLDER": str(folder),
        "BRANCH": branch,
        "RECIPE": str(recipe_file),
        "REPORT": str(report),
        "HOME": str(tmp_path / "home"),
    }
    terminal = OnPty(command, tmp_path, environment)
    screen = terminal.finish().decode(errors="replace")[-4000:]
    assert report.exists(), screen
    said = json.loads(report.read_text())
    assert terminal.status == 0, said
    assert state_of(folder) == before
    assert ended_in(folder)
    diff = Shell(folder, state)("branches", "diff", branch).out
    return Shown(said, diff, original)


def assert_seen(shown: Shown) -> None:
    """What every editor must have seen, and what must have come of it."""
    said, text = shown.report, shown.original
    assert said["brought"] == text.replace("late_fee(", "later_fee(")
    assert any("later_fee" in message for message in said["diagnostics"]), said["diagnostics"]
    assert "printing.py" in json.dumps(said["definition"])
    assert {"main.py", "printing.py"} <= {
        Path(name).name for name in re.findall(r"[\w/]+\.py", json.dumps(said["references"]))
    }
    assert said["after"] == text
    assert '+"""Typed by the user."""' in shown.diff
    assert "+    print(text_of(invoice))" in shown.diff
    assert "+def text_of(invoice: Invoice) -> str:" in shown.diff
    assert "later_fee(" in shown.diff
