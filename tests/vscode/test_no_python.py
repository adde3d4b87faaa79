"""A machine without Python: the user is told what was found, what is needed, and can choose."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.vscode.driver import StepError
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

SET = "await vscode.workspace.getConfiguration('understudy').update('interpreter', value, true)"


@pytest.fixture(scope="module")
def search_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A login shell that finds no Python, only one that is too old and one that is none."""
    folder = tmp_path_factory.mktemp("programs")
    old = json.dumps(["/opt/python3.9/bin/python3", [3, 9, 18]])
    for name, answer in (("python3", old), ("python", "I am a snake")):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{answer}'\n")
        program.chmod(0o755)
    return str(folder)


def refusal(window: Window) -> str:
    """What an agent is told."""
    with pytest.raises(StepError) as refused:
        window.lint(edits=[])
    return str(refused.value)


def test_it_is_told_once_whatever_was_asked_for(window: Window) -> None:
    window.open("main.py")
    window.command("understudy.tryLint")
    expect(window.notification("python3: is Python 3.9.18")).to_be_visible()
    window.run("void vscode.window.showInformationMessage('drawn after all of them')")
    expect(window.notification("drawn after all of them")).to_be_visible()
    toasts = window.page.locator(".notification-toast", has_text="python3: is Python 3.9.18")
    expect(toasts).to_have_count(1)
    expect(toasts.locator(".monaco-button", has_text="Choose")).to_be_visible()


def test_what_was_found_and_what_is_needed(window: Window) -> None:
    for text in (refusal(window), window.notification("Understudy").inner_text()):
        assert "3.10" in text
        assert "python3: is Python 3.9.18" in text
        assert "python: does not answer as a Python does" in text
    assert servers_of(window) == []


def test_the_message_offers_what_helps(window: Window) -> None:
    buttons = window.notification("Understudy").locator(".monaco-button")
    expect(buttons.filter(has_text="Choose")).to_be_visible()
    expect(buttons.filter(has_text="Settings")).to_be_visible()
    expect(buttons.filter(has_text="Log")).to_be_visible()


def test_a_chosen_python_works_at_once(window: Window, tmp_path: Path) -> None:
    window.run(SET, value=str(tmp_path / "nowhere"))
    assert f"{tmp_path}/nowhere: not found" in refusal(window)
    window.run(SET, value=sys.executable)
    text = window.lint(edits=[{"kind": "write", "path": "new.py", "text": "x = undefined\n"}])
    assert "new.py" in text
    assert len(servers_of(window)) == 1
