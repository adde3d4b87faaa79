"""The built extension on a clean profile: nothing runs until an edit is to be judged."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.folders import DEMO_PATCH, copy_demo, make_folder
from tests.support.workspace import state_of
from tests.vscode.pictures import n_colours
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

TOOLS = ["understudy_code", "understudy_context", "understudy_lint", "understudy_run"]
FILES = {
    "settings.json": '{"wrong": 1,}\n',
    "main.ts": "const text: number = 'text';\ntext.\n",
}
COMPLETIONS = """
const { document } = vscode.window.activeTextEditor;
const end = new vscode.Position(1, 5);
const ask = "vscode.executeCompletionItemProvider";
const { items } = await vscode.commands.executeCommand(ask, document.uri, end);
return items.map((item) => String(item.label.label ?? item.label)).sort();
"""
IS_ACTIVE = "return vscode.extensions.getExtension('understudy.understudy').isActive"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, and files that the editor itself finds faults in."""
    folder = copy_demo(tmp_path_factory.mktemp("folder") / "demo")
    return make_folder(folder, FILES)


def test_nothing_starts_before_the_first_use(window: Window) -> None:
    window.open("main.py")
    window.type_at_end("number = 1")
    assert window.run(IS_ACTIVE) is False
    assert servers_of(window) == []
    window.discard_changes()


def test_an_edit_is_judged_without_a_trace(window: Window, folder: Path) -> None:
    before, problems = state_of(folder), window.problems()
    text = window.lint(diff=DEMO_PATCH.read_text(), servers=())
    assert text.startswith("findings: ")
    assert "invoices/totals.py:22:15: error" in text
    assert "invoices/printing.py:17:15: error" in text
    assert len(servers_of(window)) == 1
    assert state_of(folder) == before
    assert window.problems() == problems
    assert window.run("return vscode.workspace.textDocuments.filter((d) => d.isDirty).length") == 0


def test_an_agent_in_the_chat_gets_the_verdict(window: Window) -> None:
    edit = {"kind": "replace", "path": "main.py", "old": "from datetime", "new": "from datetimes"}
    window.ask_agent("understudy_lint", {"edits": [edit], "fresh": True})
    call = window.until("return memory.calls.pop()")
    assert call["text"].startswith("findings: "), call
    answer = window.page.locator(".interactive-session", has_text="findings: ")
    expect(answer).to_be_visible()
    assert n_colours(answer) > 8


def test_a_hundred_lints_leave_everything_as_it_was(window: Window, folder: Path) -> None:
    window.open("settings.json")
    window.open("main.ts")
    # The syntax and the type error of main.ts, and the comma: they come one after the other.
    window.until("return vscode.languages.getDiagnostics().flatMap(([, all]) => all).length === 3")
    before = state_of(folder), window.problems(), window.run(COMPLETIONS)
    for number in range(100):
        edits = [
            {"kind": "write", "path": "main.py", "text": f"x = undefined_{number}\n"},
            {"kind": "write", "path": "main.ts", "text": f"const x: number = {number};\n"},
        ]
        assert f"`undefined_{number}`" in window.lint(edits=edits, fresh=number % 10 == 0)
    assert (state_of(folder), window.problems(), window.run(COMPLETIONS)) == before
