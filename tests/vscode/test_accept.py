"""The user takes what an agent has rehearsed: a hunk, all, or not, as they typed meanwhile."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.workspace import state_of
from tests.vscode.branch_view import BranchView
from tests.vscode.conftest import TRUSTED
from tests.vscode.workbench import UI_SECONDS, Window

GREETING = {"kind": "replace", "path": "main.py", "old": "fee when late", "new": "fee if late"}
QUANTITY = {
    "kind": "replace",
    "path": "main.py",
    "old": '"Hinge, stainless", 40',
    "new": '"Hinge", 41',
}
NEW_FILE = {"kind": "write", "path": "notes.txt", "text": "accepted\n"}
DELETED = {"kind": "delete", "path": "invoices/printing.py"}
RENAMED = {"kind": "rename", "path": "invoices/tax.py", "to": "invoices/taxes.py"}
IS_DIRTY = "return vscode.workspace.textDocuments.some((d) => d.fileName === path && d.isDirty)"


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """Only linters judge, so that no test waits for type checkers."""
    return {**TRUSTED, "understudy.disabledGroups": ["types"]}


@pytest.fixture(autouse=True)
def unchanged_at_the_end(window: Window, folder: Path) -> Iterator[None]:
    """What a test types and accepts is gone after it."""
    window.open("main.py")
    yield
    window.discard_changes()


def rehearse(window: Window, *edits: Mapping[str, str]) -> str:
    text = window.lint(edits=list(edits), fresh=True)
    assert text.startswith("clean: "), text
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def test_one_hunk_of_two(window: Window, folder: Path) -> None:
    before, text = state_of(folder), window.text("main.py")
    branch = rehearse(window, GREETING, QUANTITY)
    view = BranchView(window)
    view.press(view.file(branch, "main.py"), "acceptHunks")
    hunks = window.page.locator(".quick-input-list .monaco-list-row")
    expect(hunks).to_have_count(2)
    hunks.filter(has_text="fee if late").locator("input, .monaco-checkbox").first.click()
    window.page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.notification(f"Accepted 1 hunk in main.py of {branch}")
    accepted = text.replace("fee when late", "fee if late")
    assert window.text("main.py") == accepted
    assert window.run(IS_DIRTY, path=str(folder / "main.py"))
    assert state_of(folder) == before
    expect(view.file(branch, "main.py")).to_have_attribute("aria-label", re.compile(r"\+1\b"))
    window.open("main.py")
    window.command("undo")
    assert window.text("main.py") == text


def test_what_the_user_typed_meanwhile_is_merged(window: Window, folder: Path) -> None:
    text = window.text("main.py")
    branch = rehearse(window, GREETING)
    window.type_at_end("typed = 1")
    view = BranchView(window)
    view.accept(branch)
    window.notification(f"Accepted 1 file of {branch}, merged with yours in main.py")
    assert window.text("main.py") == text.replace("fee when late", "fee if late") + "typed = 1"


def test_a_conflict_changes_nothing_and_can_be_settled(window: Window, folder: Path) -> None:
    branch = rehearse(window, GREETING, QUANTITY)
    _replaced(window, folder, "fee when late", "penalty")
    typed = window.text("main.py")
    assert "penalty" in typed
    view = BranchView(window)
    view.press(view.branch(branch), "accept")
    said = window.notification(f"You and {branch} changed the same lines of main.py")
    assert window.text("main.py") == typed
    said.locator(".monaco-button", has_text="Ask the Agent to Resolve").click()
    ends = time.monotonic() + UI_SECONDS
    while "The user has looked at" not in (told := window.lint(branch=branch)):
        assert time.monotonic() < ends, told  # it is told with the first call after it was kept
    assert re.search(r"<<<<<<< user\n.*penalty.*\n +=======\n.*fee if late", told), told
    assert window.text("main.py") == typed
    view.press(view.branch(branch), "accept")
    said = window.notification(f"You and {branch} changed the same lines of main.py")
    said.locator(".monaco-button", has_text="Show Both Sides").click()
    editors = window.page.locator(".merge-editor")
    sides = editors.locator(".input .view-lines")
    expect(sides.nth(0)).to_contain_text("penalty")
    expect(sides.nth(1)).to_contain_text("fee if late")
    result = editors.locator(".result .view-lines")
    expect(result).to_contain_text('"Hinge", 41')  # what does not conflict is merged already
    expect(editors).not_to_contain_text("globalStorage")
    window.page.keyboard.press("Control+S")  # as auto save does: it settles nothing
    window.until(_IS_SAVED)
    complete = window.page.get_by_role("button", name="Complete Merge").first
    complete.click()
    window.dialog().locator(".monaco-button", has_text="Cancel").click()  # nobody has touched it
    editors.get_by_text(f"Accept Branch {branch}").click()
    expect(result).to_contain_text("fee if late")
    _replaced(window, folder, "penalty", "fine")  # what is typed meanwhile is not merged over
    complete.click()
    window.notification("a side of the conflict has changed since it was shown")
    _replaced(window, folder, "fine", "penalty")
    view.press(view.branch(branch), "accept")  # and what has been merged is not begun anew
    said = window.notification(f"You and {branch} changed the same lines of main.py")
    said.locator(".monaco-button", has_text="Show Both Sides").click()
    expect(result).to_contain_text("fee if late")
    result.click()
    window.page.keyboard.press("Control+S")
    window.until(_IS_SAVED)
    window.command("workbench.action.closeActiveEditor")  # nor is what was saved lost with its tab
    expect(editors).to_have_count(0)
    view.press(view.branch(branch), "accept")
    said = window.notification(f"You and {branch} changed the same lines of main.py")
    said.locator(".monaco-button", has_text="Show Both Sides").click()
    expect(result).to_contain_text("fee if late")
    complete.click()
    expect(editors).to_have_count(0)  # it is settled: there is nothing left to merge
    expect(window.page.locator(".monaco-dialog-box")).to_be_hidden()
    assert window.text("main.py") == typed
    view.accept(branch)
    window.notification(f"Accepted 1 file of {branch}")
    hinges = typed.replace(QUANTITY["old"], QUANTITY["new"])
    assert window.text("main.py") == hinges.replace("penalty", "fee if late")


def _replaced(window: Window, folder: Path, old: str, new: str) -> None:
    window.run(_REPLACE, path=str(folder / "main.py"), old=old, new_text=new)


def test_what_came_another_way_leaves_the_list_until_it_goes(window: Window, folder: Path) -> None:
    made = folder / "more.py"
    branch = rehearse(window, {"kind": "write", "path": made.name, "text": "MORE = 1\n"})
    view = BranchView(window)
    row = view.branch(branch)
    made.write_text("MORE = 1\n")
    expect(row).to_have_count(0)
    made.unlink()
    view.branch(branch)


def test_files_on_disk_are_listed_confirmed_and_undone(window: Window, folder: Path) -> None:
    before, text = contents(folder), window.text("main.py")
    branch = rehearse(window, GREETING, NEW_FILE, DELETED, RENAMED)
    view = BranchView(window)
    view.press(view.branch(branch), "accept")
    dialog = window.dialog()
    expect(dialog).to_contain_text("create notes.txt")
    expect(dialog).to_contain_text("delete invoices/printing.py")
    expect(dialog).to_contain_text("rename invoices/tax.py to invoices/taxes.py")
    dialog.locator(".monaco-button", has_text="Cancel").click()
    expect(dialog).to_be_hidden()
    assert contents(folder) == before
    assert window.text("main.py") == text
    view.press(view.branch(branch), "accept")
    window.dialog().locator(".monaco-button", has_text="Accept").click()
    window.notification(f"Accepted 4 files of {branch}")
    expected = {**before, "notes.txt": "accepted\n"}
    expected["invoices/taxes.py"] = expected.pop("invoices/tax.py")
    del expected["invoices/printing.py"]
    assert contents(folder) == expected
    assert window.run(IS_DIRTY, path=str(folder / "main.py"))
    assert "fee if late" in window.text("main.py")
    window.open("main.py")
    window.command("undo")
    assert window.until(_IS_GONE, path=str(folder / "notes.txt"))
    assert contents(folder) == before
    assert window.text("main.py") == text


def contents(folder: Path) -> dict[str, str]:
    """The text of every file on disk, by its path."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_what_the_agent_edits_meanwhile_is_not_accepted_unseen(window: Window) -> None:
    text = window.text("main.py")
    branch = rehearse(window, GREETING, QUANTITY)
    view = BranchView(window)
    view.press(view.file(branch, "main.py"), "acceptHunks")
    greeting = window.page.locator(".quick-input-list .monaco-list-row", has_text="fee if late")
    expect(greeting).to_be_visible()
    window.lint(edits=[{**GREETING, "old": "fee if late", "new": "penalty"}], branch=branch)
    greeting.locator("input, .monaco-checkbox").first.click()
    window.page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.notification("was edited meanwhile")
    assert window.text("main.py") == text


