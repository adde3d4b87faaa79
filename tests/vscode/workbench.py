"""A window of the editor in a headless browser: what the user sees and does there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    BrowserContext,
    Locator,
    Page,
    Playwright,
    ViewportSize,
    expect,
)

from tests.vscode.code_server import address_of_folder
from tests.vscode.driver import Hub

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
SIZE: ViewportSize = {"width": 1400, "height": 900}
UI_SECONDS = 240.0
"""Longest wait for something to be shown that does not wait for a verdict."""

expect.set_options(timeout=UI_SECONDS * 1000)


class Window:
    """One window with its page and its extension host."""

    def __init__(self, page: Page, hub: Hub, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self._hub = hub
        self.driver = hub.next()

    def run(self, step: str, **values: Any) -> Any:
        """Run a step in the window's extension host, see `Driver.run`."""
        return self.driver.run(step, **values)

    def until(self, step: str, **values: Any) -> Any:
        """Run a step there until it gives something, see `Driver.until`."""
        return self.driver.until(step, **values)

    def command(self, name: str, *arguments: Any) -> Any:
        """Execute an editor command by its id; the answer must be JSON."""
        step = "return vscode.commands.executeCommand(name, ...given)"
        return self.run(step, name=name, given=arguments)

    def open(self, path: str) -> None:
        """Show a file of the folder in an editor."""
        step = "await vscode.window.showTextDocument(vscode.Uri.file(path), {preview: false})"
        self.run(step, path=str(self.folder / path))
        expect(self.page.locator(".tab.active", has_text=Path(path).name)).to_be_visible()

    def text(self, path: str) -> str:
        """What the buffer of a file holds."""
        step = "return (await vscode.workspace.openTextDocument(vscode.Uri.file(path))).getText()"
        return self.run(step, path=str(self.folder / path))

    def type_at_end(self, text: str) -> None:
        """Type into the active editor, behind everything; done when extensions have heard it.

        The editor closes brackets and quotes by itself, so the text is to have none.
        """
        self.page.locator(".editor-instance .view-lines").first.click()
        self.page.keyboard.press("Control+End")
        self.page.keyboard.type(text)
        step = "return vscode.window.activeTextEditor.document.getText().endsWith(text)"
        self.until(step, text=text)

    def call_tool(self, name: str, /, **given: Any) -> str:
        """The answer of a language model tool, called without a chat."""
        return self.run(_CALL_TOOL, name=name, given=given)

    def lint(self, *, servers: Sequence[str] = ("ruff",), **given: Any) -> str:
        """The answer of `understudy_lint`; by ruff unless said otherwise: it starts at once."""
        return self.call_tool("understudy_lint", servers=list(servers), **given)

    def ask_agent(self, tool: str, given: Any) -> None:
        """Ask the stand-in agent in the chat to call a tool; its calls are in `memory.calls`."""
        # Without a model that was chosen once, the chat answers in the agent's place.
        self.until("return vscode.lm.selectChatModels({vendor: 'driver'})")
        query = f"@rehearser {tool} {json.dumps(given)}"
        step = "vscode.commands.executeCommand('workbench.action.chat.open', {query, mode: 'ask'})"
        self.run(step, query=query)

    def discard_changes(self) -> None:
        """Give up what is unsaved and any open dialog, close all editors and notifications."""
        dialog = self.page.locator(".monaco-dialog-box")
        if dialog.is_visible():
            self.page.keyboard.press("Escape")
            expect(dialog).to_be_hidden()
        self.run(_DISCARD_CHANGES)

    def choose(self, title: str) -> None:
        """Run a command as the user does: by its title in the palette."""
        self.page.keyboard.press("F1")
        self.pick(title)

    def pick(self, text: str) -> None:
        """Take a row of the open quick pick."""
        entry = self.page.locator(".quick-input-widget input[type=text]")
        expect(entry).to_be_visible()
        entry.press_sequentially(text)
        row = self.page.locator(".quick-input-list .monaco-list-row", has_text=text).first
        expect(row).to_be_visible()
        row.click()

    def notification(self, text: str | re.Pattern[str]) -> Locator:
        """A notification with this text, once it is there."""
        found = self.page.locator(".notification-toast", has_text=text).first
        expect(found).to_be_visible()
        return found

    def dialog(self) -> Locator:
        """The modal dialog, once it is there."""
        found = self.page.locator(".monaco-dialog-box")
        expect(found).to_be_visible()
        return found

    def problems(self) -> str:
        """All that the Problems view would list, as canonical JSON."""
        return json.dumps(self.run(_PROBLEMS), sort_keys=True)

    def reload(self) -> None:
        """Reload the window; its extension host is another one then."""
        self.driver.close()
        self.page.reload(wait_until="domcontentloaded")
        self._wait_for_workbench()
        self.driver = self._hub.next()

    def close(self) -> None:
        """Close the window."""
        self.driver.close()
        self.page.close()

    def _wait_for_workbench(self) -> None:
        expect(self.page.locator(".monaco-workbench")).to_be_visible()


@contextmanager
def browser(playwright: Playwright, program: str, folder: Path) -> Iterator[BrowserContext]:
    """A headless browser with an empty profile."""
    context = playwright.chromium.launch_persistent_context(
        folder, executable_path=program, headless=True, args=FLAGS, viewport=SIZE
    )
    context.set_default_timeout(UI_SECONDS * 1000)
    try:
        yield context
    finally:
        context.close()


def open_window(context: BrowserContext, server: str, hub: Hub, folder: Path) -> Window:
    """Open a folder in a new window; ready when its extension host and its files are there."""
    page = context.new_page()
    page.goto(address_of_folder(server, folder), wait_until="domcontentloaded")
    window = Window(page, hub, folder)
    expect(page.locator(".explorer-folders-view .monaco-list-row").first).to_be_visible()
    return window


_CALL_TOOL = """
const asked = { input: given, toolInvocationToken: undefined };
return (await vscode.lm.invokeTool(name, asked)).content.map((part) => part.value).join("");
"""

_DISCARD_CHANGES = """
for (const document of vscode.workspace.textDocuments.filter((one) => one.isDirty)) {
  await vscode.window.showTextDocument(document, { preview: false });
  await vscode.commands.executeCommand("workbench.action.files.revert");
}
await vscode.commands.executeCommand("workbench.action.closeAllEditors");
await vscode.commands.executeCommand("notifications.clearAll");
"""

_PROBLEMS = """
return vscode.languages.getDiagnostics().flatMap(([uri, found]) => found.map((one) => ({
  uri: uri.toString(), message: one.message, source: one.source, severity: one.severity,
  range: [one.range.start, one.range.end].map((at) => [at.line, at.character]),
  code: typeof one.code === "object" ? one.code.value : one.code,
})));
"""
