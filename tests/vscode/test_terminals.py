"""Recorded terminals in the editor: quick commands complete, logs opened, followed and listed."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.vscode.driver import SECONDS
from tests.vscode.editor import Editor
from tests.vscode.pictures import n_colours
from tests.vscode.terminal_rows import (
    begin,
    choose_in_menu,
    open_terminal,
    row_numbered,
    row_of,
    run_in,
    show_view,
)
from tests.vscode.workbench import Window

N_COMMANDS = 40
CLIPBOARD = "return (await vscode.env.clipboard.readText()).includes('exit 4') && "
CLIPBOARD += "vscode.env.clipboard.readText()"


@pytest.fixture(scope="module")
def settings() -> Mapping[str, Any]:
    return {
        "security.workspace.trust.enabled": False,
        "terminal.integrated.shellIntegration.enabled": True,
    }


def log_of(editor: Editor) -> Path:
    (folder,) = editor.profile.state.glob("workspaces/*/terminals")
    return folder / "1.txt"


def commands(editor: Editor, at_least: int) -> list[dict[str, Any]]:
    """The records, once so many are written: the log may lag behind what the editor has heard."""
    file, end = log_of(editor).with_suffix(".cmds.jsonl"), time.monotonic() + SECONDS
    while (text := file.read_text()).count("\n") < at_least:
        assert time.monotonic() < end, text
        os.sched_yield()
    return [json.loads(line) for line in text.splitlines()]


def logs_of(editor: Editor, grade: str) -> list[Path]:
    """The logs whose header has this grade now."""
    texts = {path: path.read_text() for path in log_of(editor).parent.glob("*.txt")}
    return [path for path, text in texts.items() if f"\ncapture: {grade} " in text]


@pytest.fixture(scope="module")
def bare(window: Window) -> str:
    """The name of a terminal without shell integration, opened first: it is given time to begin."""
    step = "vscode.window.createTerminal({ name: 'bare', shellPath: '/bin/sh' })"
    window.run(f"await {step}.processId")
    return "bare"


@pytest.mark.usefixtures("bare")
def test_a_terminal_is_recorded_once_the_user_agrees(window: Window, editor: Editor) -> None:
    window.choose("Understudy: New Recorded Terminal")
    dialog = window.dialog()
    expect(dialog).to_contain_text("Record what Understudy Shells show?")
    dialog.get_by_role("button", name="Record", exact=True).click()
    # Of other terminals it is asked apart, and no is an answer.
    expect(dialog).to_contain_text("Record what other terminals show, too?")
    dialog.get_by_role("button", name="Cancel", exact=True).click()
    expect(dialog).to_be_hidden()
    offer = window.notification("Open every new terminal as an Understudy Shell")
    offer.hover()
    offer.get_by_role("button", name="Make It the Default").click()
    window.until(
        "return vscode.workspace.getConfiguration('terminal.integrated.defaultProfile')"
        ".get('linux') === 'Understudy Shell'"
    )
    # The editor's own integration works in it: it knows the folder and when commands end.
    window.until(
        "const own = vscode.window.terminals.find((one) => one.name === 'Understudy Shell');"
        "return own?.shellIntegration?.cwd?.fsPath"
    )
    assert log_of(editor).exists()


def test_forty_quick_commands(window: Window, editor: Editor) -> None:
    window.run(
        "const own = vscode.window.terminals.find((one) => one.name === 'Understudy Shell');"
        "globalThis.ended = 0;"
        "vscode.window.onDidEndTerminalShellExecution(() => { globalThis.ended += 1; });"
        "own.show();"
    )
    for number in range(N_COMMANDS):
        window.run(
            "vscode.window.terminals.find((one) => one.name === 'Understudy Shell').sendText(text)",
            text=f"echo n{number}",
        )
        window.until("return globalThis.ended > number", number=number)
    found = commands(editor, N_COMMANDS)[:N_COMMANDS]
    data = log_of(editor).read_bytes()
    shown = [data[e["offset"] : e["end"]].decode().splitlines()[1:-1] for e in found]
    assert shown == [[f"n{number}"] for number in range(N_COMMANDS)]
    assert all(entry["complete"] and entry["exit_code"] == 0 for entry in found)


def test_why_a_command_failed(window: Window, editor: Editor) -> None:
    window.run(
        "vscode.window.terminals.find((one) => one.name === 'Understudy Shell').sendText(text)",
        text="sh -c 'echo main.py:3:1: the reason; exit 4'",
    )
    window.until("return globalThis.ended > number", number=N_COMMANDS)
    window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.choose("Understudy: Copy Why the Last Command Failed")
    text = window.until(CLIPBOARD)
    failed = commands(editor, N_COMMANDS + 1)[-1]
    assert text.startswith("exit 4: sh -c 'echo main.py:3:1: the reason; exit 4'\n")
    assert f"{log_of(editor)}:{failed['line']}" in text
    exact = log_of(editor).read_bytes()[failed["offset"] : failed["end"]].decode()
    assert text.endswith(exact)


def test_the_log_opens_and_follows(window: Window, editor: Editor) -> None:
    window.choose("Understudy: Open This Terminal's Log")
    expect(window.page.locator(".tab.active", has_text="1.txt")).to_be_visible()
    language = "return vscode.window.activeTextEditor?.document.languageId === 'terminal-log'"
    window.until(language)
    symbols = window.until(
        "const uri = vscode.window.activeTextEditor.document.uri;"
        "const found = await vscode.commands.executeCommand("
        "'vscode.executeDocumentSymbolProvider', uri);"
        "return found?.length > 40 && found.map((one) => [one.name, one.detail])"
    )
    assert symbols[0][0] == "echo n0"
    assert symbols[N_COMMANDS][1].startswith("exit 4 - ")
    window.run(
        "vscode.window.terminals.find((one) => one.name === 'Understudy Shell').sendText(text)",
        text="echo followed",
    )
    end = (
        "const editor = vscode.window.activeTextEditor;"
        "const text = editor.document.getText();"
        "const last = editor.document.lineCount - 1;"
        "return text.includes('\\nfollowed\\n') && text.trimEnd().length > 0 &&"
        " editor.visibleRanges.at(-1).end.line >= last - 1"
    )
    window.until(end)
    assert n_colours(window.page.locator(".editor-instance").first) > 8


def test_next_failed(window: Window) -> None:
    window.run(
        "const editor = vscode.window.activeTextEditor;"
        "editor.selection = new vscode.Selection(0, 0, 0, 0);"
    )
    window.choose("Understudy: Go to the Next Failed Command of a Terminal")
    window.until(
        "const editor = vscode.window.activeTextEditor;"
        "return editor.document.lineAt(editor.selection.active.line).text"
        ".includes('the reason; exit 4')"
    )


def test_the_side_bar_lists_terminals(window: Window, editor: Editor) -> None:
    window.command("workbench.action.closeAllEditors")
    show_view(window)
    window.page.wait_for_function("document.activeElement?.closest('.monaco-list') != null")
    row = row_of(window, "echo followed")
    expect(row).to_have_attribute("aria-label", re.compile("^Terminal 1,.*, idle, exit 0 · full$"))
    assert n_colours(row) > 4
    # It follows what the terminal does.
    send = "vscode.window.terminals.find((one) => one.name === 'Understudy Shell')"
    window.run(f"{send}.sendText('cat; false')")
    row = row_of(window, "cat; false")
    expect(row).to_have_attribute("aria-label", re.compile(", running · full$"))
    window.run(f"{send}.sendText('\\u0004', false)")
    expect(row).to_have_attribute("aria-label", re.compile(", idle, exit 1 · full$"))
    row.hover()
    row.get_by_role("button", name="Copy Why the Last Command Failed").click()
    window.until("return (await vscode.env.clipboard.readText()).startsWith('exit 1: cat; false')")
    row.click()
    expect(window.page.locator(".tab.active", has_text="1.txt")).to_be_visible()
    window.until(
        "return vscode.window.activeTextEditor?.document.uri.fsPath === path",
        path=str(log_of(editor)),
    )


@pytest.mark.usefixtures("bare")
def test_the_menu_of_a_terminal_opens_its_log(window: Window, editor: Editor) -> None:
    window.command("workbench.action.closeAllEditors")
    window.run("vscode.window.terminals.find((one) => one.name === 'Understudy Shell').show()")
    window.page.locator(".terminal-wrapper.active .xterm-screen").first.click(button="right")
    menu = window.page.locator(".monaco-menu")
    menu.get_by_role("menuitem", name="Open This Terminal's Log").hover()
    expect(menu.locator(".action-item.focused")).to_have_text("Open This Terminal's Log")
    window.page.keyboard.press("Enter")  # a click at once is taken for the end of the one before
    expect(window.page.locator(".tab.active", has_text="1.txt")).to_be_visible()
    window.until(
        "return vscode.window.activeTextEditor?.document.uri.fsPath === path",
        path=str(log_of(editor)),
    )


def test_another_terminal_is_not_recorded_before_the_user_agrees(
    window: Window, editor: Editor
) -> None:
    open_terminal(window, "plain")
    run_in(window, "echo before-consent; sleep 0.3; true")
    assert [log.name for log in log_of(editor).parent.glob("*.txt")] == ["1.txt"]
    window.choose("Understudy: Record Other Terminals, Too")
    dialog = window.dialog()
    expect(dialog).to_contain_text("Record what other terminals show, too?")
    dialog.get_by_role("button", name="Record Them, Too").click()
    expect(dialog).to_be_hidden()
    run_in(window, "echo agreed; sleep 0.3; true")
    row_of(window, "echo agreed; sleep 0.3; true")
    logs = (log.read_text() for log in log_of(editor).parent.glob("*.txt"))
    assert not any("before-consent" in text for text in logs)


def test_a_row_stops_and_resumes_the_recording(window: Window, editor: Editor) -> None:
    first = row_of(window, "echo agreed; sleep 0.3; true")
    row = row_numbered(window, first)
    choose_in_menu(window, row, "Stop Recording This Terminal")
    expect(row).to_have_attribute("aria-label", re.compile("recording is off"))
    run_in(window, "echo not-for-agents; sleep 0.3; true")
    choose_in_menu(window, row, "Resume Recording This Terminal")
    expect(row).not_to_have_attribute("aria-label", re.compile("recording is off"))
    run_in(window, "echo back; sleep 0.3; true")
    row_of(window, "echo back; sleep 0.3; true")
    (log,) = logs_of(editor, "commands")
    assert "not-for-agents" not in log.read_text()
    assert "the recording was switched off here" in log.read_text()


def test_another_terminal_is_told_of_by_the_editor(window: Window, editor: Editor) -> None:
    begin(window, "echo plain; sleep 0.3; false")
    row = row_of(window, "echo plain; sleep 0.3; false")
    expect(row).to_have_attribute("aria-label", re.compile("idle, exit 1 · commands$"))
    (log,) = logs_of(editor, "commands")
    entry = json.loads(log.with_suffix(".cmds.jsonl").read_text().splitlines()[-1])
    assert (entry["exit_code"], entry["complete"]) == (1, False)
    lines = log.read_bytes()[entry["offset"] : entry["end"]].decode().splitlines()[1:-1]
    # The editor may lose the output; then the log says so.
    assert lines in (["plain"], ["#|   output: not captured (the editor delivered none)"])


def test_a_terminal_that_nothing_tells_of_has_a_header_with_the_reason(
    window: Window, editor: Editor, bare: str
) -> None:
    step = "vscode.window.terminals.find((one) => one.name === name)"
    pid = window.run(f"return {step}.processId", name=bare)
    row = row_of(window, "sh")
    expect(row).to_have_attribute("aria-label", re.compile("open · none$"))
    (log,) = logs_of(editor, "none")
    text = log.read_text()
    assert len(text) == 1024  # the header, and nothing else
    assert f"\npid: {pid} " in text
    assert '\ncapture: none reason="the editor has no shell integration in it"' in text
    assert log.with_suffix(".cmds.jsonl").read_text() == ""
    row.click()
    expect(window.page.locator(".tab.active", has_text=log.name)).to_be_visible()
    window.run(f"{step}.sendText('exit')", name=bare)
    expect(row_of(window, "sh")).to_have_attribute("aria-label", re.compile("closed · none$"))


def test_a_command_that_begins_while_the_server_starts_is_kept(window: Window) -> None:
    window.run(
        "const restarted = vscode.commands.executeCommand('understudy.restart');"
        "const plain = vscode.window.terminals.find((one) => one.name === 'plain');"
        "plain.shellIntegration.executeCommand('echo meanwhile; sleep 0.3; true');"
        "await restarted;"
    )
    row = row_of(window, "echo meanwhile; sleep 0.3; true")
    expect(row).to_have_attribute("aria-label", re.compile("idle, exit 0 · commands$"))


def test_tasks_debug_sessions_and_hidden_terminals_are_told_of(
    window: Window, editor: Editor
) -> None:
    window.run(
        "globalThis.ran = 0;"
        "vscode.tasks.onDidEndTaskProcess(() => { globalThis.ran += 1; });"
        "globalThis.task = (type, name, what) => vscode.tasks.executeTask("
        " new vscode.Task({ type }, vscode.TaskScope.Workspace, name, 'test', what));"
        "await task('shell', 'mine', new vscode.ShellExecution('echo from-a-task; exit 3'));"
    )
    window.until("return globalThis.ran > 0")
    expect(row_of(window, "echo from-a-task; exit 3")).to_have_attribute(
        "aria-label", re.compile("idle, exit 3 · commands$")
    )
    window.run(
        "await task('process', 'other', new vscode.ProcessExecution('/bin/echo', ['by-itself']));"
    )
    window.until("return globalThis.ran > 1")
    window.run(
        "globalThis.hidden = vscode.window.createTerminal("
        " { name: 'hidden', shellPath: '/bin/bash', hideFromUser: true });"
    )
    window.until("return globalThis.hidden.shellIntegration !== undefined")
    window.run(
        "globalThis.hidden.shellIntegration.executeCommand('echo hidden; sleep 0.3; true');"
        "await vscode.debug.startDebugging(undefined,"
        " { type: 'node-terminal', request: 'launch', name: 'debug', command: 'echo debugged' });"
    )
    for command in ("echo hidden; sleep 0.3; true", "echo debugged"):
        expect(row_of(window, command)).to_have_attribute(
            "aria-label", re.compile("exit 0 · commands$")
        )
    # The process took the task's terminal over, whose log is closed, not running for ever.
    (log,) = (log for log in logs_of(editor, "commands") if "echo from-a-task" in log.read_text())
    window.until(
        "const text = await vscode.workspace.fs.readFile(vscode.Uri.file(path));"
        "return text.toString().includes('\\nstatus: closed ');",
        path=str(log),
    )