def test_what_was_chosen_by_name_is_what_was_shown_then(window: Window, folder: Path) -> None:
    text, evil = window.text("main.py"), folder / ".envrc"
    branch = rehearse(window, GREETING, {**NEW_FILE, "path": ".envrc"})
    view = BranchView(window)
    view.press(view.branch(branch), "accept")
    choice = window.page.locator(".quick-input-list .monaco-list-row", has_text="direnv runs")
    expect(choice).to_be_visible()
    edits = [{"kind": "write", "path": ".envrc", "text": "./evil\n"}]
    window.lint(edits=edits, branch=branch)
    choice.locator("input, .monaco-checkbox").first.click()
    window.page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.dialog().locator(".monaco-button", has_text="Accept").click()
    window.notification("was edited meanwhile")
    assert window.text("main.py") == text
    assert not evil.exists()
    view.press(view.branch(branch), "accept")
    choice.locator("input, .monaco-checkbox").first.click()
    window.page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.dialog().locator(".monaco-button", has_text="Accept").click()  # a new file
    window.notification(f"Accepted 2 files of {branch}")
    assert evil.read_text() == "./evil\n"


_IS_SAVED = """
const [merged] = vscode.workspace.textDocuments.filter((one) => one.uri.scheme.endsWith("-merge")
  && one.uri.path.split("/").length === 4);
return merged !== undefined && !merged.isDirty;
"""
_IS_GONE = 'return !require("fs").existsSync(path)'
_REPLACE = """
const uri = vscode.Uri.file(path);
const document = await vscode.workspace.openTextDocument(uri);
const at = document.getText().indexOf(old);
const edit = new vscode.WorkspaceEdit();
const [start, end] = [at, at + old.length].map((offset) => document.positionAt(offset));
edit.replace(uri, new vscode.Range(start, end), new_text);
return vscode.workspace.applyEdit(edit);
"""
