"""Branches outlive what holds them: a killed server, a reloaded window, a second window."""

from __future__ import annotations

import re
from pathlib import Path

import psutil
import pytest

from tests.vscode.driver import StepError
from tests.vscode.editor import Editor
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

BROKEN = {"kind": "replace", "path": "main.py", "old": "text(invoice)", "new": "text(bill)"}
SECONDS_TO_COME_BACK = 180


def rehearse(window: Window) -> str:
    """Lint an edit that breaks `main.py`; the branch that holds it."""
    text = window.lint(edits=[BROKEN], fresh=True)
    assert text.startswith("findings: 1 introduced"), text
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    return found[1]


def assert_still_there(window: Window, branch: str) -> None:
    text = window.lint(branch=branch)
    assert text.startswith("findings: 1 introduced"), text
    assert "`bill`" in text


def test_a_killed_server_comes_back_with_its_branches(window: Window) -> None:
    branch = rehearse(window)
    (server,) = servers_of(window)
    server.kill()
    psutil.wait_procs([server], timeout=SECONDS_TO_COME_BACK)
    assert_still_there(window, branch)
    (successor,) = servers_of(window)
    assert successor.pid != server.pid


def test_the_successor_knows_what_the_user_has_typed(window: Window) -> None:
    window.open("main.py")
    window.type_at_end("typed = 1")
    (server,) = servers_of(window)
    server.kill()
    psutil.wait_procs([server], timeout=SECONDS_TO_COME_BACK)
    edit = {"kind": "replace", "path": "main.py", "old": "typed = 1", "new": "typed = one"}
    assert "Undefined name `one`" in window.lint(edits=[edit], fresh=True)
    window.discard_changes()


def test_a_reloaded_window_has_its_branches(window: Window) -> None:
    branch = rehearse(window)
    before = servers_of(window)
    window.reload()
    assert_still_there(window, branch)
    psutil.wait_procs(before, timeout=SECONDS_TO_COME_BACK)
    assert not any(server.is_running() for server in before)


def test_two_windows_share_branches_and_not_what_is_typed(
    window: Window, editor: Editor, folder: Path
) -> None:
    branch = rehearse(window)
    other = editor.open(folder)
    other.open("main.py")
    other.type_at_end("typed_in_the_other_window = 1")
    assert_still_there(other, branch)
    assert_still_there(window, branch)
    edit = {"kind": "replace", "path": "main.py", "old": "other_window = 1", "new": "one = two"}
    assert "Undefined name `two`" in other.lint(edits=[edit], fresh=True)
    with pytest.raises(StepError, match="no-match"):
        window.lint(edits=[edit], fresh=True)
    other.discard_changes()
    other.close()
    editor.windows.remove(other)
    assert_still_there(window, branch)
