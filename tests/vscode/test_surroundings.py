"""Settings without a reload, what a bug report quotes, MCP, a restart by the user."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import expect

from tests.vscode.driver import SECONDS
from tests.vscode.editor import Editor
from tests.vscode.processes import servers_of
from tests.vscode.workbench import Window

BROKEN = {"kind": "replace", "path": "main.py", "old": "text(invoice)", "new": "text(bill)"}
TOOLS_OVER_MCP = """
return vscode.lm.tools.map(({ name }) => name).filter((name) => /^mcp_.*understudy/.test(name));
"""
# A start that is asked for before the provider was heard starts nothing, and says nothing.
START_MCP = """
await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
"""


def set_(window: Window, name: str, value: Any) -> None:
    """None takes the setting away."""
    ours = "vscode.workspace.getConfiguration('understudy')"
    window.run(f"await {ours}.update(name, value ?? undefined, true)", name=name, value=value)


def by_all(window: Window) -> str:
    """The answer of the servers that the settings leave."""
    return window.lint(edits=[BROKEN], fresh=True, servers=[])


def restart(window: Window) -> None:
    """By the user's command; the server from before is gone at the end."""
    (before,) = servers_of(window)
    window.choose("Understudy: Restart the Server")
    psutil.wait_procs([before], timeout=SECONDS)
    assert not before.is_running()


def listed(window: Window) -> set[str]:
    """Our commands in the palette."""
    window.page.keyboard.press("F1")
    entry = window.page.locator(".quick-input-widget input[type=text]")
    entry.fill(">Understudy: ")
    rows = window.page.locator(".quick-input-list .monaco-list-row", has_text="Understudy: ")
    expect(rows.first).to_be_visible()
    found = set(rows.locator(".label-name").all_inner_texts())
    window.page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    return found


def test_few_commands_are_in_the_palette_before_there_is_a_branch(window: Window) -> None:
    window.open("main.py")
    first = listed(window)
    assert "Understudy: Restart the Server" in first
    assert len(first) <= 10, first
    assert window.lint(edits=[BROKEN]).startswith("findings")
    accept = "Understudy: Accept Branch"
    window.page.keyboard.press("F1")
    window.page.locator(".quick-input-widget input[type=text]").fill(">" + accept)
    expect(
        window.page.locator(".quick-input-list .monaco-list-row", has_text=accept)
    ).to_be_visible()
    window.page.keyboard.press("Escape")


def test_twelve_settings_are_shown_and_an_old_one_where_it_is_set(window: Window) -> None:
    ours = "vscode.workspace.getConfiguration('understudy')"
    for days, shown in ((None, 12), (3, 13), (None, 12)):
        window.run(f"await {ours}.update('branchDays', days ?? undefined, false)", days=days)
        wanted = {"query": "@ext:understudy.understudy"}
        window.command("workbench.action.openWorkspaceSettings", wanted)
        count = window.page.locator(".settings-count-widget")
        expect(count).to_have_text(f"{shown} Settings Found")
        window.page.keyboard.press("Escape")
        expect(count).to_be_hidden()


def test_an_entry_of_the_advanced_table_reaches_the_running_server(window: Window) -> None:
    set_(window, "advanced", {"disabledGroups": ["types", "lint"]})
    assert by_all(window).startswith("UNKNOWN")
    set_(window, "advanced", {"disabledGroups": ["types"]})
    assert by_all(window).startswith("findings")
    set_(window, "advanced", None)


def test_changed_settings_reach_the_running_server(window: Window) -> None:
    assert window.lint(edits=[BROKEN], fresh=True).startswith("findings")
    before = [server.pid for server in servers_of(window)]
    set_(window, "disabledGroups", ["types", "lint"])
    assert by_all(window).startswith("UNKNOWN")
    set_(window, "disabledGroups", ["types"])
    assert by_all(window).startswith("findings")
    set_(window, "disabledGroups", None)
    assert [server.pid for server in servers_of(window)] == before


def test_a_default_does_not_go_over_the_folders_own_settings(window: Window, folder: Path) -> None:
    (folder / "understudy.toml").write_text('disabled_groups = ["types", "lint"]\n')
    try:
        restart(window)
        assert by_all(window).startswith("UNKNOWN")
    finally:
        (folder / "understudy.toml").unlink()
    restart(window)
    assert window.lint(edits=[BROKEN], fresh=True).startswith("findings")


def test_the_doctor_shows_a_page(window: Window, folder: Path) -> None:
    set_(window, "disabledGroups", ["types"])  # ruff answers soon, on a busy machine too
    window.choose("Understudy: Show What Works Here")
    expect(window.page.locator(".tab.active", has_text="Understudy in")).to_be_visible()
    page = window.page.frame_locator("iframe.webview").frame_locator("iframe")
    expect(page.locator(".summary")).to_contain_text(re.compile("ruff.*; commands can be run"))
    expect(page.locator("dl.ok dt", has_text="ruff")).to_be_visible()
    off = page.locator("details", has_text="the settings turn its group off (types)")
    expect(off).to_have_count(1)
    expect(off.locator("dl")).to_be_hidden()  # what does not concern the folder is folded
    off.locator("summary").click()
    expect(off.locator("dl")).to_be_visible()
    page.get_by_role("link", name="Open as Text").click()
    # The tab is shown before the extension host hears which editor is the active one.
    text = window.until(
        """
        const text = vscode.window.activeTextEditor?.document.getText();
        return text?.startsWith("Understudy 0.") && text;
        """
    )
    assert str(folder) in text
    assert ", trusted" in text
    assert "ok      understudy" in text
    assert "the settings turn its group off (types)" in text
    assert not window.run("return vscode.window.activeTextEditor.document.isUntitled")


def test_the_log_is_what_a_bug_report_quotes(window: Window, folder: Path, editor: Editor) -> None:
    by_all(window)
    (log,) = editor.profile.logs()
    text = log.read_text()
    assert re.search(r"Understudy 0\.\S+, code-server \d.*, Linux .* x64, Node \d", text)
    assert "workspace trusted" in text
    assert re.search(rf"{folder.name}: runs on Python 3\.\d+\.\d+, /\S+ \(PATH\)", text)
    assert re.search(rf"{folder.name}: server 0\.\S+ ready after \d+ ms", text)
    assert BROKEN["new"] not in text, "what is in the user's files is not for a bug report"


def test_the_server_over_mcp_comes_and_goes_with_its_setting(window: Window) -> None:
    assert window.run(TOOLS_OVER_MCP) == []
    set_(window, "mcpServer", True)
    names = window.until(START_MCP + TOOLS_OVER_MCP)
    assert any(name.endswith("understudy_lint") for name in names), names
    set_(window, "mcpServer", None)
    assert window.until(f"return (() => {{ {TOOLS_OVER_MCP} }})().length === 0")


def test_a_restart_keeps_the_branches(window: Window) -> None:
    text = window.lint(edits=[BROKEN], fresh=True)
    restart(window)
    found = re.search(r"^branch (b\d+) holds", text, re.MULTILINE)
    assert found is not None, text
    assert window.lint(branch=found[1]).startswith("findings")
    assert len(servers_of(window)) == 1
