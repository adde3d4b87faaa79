"""What the user has agreed to have recorded holds in every window, and over restarts."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.folders import copy_demo
from tests.vscode.editor import Editor
from tests.vscode.terminal_rows import (
    begin,
    choose_in_menu,
    ended,
    open_terminal,
    row_numbered,
    row_of,
    run_in,
    show_view,
)
from tests.vscode.workbench import Window

RECORD = "Understudy: Record Other Terminals, Too"
LEAVE = "Understudy: Stop Recording Other Terminals"
SERVE = 'echo "before-$1"; until test -e "go-$1"; do sleep 0.1; done; echo "after-$1"'
OFF = re.compile("recording is off")


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    return {
        "security.workspace.trust.enabled": False,
        "terminal.integrated.shellIntegration.enabled": True,
        "terminal.integrated.enablePersistentSessions": True,
        "terminal.integrated.tabs.hideCondition": "never",
    }


@pytest.fixture(scope="module")
def other(editor: Editor, window: Window, tmp_path_factory: pytest.TempPathFactory) -> Window:
    """A second window, on a folder of its own."""
    assert window in editor.windows
    return editor.open(copy_demo(tmp_path_factory.mktemp("folder") / "other"))


@pytest.fixture(scope="module", autouse=True)
def plain(window: Window, other: Window) -> None:
    """A terminal in each window, and the view that lists them."""
    for one in (window, other):
        one.page.bring_to_front()
        open_terminal(one, "plain")
        show_view(one)


def agree(window: Window) -> None:
    window.page.bring_to_front()
    window.choose(RECORD)
    dialog = window.dialog()
    expect(dialog).to_contain_text("Record what other terminals show, too?")
    dialog.get_by_role("button", name="Record Them, Too").click()
    expect(dialog).to_be_hidden()


def logs(editor: Editor) -> dict[Path, str]:
    """Everything that is kept of terminals, of both folders."""
    folders = editor.profile.state.glob("workspaces/*/terminals")
    return {path: path.read_text() for folder in folders for path in folder.glob("*.txt")}


def is_kept(editor: Editor, text: str) -> bool:
    return any(text in log for log in logs(editor).values())


def wait_for(window: Window, path: Path, text: str) -> None:
    """Wait until this is in the file."""
    window.until(
        "const data = await vscode.workspace.fs.readFile(vscode.Uri.file(path));"
        "return data.toString().includes(text)",
        path=str(path),
        text=text,
    )


def test_an_answer_in_another_window_holds_here(
    window: Window, other: Window, editor: Editor
) -> None:
    window.page.bring_to_front()
    run_in(window, "echo unasked; sleep 0.3; true")
    assert not logs(editor)
    agree(other)
    window.page.bring_to_front()
    run_in(window, "echo agreed; sleep 0.3; true")
    row_of(window, "echo agreed; sleep 0.3; true")
    assert not is_kept(editor, "unasked")


@pytest.mark.parametrize("where", ["here", "there"])
def test_a_running_command_is_left_when_consent_is_withdrawn(
    window: Window, other: Window, editor: Editor, folder: Path, where: str
) -> None:
    (folder / "serve.sh").write_text(SERVE)
    command = f"sh serve.sh {where}"
    window.page.bring_to_front()
    begin(window, command)
    row = row_numbered(window, row_of(window, command))
    path = next(path for path, text in logs(editor).items() if command in text)
    wait_for(window, path, f"before-{where}")
    before = set(logs(editor))
    there = window if where == "here" else other
    there.page.bring_to_front()
    there.choose(LEAVE)
    wait_for(window, path, "\nstatus: closed ")
    (folder / f"go-{where}").touch()
    ended(window)
    run_in(window, "echo refused; sleep 0.3; true")
    agree(there)
    window.page.bring_to_front()
    again = f"echo again-{where}; sleep 0.3; true"
    run_in(window, again)
    row_of(window, again)
    assert not is_kept(editor, f"after-{where}"), "not what it printed afterwards"
    assert not is_kept(editor, "refused"), "nor the next command"
    assert len(set(logs(editor)) - before) == 1, "the log of what was agreed to anew"
    assert "the recording was switched off here" in path.read_text()
    expect(row).to_have_attribute("aria-label", re.compile("closed"))


@pytest.mark.parametrize("end", ["", "one.dispose();"], ids=["open", "closed"])
def test_what_waits_for_a_server_is_dropped_when_consent_is_withdrawn(
    window: Window, editor: Editor, end: str
) -> None:
    """The server starts all the while: nothing of it has been sent, and nothing is."""
    name = f"waiting-{bool(end)}"
    window.page.bring_to_front()
    open_terminal(window, name)
    run_in(window, f"echo before-{name}; sleep 0.3; true", name)
    row_of(window, f"echo before-{name}; sleep 0.3; true")
    in_time = window.run(
        "const one = vscode.window.terminals.find((each) => each.name === name);"
        "let starting = true;"
        "const restarted = vscode.commands.executeCommand('understudy.restart')"
        " .then(() => { starting = false; });"
        "const ended = new Promise((done) => {"
        " const heard = vscode.window.onDidEndTerminalShellExecution((event) => {"
        "  if (event.terminal === one) { heard.dispose(); done(); } }); });"
        "one.shellIntegration.executeCommand(`echo dropped-${name}`);"
        "await ended;"
        "const gone = new Promise((done) => {"
        " const heard = vscode.window.onDidCloseTerminal((each) => {"
        "  if (each === one) { heard.dispose(); done(); } }); });"
        f"{end}"
        f"{'await gone;' if end else ''}"
        "await vscode.commands.executeCommand('understudy.terminal.leaveOthers');"
        "const in_time = starting;"
        "await restarted;"
        "return in_time;",
        name=name,
    )
    assert in_time, "the server was there before the consent was taken back"
    agree(window)
    last = f"echo after-{name}; sleep 0.3; true"
    run_in(window, last, "plain")
    row_of(window, last)  # whatever was on its way before is there by now
    assert not is_kept(editor, f"dropped-{name}")
    assert is_kept(editor, last)
    window.run(
        "vscode.window.terminals.find((one) => one.name === name)?.dispose();"
        "vscode.window.terminals.find((one) => one.name === 'plain').show();",
        name=name,
    )
    window.until("return vscode.window.activeTerminal?.name === 'plain'")


def test_a_stop_outlasts_the_server_and_the_window(window: Window, editor: Editor) -> None:
    window.page.bring_to_front()
    run_in(window, "echo first; sleep 0.3; true")
    row = row_numbered(window, row_of(window, "echo first; sleep 0.3; true"))
    window.choose("Understudy: Stop Recording This Terminal")
    expect(row).to_have_attribute("aria-label", OFF)
    window.command("understudy.restart")
    run_in(window, "echo restarted; sleep 0.3; true")
    window.reload()
    window.until("return vscode.window.terminals.find((one) => one.name === 'plain')?.processId")
    show_view(window)
    window.until(
        "return vscode.window.terminals.find((one) => one.name === 'plain')?.shellIntegration"
        " !== undefined"
    )
    run_in(window, "echo reloaded; sleep 0.3; true")
    newest = window.page.locator("[role=treeitem][aria-label^='Terminal ']").first
    expect(newest).to_have_attribute("aria-label", OFF)
    choose_in_menu(window, newest, "Resume Recording This Terminal")
    expect(newest).not_to_have_attribute("aria-label", OFF)
    run_in(window, "echo resumed; sleep 0.3; true")
    row_of(window, "echo resumed; sleep 0.3; true")
    assert not is_kept(editor, "restarted")
    assert not is_kept(editor, "reloaded")


def test_a_stop_holds_for_the_next_task_in_the_terminal(window: Window, editor: Editor) -> None:
    window.run(
        "globalThis.ran = 0;"
        "vscode.tasks.onDidEndTaskProcess(() => { globalThis.ran += 1; });"
        "globalThis.task = async (name, command) => { const one = new vscode.Task("
        " { type: 'shell' }, vscode.TaskScope.Workspace, name, 'test',"
        " new vscode.ShellExecution(command));"
        " one.presentationOptions = { panel: vscode.TaskPanelKind.Shared };"
        " await vscode.tasks.executeTask(one); };"
        "await task('one', 'echo task-one; sleep 0.3');"
    )
    window.until("return globalThis.ran > 0")
    row = row_numbered(window, row_of(window, "echo task-one; sleep 0.3"))
    choose_in_menu(window, row, "Stop Recording This Terminal")
    expect(row).to_have_attribute("aria-label", OFF)
    before = window.run("return vscode.window.terminals.length")
    window.run("await task('two', 'echo task-two; sleep 0.3');")
    window.until("return globalThis.ran > 1")
    assert window.run("return vscode.window.terminals.length") == before
    newest = window.page.locator("[role=treeitem][aria-label^='Terminal ']").first
    expect(newest).to_have_attribute("aria-label", OFF)
    assert not is_kept(editor, "task-two")


def test_a_stop_before_the_first_command(window: Window, editor: Editor) -> None:
    open_terminal(window, "new")
    window.until("return vscode.window.activeTerminal?.name === 'new'")
    window.choose("Understudy: Stop Recording This Terminal")
    row = row_of(window, "(nothing has run yet)")
    expect(row).to_have_attribute("aria-label", OFF)
    run_in(window, "echo never-kept; sleep 0.3; true", "new")
    tab = window.page.locator(".tabs-list .monaco-list-row").filter(has_text="plain").first
    tab.click(button="right")
    for title in ("Stop Recording This Terminal", "Resume Recording This Terminal"):
        item = window.page.locator(".monaco-menu").get_by_role("menuitem", name=title)
        expect(item).to_be_visible()  # another terminal's tab: the one in front says nothing of it
    window.page.keyboard.press("Escape")
    run_in(window, "echo kept; sleep 0.3; true")
    row_of(window, "echo kept; sleep 0.3; true")
    assert not is_kept(editor, "never-kept")


@contextmanager
def unremovable(path: Path) -> Iterator[None]:
    """Let the disk refuse to give a file up; root needs a flag of the file for that."""
    if os.geteuid() == 0:
        refuse, allow = (["chattr", sign, str(path)] for sign in ("+i", "-i"))
    else:
        refuse, allow = (["chmod", mode, str(path.parent)] for mode in ("500", "700"))
    subprocess.run(refuse, check=True)
    try:
        yield
    finally:
        subprocess.run(allow, check=True)


def test_a_no_that_the_disk_does_not_take_holds_in_this_window(
    window: Window, editor: Editor
) -> None:
    (answer,) = editor.profile.folder.glob("data/**/other-terminals.json")
    kept = answer.read_text()
    with unremovable(answer):
        window.page.bring_to_front()
        window.choose(LEAVE)
        window.notification("other windows, and this one once it is reloaded, may go on")
        assert answer.read_text() == kept
        run_in(window, "echo not-kept; sleep 0.3; true")
    window.command("notifications.clearAll")
    agree(window)
    run_in(window, "echo kept-again; sleep 0.3; true")
    row_of(window, "echo kept-again; sleep 0.3; true")
    assert not is_kept(editor, "not-kept")


def test_a_recorded_shell_is_stopped_without_the_other_consent(
    window: Window, editor: Editor
) -> None:
    """Also by a reloaded window, which no longer knows how its terminals were opened."""
    window.command("understudy.terminal.leaveOthers")
    window.choose("Understudy: New Recorded Terminal")
    window.dialog().get_by_role("button", name="Record", exact=True).click()
    window.until(
        "return vscode.window.activeTerminal?.name === 'Understudy Shell' &&"
        " vscode.window.activeTerminal.shellIntegration !== undefined"
    )
    run_in(window, "echo by-recorder; sleep 0.3; true", "Understudy Shell")
    row = row_numbered(window, row_of(window, "echo by-recorder; sleep 0.3; true"))
    window.reload()
    shell = "vscode.window.terminals.find((one) => one.name === 'Understudy Shell')"
    window.until(f"return {shell}?.shellIntegration !== undefined")
    show_view(window)
    window.run(f"{shell}.show(true)")  # a focus that comes late would close the palette
    window.until(f"return vscode.window.activeTerminal === {shell}")
    window.choose("Understudy: Stop Recording This Terminal")
    expect(row).to_have_attribute("aria-label", OFF)
    run_in(window, "echo stopped; sleep 0.3; true", "Understudy Shell")
    assert not is_kept(editor, "stopped")
