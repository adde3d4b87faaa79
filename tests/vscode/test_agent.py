"""An agent in the editor at work: rehearse, mend, or edit the buffers itself and ask what broke."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.workspace import state_of
from tests.vscode.driver import StepError
from tests.vscode.workbench import Window

RENAME = {
    "kind": "replace",
    "path": "invoices/reminders.py",
    "old": "def late_fee(",
    "new": "def fee_when_late(",
}
MENDED = [
    {"kind": "replace", "path": "main.py", "old": "import late_fee", "new": "import fee_when_late"},
    {"kind": "replace", "path": "main.py", "old": " late_fee(", "new": " fee_when_late("},
]
TYPE_BY_AGENT = """
const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, path);
const document = await vscode.workspace.openTextDocument(uri);
const edit = new vscode.WorkspaceEdit();
edit.insert(uri, document.lineAt(document.lineCount - 1).range.end, text);
return vscode.workspace.applyEdit(edit);
"""
SET_WATCH = """
const ours = vscode.workspace.getConfiguration("understudy");
await ours.update("watch", value ?? undefined, true);
"""


def test_edit_lint_mend_lint(window: Window, folder: Path) -> None:
    before = state_of(folder)
    broken = window.lint(edits=[RENAME], fresh=True, servers=())
    assert broken.startswith("findings: ")
    assert "main.py:7" in broken
    mended = window.lint(edits=MENDED, servers=())
    assert mended.startswith("clean: "), mended
    assert state_of(folder) == before


def test_an_agent_that_edits_buffers_itself(window: Window, folder: Path) -> None:
    before = state_of(folder)
    first = window.lint()
    assert first.startswith(("UNKNOWN - NOT VERIFIED", "clean: nothing differs")), first
    assert window.run(TYPE_BY_AGENT, path="main.py", text="undefined_by_agent\n")
    broken = window.lint()
    assert broken.startswith("findings: 1 introduced"), broken
    assert "undefined_by_agent" in broken
    assert state_of(folder) == before
    window.open("main.py")
    window.command("undo")
    assert window.lint().startswith("clean: ")


def test_an_agent_that_writes_files_itself(window: Window, folder: Path) -> None:
    (folder / "written.py").write_text("undefined_in_a_file\n")
    text = window.lint()
    assert text.startswith("findings: 1 introduced"), text
    assert "written.py:1" in text


def test_the_status_bar_says_what_the_agent_has_broken(window: Window) -> None:
    """Also in a file that is open nowhere; the list is a click away, and a setting ends it."""
    item = window.page.locator(".statusbar-item[id*='understudy.watch'] a")
    broken = re.compile(r"^Edits since .*: edits introduce [1-9]\d* findings?\b(?!.*checking)")
    expect(item).to_have_attribute("aria-label", broken)
    item.click()
    expect(window.page.locator(".quick-input-title")).to_contain_text("introduce")
    window.pick("undefined_in_a_file")
    expect(window.page.locator(".tab.active", has_text="written.py")).to_be_visible()
    window.run(SET_WATCH, value=False)
    expect(item).to_have_count(0)
    window.run(SET_WATCH, value=None)
    window.discard_changes()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"edits": "text"}, "bad-params"),
        ({"edit": []}, "bad-params"),
        ({"edits": [{"kind": "replace", "path": "main.py", "old": "no such"}]}, "missing-field"),
        ({"edits": [{"kind": "write", "path": "../out.py", "text": ""}]}, "outside-root"),
        ({"diff": "no diff at all"}, "not-a-diff"),
        ({"root": "another"}, "no-such-root"),
        ({"branch": "b999"}, "unknown-branch"),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    window: Window, given: dict[str, Any], code: str
) -> None:
    before = window.call_tool("understudy_context", action="diff")
    with pytest.raises(StepError, match=code):
        window.lint(**given)
    assert window.call_tool("understudy_context", action="diff") == before
