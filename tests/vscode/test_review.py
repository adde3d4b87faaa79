"""A review where the code is: findings, changes and asks in the documents of a branch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.support.workspace import state_of
from tests.vscode.branch_view import BranchView
from tests.vscode.conftest import TRUSTED
from tests.vscode.workbench import Window


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """The types are judged, too: a chain leads to a file that is not edited."""
    return TRUSTED


IMPORT = {
    "kind": "replace",
    "path": "main.py",
    "old": "from datetime import date",
    "new": "import os\nfrom datetime import date",
}
HINGE = {
    "kind": "replace",
    "path": "main.py",
    "old": '"Hinge, stainless", 40',
    "new": '"Hinge", 41',
}
FEE = {"kind": "replace", "path": "main.py", "old": "date(2026, 3, 2)))", "new": '"in March"))'}


def rehearse(window: Window, *edits: Mapping[str, str]) -> str:
    text = window.lint(edits=list(edits), servers=(), fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    print(text)
    return found[1]


def test_look(window: Window, folder: Path) -> None:
    branch = rehearse(window, IMPORT, HINGE, FEE)
    view = BranchView(window)
    view.file(branch, "main.py").click()
    diff = window.page.locator(".monaco-diff-editor")
    expect(diff.locator(".modified .codelens-decoration", has_text="Accept").first).to_be_visible()
    window.page.wait_for_timeout(3000)
    window.page.screenshot(path="/tmp/review/shot-diff.png")
    window.page.locator(".modified .view-line", has_text="in March").first.hover()
    window.page.locator(".modified .view-line span", has_text="in March").last.hover()
    window.page.wait_for_timeout(3000)
    window.page.screenshot(path="/tmp/review/shot-hover.png")
