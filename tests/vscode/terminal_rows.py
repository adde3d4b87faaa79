"""Terminals of the editor in tests: commands run in one, and its row in the side bar."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.vscode.workbench import Window

BY_NAME = "vscode.window.terminals.find((one) => one.name === name)"


def open_terminal(window: Window, name: str) -> None:
    """Open bash in front, as the user's own; done once the editor's integration works in it."""
    window.run(
        "vscode.window.createTerminal({ name, shellPath: '/bin/bash' }).show();",
        name=name,
    )
    window.until(f"return {BY_NAME}?.shellIntegration !== undefined", name=name)


def show_view(window: Window) -> None:
    """Show the side bar's list; done when it has the focus, which would close an open palette."""
    window.choose("Understudy: Show Recorded Terminals")
    window.page.wait_for_function(_HAS_FOCUS)


def begin(window: Window, command: str, name: str = "plain") -> None:
    """Run it in the terminal of this name; see `ended`."""
    window.run(
        "globalThis.hasEnded = false;"
        f"const own = {BY_NAME};"
        "const heard = vscode.window.onDidEndTerminalShellExecution(({terminal, execution}) => {"
        " if (terminal === own && execution.commandLine.value === command) {"
        "  globalThis.hasEnded = true; heard.dispose(); } });"
        "own.shellIntegration.executeCommand(command);",
        command=command,
        name=name,
    )


def ended(window: Window) -> None:
    """Wait until the editor says that what was begun last has ended."""
    window.until("return globalThis.hasEnded")


def run_in(window: Window, command: str, name: str = "plain") -> None:
    """Run it, and wait for its end."""
    begin(window, command, name)
    ended(window)


def row_of(window: Window, label: str) -> Locator:
    """The side bar's row of the terminal with this label, once it is there."""
    labelled = f"[role=treeitem][aria-label^='Terminal '][aria-label*=', {label}, ']"
    found = window.page.locator(labelled).first
    expect(found).to_be_visible()
    return found


def row_numbered(window: Window, row: Locator) -> Locator:
    """The row of the same terminal, whatever it will be called."""
    name = (row.get_attribute("aria-label") or "").split(",")[0]
    return window.page.locator(f"[role=treeitem][aria-label^='{name}, ']")


def choose_in_menu(window: Window, place: Locator, title: str) -> None:
    """Choose this in the menu of a place."""
    place.click(button="right")
    item = window.page.locator(".monaco-menu").get_by_role("menuitem", name=title)
    item.hover()
    expect(window.page.locator(".monaco-menu .action-item.focused")).to_have_text(title)
    window.page.keyboard.press("Enter")  # a click at once is taken for the end of the one before


_HAS_FOCUS = """() => document.activeElement?.closest(".pane")
  ?.querySelector(".pane-header")?.textContent?.includes("Terminals")"""
