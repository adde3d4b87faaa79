"""A folder that the user does not trust: nothing it names is executed until trust is given."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.folders import make_folder
from tests.vscode.driver import StepError
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

MARK = "ran"
EDIT = {"kind": "write", "path": "main.py", "text": "number = undefined\n"}


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    """The editor asks before it trusts a folder, as it does out of the box."""
    return {"security.workspace.trust.startupPrompt": "always"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose settings name an interpreter and a server of its own."""
    folder = make_folder(
        tmp_path_factory.mktemp("folder") / "stranger",
        {
            "main.py": "number = 1\n",
            ".vscode/settings.json": json.dumps(
                {"understudy.interpreter": "${workspaceFolder}/python"}
            ),
        },
    )
    program = folder / "python"
    program.write_text(f'#!/bin/sh\ntouch "$(dirname "$0")/{MARK}"\n')
    program.chmod(0o755)
    return folder


def answer_trust(window: Window, button: str) -> None:
    window.dialog().locator(".monaco-button", has_text=button).click()
    expect(window.page.locator(".monaco-dialog-box")).to_be_hidden()


def run_with_consent(window: Window) -> str:
    """What an agent hears of a command that it wants to run, and the user agrees to."""
    window.run(_RUN)
    asked = window.dialog().inner_text()
    assert re.search(r"private copy of .*is not run\.\s+true\b", asked, re.DOTALL), asked
    yes = window.page.locator(".monaco-dialog-box .monaco-button", has_text="Yes")
    yes.click()
    return window.until("return memory.ran.text")


def test_an_untrusted_folder_has_nothing_executed(window: Window, folder: Path) -> None:
    answer_trust(window, "No, I don't trust")
    assert window.lint(edits=[EDIT]).startswith("findings: 1 introduced")
    assert not (folder / MARK).exists()
    assert len(servers_of(window)) == 1
    with pytest.raises(StepError, match="untrusted: programs run in trusted folders only"):
        window.call_tool("understudy_run", command=["true"])  # nobody is asked


def test_trust_that_is_given_later_counts(window: Window, folder: Path) -> None:
    window.command("workbench.trust.manage")
    window.page.locator(".workspace-trust-editor .monaco-button", has_text="Trust").first.click()
    window.until("return vscode.workspace.isTrusted")
    assert run_with_consent(window).startswith("exit 0;")
    assert window.lint(edits=[EDIT]).startswith("findings: 1 introduced")
    assert (folder / MARK).exists()


_RUN = """
const asked = { input: { command: ["true"] }, toolInvocationToken: undefined };
memory.ran = {};
vscode.lm.invokeTool("understudy_run", asked).then(
  (answer) => { memory.ran.text = answer.content.map((part) => part.value).join(""); },
  (error) => { memory.ran.text = String(error); },
);
"""
