"""What a user does first: try a lint, look at an outline, a map; copy the prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.workspace import state_of
from tests.vscode.conftest import TRUSTED
from tests.vscode.driver import StepError
from tests.vscode.pictures import n_colours, underlined
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

SHOW_CODE = """
const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "main.py");
await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One });
"""
SHOWN = """
const shown = vscode.workspace.textDocuments.find((document) =>
  document.uri.scheme === "understudy-outline" && document.uri.path.endsWith(end));
return shown?.getText().includes(text) ? shown.getText() : undefined;
"""
LINKS = """
const shown = vscode.workspace.textDocuments.find((document) =>
  document.uri.scheme === "understudy-outline" && document.uri.path.endsWith(end));
const links = await vscode.commands.executeCommand("vscode.executeLinkProvider", shown.uri);
return links.map((link) => [shown.getText(link.range), link.target.toString(true)]);
"""


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """Ruff alone judges: it starts at once, also on a busy machine."""
    return {**TRUSTED, "understudy.disabledGroups": ["types"]}


def test_try_a_lint(window: Window, folder: Path) -> None:
    before = state_of(folder)
    window.open("main.py")
    window.choose("Understudy: Try a Lint")
    shown = window.notification("was checked")
    shown.hover()  # it stays as long as the pointer does
    expect(shown).to_contain_text("it returns a name that is defined nowhere")
    expect(shown).to_contain_text(
        re.compile("The verdict: findings .ruff.: .*understudy_is_not_defined")
    )
    expect(window.page.locator(".tab.active", has_text="sample edit (findings)")).to_be_visible()
    added = window.page.locator(".monaco-diff-editor .modified .view-lines")
    expect(added).to_contain_text("understudy_is_not_defined")
    assert n_colours(window.page.locator(".editor-instance").first) > 8
    for word in ("Accept", "Reject"):
        lenses = window.page.locator(".monaco-diff-editor .modified .codelens-decoration")
        expect(lenses.filter(has_text=word)).to_have_count(1)
    assert "understudy_is_not_defined" in underlined(window.page)
    assert window.call_tool("understudy_lint", branch="b1").startswith("findings: ")
    shown.get_by_role("button", name="Discard the Branch").click()
    window.until(_GONE)
    with pytest.raises(StepError, match="unknown-branch"):
        window.call_tool("understudy_lint", branch="b1")
    assert state_of(folder) == before
    assert window.run("return vscode.workspace.textDocuments.filter((d) => d.isDirty).length") == 0


_GONE = """
try {
  const asked = { input: { branch: "b1" }, toolInvocationToken: undefined };
  await vscode.lm.invokeTool("understudy_lint", asked);
} catch { return true; }
"""


def test_no_sample_for_a_language_is_said(window: Window, folder: Path) -> None:
    (folder / "notes.txt").write_text("no code\n")
    window.open("notes.txt")
    window.choose("Understudy: Try a Lint")
    window.notification(re.compile("in one of these languages: python, "))


def test_an_outline_follows_its_file(window: Window) -> None:
    window.open("main.py")
    window.choose("Understudy: Open Outline Beside the File")
    text = window.until(SHOWN, end="/main.py.outline", text="# outline of main.py")
    assert "def main" in text
    links = window.run(LINKS, end="/main.py.outline")
    assert len(links) == len([line for line in text.splitlines() if line[0] != "#"])
    assert all(re.fullmatch(r"\d+(-\d+)?", range_) for range_, _ in links)
    window.run(SHOW_CODE)
    window.type_at_end("\nadded_name = 1")
    window.until(SHOWN, end="/main.py.outline", text="added_name")
    window.command("workbench.action.files.revert")
    window.run(
        """
        const shown = vscode.window.visibleTextEditors.find((editor) =>
          editor.document.uri.path.endsWith("/main.py.outline"));
        await vscode.window.showTextDocument(shown.document, { viewColumn: shown.viewColumn });
        const lines = shown.document.getText().split("\\n");
        const at = lines.findIndex((line) => line.includes("def main"));
        vscode.window.activeTextEditor.selection = new vscode.Selection(at, 0, at, 0);
        """
    )
    window.choose("Understudy: Show the Text of the Outline Entry at the Cursor")
    window.until(SHOWN, end=".lines", text="def main")


def test_a_map(window: Window) -> None:
    window.choose("Understudy: Open Map of the Folder")
    text = window.until(SHOWN, end="/folder.map", text="# map of ")
    assert "invoices/totals.py" in text
    links = window.run(LINKS, end="/folder.map")
    assert any("invoices/totals.py#L" in target for _, target in links)


def test_the_walkthrough_and_its_prompt(window: Window) -> None:
    walkthrough = "understudy.understudy#firstSteps"
    window.command("workbench.action.closeAllEditors")  # a narrow window hides the steps' pages
    window.run(
        "vscode.commands.executeCommand('workbench.action.openWalkthrough', id)", id=walkthrough
    )
    steps = window.page.locator(".getting-started-step")
    expect(steps).to_have_count(4)
    expect(steps.first).to_contain_text("See what works here")
    assert n_colours(window.page.locator(".gettingStartedContainer")) > 8
    steps.nth(1).click()
    step = window.page.frame_locator("iframe.webview").frame_locator("iframe#active-frame")
    expect(step.locator("img")).to_have_count(2)
    for picture in step.locator("img").all():
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 1000
    step.get_by_role("link", name="unknown").click()
    page = window.page.frame_locator("iframe.webview.ready").last.frame_locator(
        "iframe#active-frame"
    )
    expect(page.locator("h1")).to_contain_text("unknown")
    window.command("understudy.copyPrompt")
    window.notification("The prompt is in the clipboard")
    assert len(servers_of(window)) == 1
