"""A reader follows docs/tutorial/editor.md: its files, its commands, its clicks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.folders import make_folder
from tests.support.pages import Saved, Typed, steps
from tests.vscode.branch_view import BranchView
from tests.vscode.editor import Editor
from tests.vscode.workbench import Window

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial" / "editor.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"\*\*(Understudy: [^*]+)\*\*", PAGE)
FILES = [step for step in steps(PAGE) if isinstance(step, Saved)]
(TYPED,) = (step for step in steps(PAGE) if isinstance(step, Typed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's folder."""
    texts = {file.path: file.text for file in FILES}
    return make_folder(tmp_path_factory.mktemp("folder") / "shop", texts)


def test_the_tutorial_leads_to_an_accepted_branch(
    window: Window, folder: Path, editor: Editor
) -> None:
    doctor, try_it, show = COMMANDS
    window.open("prices.py")
    window.choose(doctor)
    expect(window.page.locator(".tab.active", has_text="Understudy in")).to_be_visible()
    page = window.page.frame_locator("iframe.webview").frame_locator("iframe")
    expect(page.locator("dl.ok dt", has_text="basedpyright")).to_be_visible()

    window.open("prices.py")
    window.choose(try_it)
    shown = window.notification("The verdict: findings")
    shown.hover()
    shown.get_by_role("button", name="Discard the Branch").click()
    expect(shown).to_be_hidden()

    done = subprocess.run(
        ["bash", "-c", TYPED.command.replace("understudy", f"{sys.executable} -m understudy", 1)],
        cwd=folder,
        env=editor.profile.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == TYPED.shown

    window.choose(show)
    view = BranchView(window)
    view.file("b2", "prices.py").click()
    changed = window.page.locator(".monaco-diff-editor .modified .view-lines")
    expect(changed).to_contain_text("currency")
    view.accept("b2")
    window.notification("Accepted 1 file of b2")
    before = next(file.text for file in FILES if file.path == "prices.py")
    assert 'currency: str = "EUR"' in window.text("prices.py")
    assert (folder / "prices.py").read_text() == before, "it is not saved"
    window.open("prices.py")
    window.command("undo")
    assert window.text("prices.py") == before
