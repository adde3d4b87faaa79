"""A review where the code is: findings, changes and asks in the documents of a branch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, expect

from tests.support.workspace import state_of
from tests.vscode.branch_view import BranchView
from tests.vscode.conftest import TRUSTED
from tests.vscode.pictures import UNDERLINED, underlined
from tests.vscode.workbench import Window

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
RATE = {
    "kind": "replace",
    "path": "invoices/tax.py",
    "old": "def percent_for(country: str, reduced: bool) -> int:",
    "new": "def percent_for(country: str, reduced: bool, year: int) -> int:",
}
PREFIX = "Control+Alt+u"


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """The types are judged, too: an edit reaches a file that it does not touch."""
    return TRUSTED


@pytest.fixture(autouse=True)
def unchanged_at_the_end(window: Window) -> Iterator[None]:
    """What a test accepts is gone after it."""
    window.open("main.py")
    yield
    window.discard_changes()


def rehearse(window: Window, *edits: Mapping[str, str]) -> str:
    text = window.lint(edits=list(edits), servers=(), fresh=True)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def test_findings_stand_where_the_code_is(window: Window, folder: Path) -> None:
    before, problems = state_of(folder), window.problems()
    branch = rehearse(window, IMPORT, HINGE, FEE)
    BranchView(window).file(branch, "main.py").click()
    side = diff(window)
    expect(lens(side, "Accept")).to_have_count(3)
    assert underlined(window.page) == ["os", '"in March"']
    told = window.until(HOVER, branch=branch, word='"in March"')
    assert "Literal['in March']" in told.replace("&nbsp;", " ").replace("\\", "")
    assert f"basedpyright reportArgumentType (error): {branch} introduces it".replace(" ", "") in (
        told.replace(" ", "").replace("\\", "")
    )
    assert "command:understudy.review.fix" in told
    assert "(function) def late_fee" in window.until(HOVER, branch=branch, word="late_fee(invoice")
    (place,) = window.until(DEFINITION, branch=branch, word="late_fee(invoice")
    assert place.endswith("invoices/reminders.py")
    assert place.startswith("file:")
    uses = window.until(REFERENCES, branch=branch, word="late_fee(invoice")
    assert f"understudy:/{branch}/main.py" in uses, "of an edited file it is the branch's text"
    assert window.until(SYMBOLS, branch=branch) == ["main"]
    assert "lines" in window.until(COMPLETION, branch=branch, word="lines.append")
    key(window, "m")
    expect(window.page.locator(".multiDiffEntry")).to_have_count(1)
    assert (state_of(folder), window.problems()) == (before, problems), "looking changes nothing"


def test_what_was_there_before_is_shown_by_a_key(window: Window, folder: Path) -> None:
    older = folder / "older.py"
    older.write_text("import sys\n")
    edit = {"kind": "replace", "path": "older.py", "old": "import", "new": "import os\nimport"}
    branch = rehearse(window, edit)
    BranchView(window).file(branch, "older.py").click()
    diff(window)
    assert underlined(window.page) == ["os"]
    assert window.page.evaluate(UNDERLINED, "dotted") is None
    key(window, "o")
    assert underlined(window.page, "dotted") == ["sys"]
    assert underlined(window.page) == ["os"]
    key(window, "o")
    window.page.wait_for_function(f"(line) => ({UNDERLINED})(line) === null", arg="dotted")
    assert underlined(window.page) == ["os"]
    older.unlink()


def test_what_the_edit_reaches_is_told_with_the_way_there(window: Window) -> None:
    branch = rehearse(window, RATE)
    window.command("understudy.review.nextChange")
    expect(lens(diff(window), "Accept")).to_have_count(1)
    expect(lens(diff(window), "Reject")).to_have_count(1)
    walked = window.run(WALK_FINDINGS)
    edited, reached = (f"/{branch}/invoices/{name}.py" for name in ("tax", "printing"))
    assert walked == [edited, reached, edited, edited, reached], "round and round"
    assert underlined(window.page)
    told = window.until(HOVER, branch=branch, word="percent_for(country")
    assert "invoices/tax.py→invoices/printing.py,bypercent_for" in (
        told.replace("\\", "").replace(" ", "")
    )


def test_the_second_of_three_is_accepted_and_the_third_sent_back(
    window: Window, folder: Path
) -> None:
    """In six clicks and keys from a branch that is there."""
    before, text = state_of(folder), window.text("main.py")
    branch = rehearse(window, IMPORT, HINGE, FEE)
    view = BranchView(window)
    view.branch(branch)
    doing = Doing()
    doing(lambda: view.file(branch, "main.py"))  # opens the branch
    doing(lambda: view.file(branch, "main.py").click())
    side = diff(window)
    expect(lens(side, "Accept")).to_have_count(3)
    doing(lambda: lens(side, "Accept").nth(1).click())
    expect(lens(side, "Accept")).to_have_count(2)
    assert window.text("main.py") == text.replace('"Hinge, stainless", 40', '"Hinge", 41')
    window.until("return vscode.window.activeTextEditor?.selection.active.line === 16")
    doing(lambda: lens(side, "Send Back").nth(1).click())
    expect(window.page.locator(".quick-input-widget input[type=text]")).to_be_focused()
    doing(lambda: window.page.keyboard.press("Enter"))
    assert doing.count <= 6
    expect(asked(window)).to_be_visible()
    told = window.lint(branch=branch)
    assert told.startswith("The user has looked at your edits"), told
    assert f"{branch}: main.py:17: " in told
    assert state_of(folder) == before, "accepted text stays unsaved"
    window.lint(edits=[{**FEE, "old": '"in March"', "new": "date(2026, 3, 9)"}], branch=branch)
    expect(asked(window)).to_have_count(0)


def test_all_of_it_by_keys_and_in_the_users_own_file(window: Window, folder: Path) -> None:
    text = window.text("main.py")
    rehearse(window, IMPORT, HINGE, FEE)
    key(window, "n")
    side = diff(window)
    expect(lens(side, "Accept")).to_have_count(3)
    key(window, "r")
    expect(lens(side, "Accept")).to_have_count(2)
    key(window, "i")
    expect(window.page.locator(".tab.active", has_text=re.compile("^main.py$"))).to_be_visible()
    own = window.page.locator(".editor-instance").last
    expect(own.locator(".codelens-decoration", has_text="Accept")).to_have_count(2)
    assert window.text("main.py") == text
    key(window, "n")
    key(window, "a")
    expect(own.locator(".codelens-decoration", has_text="Accept")).to_have_count(1)
    assert len(set(text.splitlines()) ^ set(window.text("main.py").splitlines())) == 2
    key(window, "x")
    expect(own.locator(".codelens-decoration")).to_have_count(0)


def test_undo_on_the_branchs_side_brings_its_text_back(window: Window, folder: Path) -> None:
    before, own = state_of(folder), window.text("main.py")
    branch = rehearse(window, IMPORT, HINGE, FEE)
    key(window, "n")
    side = diff(window)
    expect(lens(side, "Accept")).to_have_count(3)
    text = window.run(BRANCH_TEXT, branch=branch)
    for left in (2, 1):
        key(window, "r")
        expect(lens(side, "Accept")).to_have_count(left)
    for _ in range(2):  # as fast as the key is hit
        window.page.keyboard.press("Control+z")
    expect(lens(side, "Accept")).to_have_count(3)
    window.until(BRANCH_TEXT + "=== text", branch=branch, text=text)
    assert (state_of(folder), window.text("main.py")) == (before, own)
    # What an agent does elsewhere is no matter.
    key(window, "r")
    expect(lens(side, "Accept")).to_have_count(2)
    window.lint(edits=[{"kind": "write", "path": "new.py", "text": "NEW = 1\n"}], branch=branch)
    window.page.keyboard.press("Control+z")
    window.until(BRANCH_TEXT + "=== text", branch=branch, text=text)
    # What an agent has edited since is not taken back with it.
    key(window, "r")
    expect(lens(side, "Accept")).to_have_count(2)
    window.lint(edits=[{**HINGE, "old": '"Hinge", 41', "new": '"Hinge", 42'}], branch=branch)
    window.until(BRANCH_TEXT + ".includes('42')", branch=branch)
    text = window.run(BRANCH_TEXT, branch=branch)
    window.page.keyboard.press("Control+z")
    window.notification("cannot be undone here: a text has changed since")
    assert window.run(BRANCH_TEXT, branch=branch) == text


def test_a_fix_is_tried_before_it_is_offered(window: Window, folder: Path) -> None:
    before = state_of(folder)
    branch = rehearse(window, IMPORT)
    key(window, "n")
    expect(lens(diff(window), "1 warning")).to_have_count(1)
    actions = window.until(ACTIONS, branch=branch, word="os")
    assert any("Remove unused import: `os` (verified)" in one for one in actions)
    window.run(AT, branch=branch, word="os")
    key(window, "q")
    window.pick("Remove unused import")
    expect(lens(diff(window), "1 warning")).to_have_count(0)
    assert state_of(folder) == before


def test_a_finding_goes_to_the_chat_for_the_user_to_send(window: Window) -> None:
    branch = rehearse(window, FEE)
    key(window, "n")
    expect(lens(diff(window), "1 error")).to_have_count(1)
    window.run(AT, branch=branch, word='"in March"')
    key(window, "t")
    written = window.page.locator(".interactive-input-part .view-lines")
    expect(written).to_contain_text(re.compile(rf"In.branch.{branch},.main.py:16:47"))


def test_a_hover_is_about_the_branch_that_it_is_in(window: Window) -> None:
    hovered, active = rehearse(window, IMPORT), rehearse(window, IMPORT)
    key(window, "n")
    expect(lens(diff(window), "1 warning")).to_have_count(1)
    window.run(SIDE_BY_SIDE, branches=[hovered, active])
    told = window.until(HOVER, branch=hovered, word="os")
    (given, *_) = re.findall(r"command:understudy\.review\.sendToChat\?(\S+)", told)
    assert window.run("return vscode.window.activeTextEditor.document.uri.path") == (
        f"/{active}/main.py"
    )
    window.command("understudy.review.sendToChat", *json.loads(unquote(given)))
    written = window.page.locator(".interactive-input-part .view-lines")
    expect(written).to_contain_text(re.compile(rf"In.branch.{hovered},.main.py:3:8"))


class Doing:
    """Counts what a user does."""

    count = 0

    def __call__(self, act: Any) -> None:
        self.count += 1
        act()


def diff(window: Window) -> Locator:
    """The branch's side of the diff."""
    side = window.page.locator(".monaco-diff-editor .modified").first
    expect(side).to_be_visible()
    return side


