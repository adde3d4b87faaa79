"""Recorded terminals in the editor: each quick command complete, its log open, why it failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.vscode.editor import Editor
from tests.vscode.pictures import n_colours
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


def commands(editor: Editor) -> list[dict[str, Any]]:
    lines = log_of(editor).with_suffix(".cmds.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_terminal_is_recorded_once_the_user_agrees(window: Window, editor: Editor) -> None:
    window.choose("Understudy: New Recorded Terminal")
    dialog = window.dialog()
    expect(dialog).to_contain_text("Record what Understudy Shells show?")
    dialog.get_by_role("button", name="Record", exact=True).click()
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
    found = commands(editor)[:N_COMMANDS]
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
    failed = commands(editor)[-1]
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


def test_another_terminal_is_told_of_by_the_editor(window: Window, editor: Editor) -> None:
    window.run(
        "globalThis.plain = vscode.window.createTerminal({name: 'plain', shellPath: '/bin/bash'});"
        "globalThis.plain.show();"
    )
    window.until("return globalThis.plain.shellIntegration !== undefined")
    window.run("globalThis.plain.shellIntegration.executeCommand('echo plain; sleep 0.3; false')")
    log = log_of(editor).with_name("2.txt")
    index = log.with_suffix(".cmds.jsonl")
    window.until(
        "const file = vscode.Uri.file(path);"
        "return (await vscode.workspace.fs.readFile(file).then(String, () => '')).endsWith('\\n')",
        path=str(index),
    )
    entry = json.loads(index.read_text().splitlines()[0])
    assert (entry["exit_code"], entry["complete"]) == (1, False)
    assert "capture: commands" in log.read_text()
    lines = log.read_bytes()[entry["offset"] : entry["end"]].decode().splitlines()[1:-1]
    # The editor may lose the output; then the log says so.
    assert lines in (["plain"], ["#|   output: not captured (the editor delivered none)"])
