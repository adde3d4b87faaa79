"""Branches in the side bar and the diff editor: in words, in pictures, for a screen reader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.vscode.branch_view import BranchView
from tests.vscode.conftest import TRUSTED
from tests.vscode.pictures import n_colours
from tests.vscode.workbench import Window

BROKEN = {"kind": "replace", "path": "main.py", "old": "text(invoice)", "new": "text(bill)"}
ADDED = {"kind": "write", "path": "notes/new.py", "text": "number = 1\n"}


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """Only linters judge, so that no test waits for type checkers."""
    return {**TRUSTED, "understudy.disabledGroups": ["types"]}


@pytest.fixture(scope="module")
def branch(window: Window) -> str:
    """A branch that breaks one file and adds another."""
    text = window.lint(edits=[BROKEN, ADDED], fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def test_a_branch_its_files_and_its_findings(window: Window, branch: str) -> None:
    view = BranchView(window)
    broken = view.file(branch, "main.py")
    expect(broken).to_have_attribute("aria-label", re.compile(r"\+1\b.*findings"))
    expect(view.branch(branch)).to_have_attribute("aria-label", re.compile("introduces 1 error"))
    expect(view.file(branch, "notes/new.py")).to_have_attribute("aria-label", re.compile("new"))
    expect(view.finding("Undefined name `bill`")).to_contain_text("15:")
    assert n_colours(view.branch(branch)) > 8


def test_what_an_agent_was_told_of_its_branch_is_shown(window: Window) -> None:
    """Nobody opens the branch or checks it again for that; a part of the question is named so."""
    told = {(): ", introduces 1 error", ("ruff",): ", checked in part: introduces 1 error"}
    for servers, words in told.items():
        text = window.lint(servers=servers, edits=[BROKEN], fresh=True)
        found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
        assert found is not None, text
        row = BranchView(window).branch(found[1])
        expect(row).to_have_attribute("aria-expanded", "false")
        expect(row).to_have_attribute("aria-label", re.compile(words))


def test_a_view_that_nobody_sees_asks_for_no_verdicts(window: Window, branch: str) -> None:
    """Shown again, it has at once what agents were told meanwhile."""
    BranchView(window).branch(branch)
    window.command("workbench.view.explorer")
    window.run(_COUNT_REQUESTS)
    for _ in range(2):  # when the second list is asked for, all about the first is
        n_lists = window.run("return memory.asked.list")
        text = window.lint(edits=[BROKEN], fresh=True)
        window.until("return memory.asked.list > n", n=n_lists)
    assert window.run("return memory.asked.verdict") == 0
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    row = BranchView(window).branch(found[1])
    expect(row).to_have_attribute("aria-label", re.compile("checked in part: introduces 1 error"))
    assert window.run("return memory.asked.verdict") > 0


def test_the_diff_of_a_file(window: Window, branch: str) -> None:
    view = BranchView(window)
    view.file(branch, "main.py").click()
    diff = window.page.locator(".monaco-diff-editor")
    expect(diff.locator(".original .view-line", has_text="invoice_text(invoice)")).to_be_visible()
    expect(diff.locator(".modified .view-line", has_text="invoice_text(bill)")).to_be_visible()
    expect(diff.locator(".line-delete").first).to_be_visible()
    expect(diff.locator(".line-insert").first).to_be_visible()
    assert n_colours(diff) > 50
    window.command("workbench.action.closeAllEditors")


def test_a_finding_leads_to_its_line(window: Window, branch: str) -> None:
    view = BranchView(window)
    view.file(branch, "main.py")
    view.finding("Undefined name `bill`").click()
    step = "return vscode.window.activeTextEditor?.selection.active.line"
    assert window.until(step) == 14
    window.command("workbench.action.closeAllEditors")


def test_how_a_branch_was_judged_is_shown(window: Window) -> None:
    """A server's fix that helps can be taken into it, and what is shown is about that, then."""
    unused = {"kind": "write", "path": "notes/unused.py", "text": "import os\n\nnumber = 1\n"}
    text = window.lint(edits=[unused], severity="warning", fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    for command, words in ((None, "F401"), ("mend", "0 findings")):
        if command is not None:
            window.choose("Mend Branch with the Servers' Fixes")
            window.pick(found[1])
            expect(window.page.locator(".statusbar-item", has_text="1 fix kept")).to_be_visible()
        window.choose("Show How This Was Judged")
        window.pick(found[1])
        step = "return vscode.window.activeTextEditor?.document.getText().includes(words)"
        window.until(step, words=words)
        shown = window.run("return vscode.window.activeTextEditor.document.getText()")
        assert f" of {found[1]} in " in shown
        assert "an answer is proven (rule pull)" in shown
        window.command("workbench.action.closeAllEditors")


def test_an_unknown_verdict_says_so(window: Window) -> None:
    edit = {"kind": "write", "path": "invoices/tax.py", "text": "x = 1\n"}
    text = window.lint(edits=[edit], fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None
    window.open("invoices/tax.py")
    view = BranchView(window)
    row = view.branch(found[1])
    window.run(_REPLACE_ALL, text="y = 2\n")
    expect(row).to_have_attribute("aria-label", re.compile("not checked"))  # what was is no more
    view.press(row, "check")
    expect(row).to_have_attribute("aria-label", re.compile("unknown, not verified"))
    expect(row).not_to_have_attribute("aria-label", re.compile("clean"))
    window.discard_changes()


def test_a_rejected_file_leaves_the_branch(window: Window, folder: Path) -> None:
    text = window.lint(edits=[BROKEN, ADDED], fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    view = BranchView(window)
    view.press(view.file(found[1], "notes/new.py"), "rejectFile")
    row = window.page.locator("[role=treeitem][aria-label^='notes/new.py,']")
    expect(row).to_have_count(0)
    expect(view.file(found[1], "main.py")).to_be_visible()
    assert not (folder / "notes").exists()


def test_a_discarded_branch_can_be_brought_back(window: Window, branch: str) -> None:
    view = BranchView(window)
    view.press(view.branch(branch), "discard")
    said = window.notification(f"Discarded {branch}")
    said.locator(".monaco-button", has_text="Bring Back").click()
    expect(view.file(branch, "main.py")).to_be_visible()


def test_branches_are_renamed_filtered_and_compared(window: Window) -> None:
    """A filter says what it hides; those that are called the same keep names of their own."""
    page, view, names = window.page, BranchView(window), list[str]()
    for number in "12":
        edits = [{**ADDED, "text": f"number = {number}\n"}]
        text = window.lint(edits=edits, fresh=True, title="Count\n\u202eit")
        found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
        assert found is not None, text
        names.append(found[1])
        row, shown = view.branch(found[1]), re.compile(rf"{found[1]}, Count \\u202eit,")
        expect(row).to_have_attribute("aria-label", shown)
    one, other = names
    entry = page.locator(".quick-input-widget input[type=text]")
    window.choose("Rename Branch")
    expect(page.get_by_placeholder("Which branch?")).to_be_visible()
    window.pick(one)
    expect(entry).to_have_value(r"Count \u202eit")
    entry.fill("By the user")
    entry.press("Enter")
    expect(view.branch(one)).to_have_attribute("aria-label", re.compile(f"{one}, By the user,"))
    window.choose("Filter Branches")
    expect(page.get_by_placeholder("Which branches?")).to_be_visible()
    window.pick("By Its Name")
    expect(page.get_by_text("Letters of what a branch is for")).to_be_visible()
    entry.fill("the user")
    entry.press("Enter")
    expect(page.get_by_text(re.compile(r"^“the user”: 1 of \d+ branches$")).first).to_be_visible()
    hidden = page.locator(f"[role=treeitem][aria-label^='Branch {other},']")
    expect(hidden).to_have_count(0)
    window.choose("Filter Branches")
    expect(page.get_by_placeholder("Which branches?")).to_be_visible()
    window.pick("All Branches")
    expect(hidden).to_be_visible()
    window.choose("Compare with Another Branch")
    expect(page.get_by_placeholder("Which branch?")).to_be_visible()
    window.pick(one)
    expect(page.get_by_placeholder(f"Compare {one} with…")).to_be_visible()
    window.pick(other)
    expect(page.locator(".tab.active", has_text=f"{one} ↔ {other}")).to_be_visible()
    window.command("workbench.action.closeAllEditors")


_REPLACE_ALL = """
const editor = vscode.window.activeTextEditor;
const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
await editor.edit((edit) => edit.replace(new vscode.Range(new vscode.Position(0, 0), end), text));
"""
_COUNT_REQUESTS = """
const { stdin } = process._getActiveHandles().find(
  (handle) => handle.spawnargs?.includes("understudy") && handle.exitCode === null,
);
const write = stdin.write;
memory.asked = { list: 0, verdict: 0 };
stdin.write = function (data, ...rest) {
  const method = /"understudy\\/branch\\/(list|verdict)"/.exec(String(data));
  if (method !== null) memory.asked[method[1]] += 1;
  return write.call(this, data, ...rest);
};
"""
