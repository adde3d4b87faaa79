"""An agent rehearses in a terminal of the editor: seen, followed, told, taken from, stopped."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.folders import make_folder
from tests.support.servers import environment
from tests.vscode.branch_view import BranchView
from tests.vscode.conftest import TRUSTED
from tests.vscode.editor import Editor
from tests.vscode.workbench import Window

pytestmark = pytest.mark.ring
AGENTS = """
[toy]
title = "Toy Agent"
binary = "toy-agent"
files = []

[toy.rehearsal]
sets = { TOY = "agreed" }
"""
AGENT = """#!/bin/sh
test -t 0 && test -t 1 && echo "began = '$TOY'" > began.py
while read -r line; do eval "$line"; done
"""
OURS = "PYTHONPATH={libraries} python3 -S -m understudy"
CHECK = f"{OURS} check --server ruff > said.txt"
SERVER = """
import http.server, pathlib
server = http.server.HTTPServer(("127.0.0.1", 8000), http.server.SimpleHTTPRequestHandler)
pathlib.Path("index.html").write_text("<h1>Made in a branch</h1>")  # it listens by now
server.serve_forever()
"""


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """Only linters judge, so that no test waits for type checkers."""
    return {**TRUSTED, "understudy.disabledGroups": ["types"]}


@pytest.fixture(scope="module")
def search_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """With the program of an agent."""
    program = make_folder(tmp_path_factory.mktemp("of") / "bin", {"toy-agent": AGENT}) / "toy-agent"
    program.chmod(0o755)
    return f"{program.parent}{os.pathsep}{environment()['PATH']}"


class Agent:
    """The agent, by what is typed into its terminal."""

    def __init__(self, window: Window) -> None:
        self._window = window

    def __call__(self, line: str) -> None:
        """Type a line."""
        step = "vscode.window.terminals.find((one) => one.name === 'mend the fees').sendText(line)"
        self._window.until(
            "return vscode.window.terminals.some((one) => one.name === 'mend the fees')"
        )
        self._window.run(step, line=line)


@pytest.fixture(scope="module")
def view(window: Window) -> BranchView:
    return BranchView(window)


@pytest.fixture(scope="module")
def agent(window: Window) -> Agent:
    return Agent(window)


def libraries(window: Window) -> str:
    """Where the extension has the server, for a shell."""
    step = "return vscode.extensions.getExtension('understudy.understudy').extensionPath"
    return f"'{window.run(step)}/bundled/libs'"


def button(row: Locator, name: str) -> Locator:
    """A button that a row shows under the pointer."""
    row.hover()
    return row.get_by_role("button", name=name, exact=True)


def test_an_agent_works_beside_its_user(
    editor: Editor, window: Window, folder: Path, view: BranchView, agent: Agent
) -> None:
    make_folder(editor.profile.folder / "config" / "understudy", {"agents.toml": AGENTS})
    page = window.page
    before = (folder / "main.py").read_text()

    # It is started from the view, and asks in its terminal what its preset opens.
    page.get_by_role("button", name="Rehearse an Agent Here…").first.click()
    window.pick("Toy Agent")
    entry = page.locator(".quick-input-widget input[type=text]")
    expect(entry).to_have_attribute("aria-label", "Rehearse Toy Agent")
    entry.fill("mend the fees")
    entry.press("Enter")
    agent("y")
    row = view.branch("b1")
    expect(row).to_have_attribute("aria-label", re.compile("mend the fees.*toy-agent is at work"))
    expect(view.file("b1", "began.py")).to_be_visible()  # it is on a terminal

    # What it writes is judged in the tree, and an open diff follows it.
    agent("sed -i 's/invoice_text(invoice)/invoice_text(bill)/' main.py")
    expect(row).to_have_attribute("aria-label", re.compile("introduces 1 error"))
    view.file("b1", "main.py").click()
    shown = page.locator(".monaco-diff-editor .modified .view-line")
    expect(shown.filter(has_text="invoice_text(bill)")).to_be_visible()
    agent("sed -i 's/fee when late/fee if late/' main.py")
    expect(shown.filter(has_text="fee if late")).to_be_visible()
    assert (folder / "main.py").read_text() == before


def test_it_hears_what_it_breaks_with_its_next_call(
    window: Window, view: BranchView, agent: Agent
) -> None:
    row, shown = view.branch("b1"), window.page.locator(".monaco-diff-editor .modified .view-line")
    expect(row).to_have_attribute("aria-label", re.compile("introduces 1 error"))
    window.choose("Understudy: Send Findings to the Agent")
    window.pick("mend the fees")
    window.notification("Sent the findings of 1 line: the agent in b1 hears them")
    agent(CHECK.format(libraries=libraries(window)))
    view.file("b1", "said.txt").click()
    expect(shown.filter(has_text="The user has looked at your edits")).to_be_visible()
    expect(shown.filter(has_text="your edits introduce: Undefined name")).to_be_visible()
    agent(
        "git checkout -q main.py 2>/dev/null || sed -i 's/(bill)/(invoice)/' main.py; rm said.txt"
    )
    expect(row).to_have_attribute("aria-label", re.compile("clean"))


def test_what_it_has_written_is_taken_and_it_is_stopped(
    window: Window, folder: Path, view: BranchView, agent: Agent
) -> None:
    page, row = window.page, view.branch("b1")
    # What runs something is apart from all others, and not ticked.
    agent("echo './evil' > .envrc")
    expect(view.file("b1", ".envrc")).to_have_attribute("aria-label", re.compile("runs something"))
    window.command("workbench.action.closeAllEditors")
    view.press(row, "accept")
    choice = page.locator(".quick-input-list")
    others, apart = re.compile("^All others: 2 files, began.py, main.py"), re.compile("direnv runs")
    expect(choice.get_by_role("checkbox", name=others)).to_be_checked()
    expect(choice.get_by_role("checkbox", name=apart)).not_to_be_checked()
    page.locator(".quick-input-widget .monaco-button", has_text="OK").click()
    window.dialog().get_by_role("button", name="Accept", exact=True).click()  # a new file
    window.notification("Accepted 2 files of b1. Left in b1: 1 file.")
    assert not (folder / ".envrc").exists()
    assert "fee if late" in window.text("main.py")

    # Stopped, it is gone, and what it has written is still there.
    button(row, "Stop the Agent").click()
    window.notification("toy-agent has ended: b1 holds 1 file")
    expect(row).not_to_have_attribute("aria-label", re.compile("is at work"))
    window.until("return vscode.window.terminals.every((one) => one.name !== 'mend the fees')")
    page.mouse.move(700, 200)  # a row's own hover is not to lie over the next row
    view.press(view.file("b1", ".envrc"), "acceptFile")
    expect(window.dialog()).to_contain_text(".envrc: direnv runs it")
    window.dialog().get_by_role("button", name="Cancel").click()
    assert not (folder / ".envrc").exists()


def test_what_it_serves_is_opened_in_the_browser_and_asked_once(
    window: Window, folder: Path, view: BranchView
) -> None:
    page, ours = window.page, OURS.format(libraries=libraries(window))
    line = f"{ours} rehearse --publish auto -- python3 -c {shlex.quote(SERVER)}"
    window.run(
        "const one = vscode.window.createTerminal({name: 'serves', cwd}); one.sendText(line)",
        cwd=str(folder), line=line,
    )  # fmt: skip
    row = view.branch("b3")
    expect(row).to_have_attribute("aria-label", re.compile("python3 is at work"))
    expect(view.file("b3", "index.html")).to_be_visible()

    opens = "Open in Browser"
    button(row, opens).click()
    asked = window.dialog()
    expect(asked).to_contain_text(re.compile(r"Open http://b3\.localhost:\d+/\?"))
    asked.get_by_role("button", name="Cancel").click()
    button(row, opens).click()
    agreed = window.dialog().get_by_role("button", name="Open", exact=True)
    for is_asked in (True, False):
        with page.context.expect_page() as opened:
            (agreed if is_asked else button(row, opens)).click()
        shown = opened.value
        expect(shown.get_by_role("heading", name="Made in a branch")).to_be_visible()
        assert re.fullmatch(r"http://b3\.localhost:\d+/", shown.url)
        shown.close()
    assert not (folder / "index.html").exists()

    button(row, "Stop the Agent").click()
    expect(row).not_to_have_attribute("aria-label", re.compile("is at work"))
    row.hover()
    expect(row.get_by_role("button", name=opens)).to_have_count(0)