def asked(window: Window) -> Locator:
    """What is asked of the agent, as a comment in the diff."""
    return window.page.locator(".zone-widget", has_text="Asked of the agent")


def lens(side: Locator, text: str) -> Locator:
    return side.locator(".codelens-decoration a, .codelens-decoration span", has_text=text)


def key(window: Window, name: str) -> None:
    """Press a key behind the prefix of the review's shortcuts."""
    window.page.keyboard.press(PREFIX)
    window.page.keyboard.press(name)


_PLACE = """
const all = vscode.workspace.textDocuments.filter(
  ({ uri }) => uri.scheme === "understudy" && uri.path.startsWith(`/${branch}/`) &&
    JSON.parse(uri.query).side === "after");
const active = vscode.window.activeTextEditor?.document;
const document = all.includes(active) ? active : all[0];
if (document === undefined) return null;
"""
BRANCH_TEXT = """
return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "understudy" &&
  uri.path.startsWith(`/${branch}/`) && JSON.parse(uri.query).side === "after").getText()"""
_WORD = _PLACE + "const place = document.positionAt(document.getText().indexOf(word) + 1);\n"
HOVER = (
    _WORD
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeHoverProvider", document.uri, place);
return found.flatMap(({ contents }) => contents.map((one) => one.value ?? one)).join("\\n");
"""
)
DEFINITION = (
    _WORD
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeDefinitionProvider", document.uri, place);
return found.map((one) => String(one.uri ?? one.targetUri));
"""
)
REFERENCES = (
    _WORD
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeReferenceProvider", document.uri, place);
return found.map(({ uri }) => `${uri.scheme}:${uri.path}`);
"""
)
SYMBOLS = (
    _PLACE
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeDocumentSymbolProvider", document.uri);
return (found ?? []).map(({ name }) => name);
"""
)
COMPLETION = (
    _WORD
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeCompletionItemProvider", document.uri, place);
return found.items.map(({ label }) => label.label ?? label);
"""
)
ACTIONS = (
    _WORD
    + """
const found = await vscode.commands.executeCommand(
  "vscode.executeCodeActionProvider", document.uri, new vscode.Range(place, place));
return found.map(({ title }) => title).filter((title) => title.includes("verified"));
"""
)
SIDE_BY_SIDE = """
const { uri } = vscode.window.activeTextEditor.document;
await vscode.commands.executeCommand("workbench.action.closeAllEditors");
let viewColumn = vscode.ViewColumn.One;
for (const branch of branches) {
  const path = uri.path.replace(/^\\/b\\d+/, `/${branch}`);
  const query = JSON.stringify({ ...JSON.parse(uri.query), branch });
  await vscode.window.showTextDocument(uri.with({ path, query }), { viewColumn, preview: false });
  viewColumn = vscode.ViewColumn.Beside;
}
"""
WALK_FINDINGS = """
const walked = [];
for (let step = 0; step < 5; step += 1) {
  await vscode.commands.executeCommand("understudy.review.nextFinding");
  walked.push(vscode.window.activeTextEditor?.document.uri.path);
}
return walked;
"""
AT = (
    _WORD
    + """
const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
editor.selection = new vscode.Selection(place, place);
"""
)
