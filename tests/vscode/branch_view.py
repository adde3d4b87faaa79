"""The side bar's view of branches, as the user sees and clicks it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.vscode.workbench import Window


class BranchView:
    """The tree of branches in a window."""

    def __init__(self, window: Window) -> None:
        self._window = window
        window.command("workbench.view.extension.understudy")
        # Showing it starts the extension, by which its buttons are drawn anew: a click at one that
        # goes is lost. What it has told the editor by then is done before a later command.
        window.until("return vscode.extensions.getExtension('understudy.understudy').isActive")
        window.command("understudy.branches.focus")

    def branch(self, branch: str) -> Locator:
        """The row of a branch, once it is there."""
        return self._row(f"[aria-label^='Branch {branch},']")

    def file(self, branch: str, path: str) -> Locator:
        """The row of a file of a branch, which is opened for it; all others are folded."""
        above = self.branch(branch)
        if above.get_attribute("aria-expanded") == "false":
            self._window.command("workbench.actions.treeView.understudy.branches.collapseAll")
            above.click()
            expect(above).not_to_have_attribute("aria-label", _UNDECIDED)  # it is checked then
        return self._row(f"[aria-label^='{path},']")

    def finding(self, text: str) -> Locator:
        """The row of a finding."""
        return self._row(f"[aria-label^='error: '][aria-label*='{text}']")

    def press(self, row: Locator, command: str) -> None:
        """Click the button of a command that a row shows under the pointer."""
        title = self._window.run(_TITLE, command=f"understudy.branch.{command}")
        row.hover()
        row.get_by_role("button", name=title, exact=True).click()

    def accept(self, branch: str) -> None:
        """Accept a branch, and what becomes of the files."""
        self.press(self.branch(branch), "accept")
        self._window.dialog().locator(".monaco-button", has_text="Accept").click()

    def _row(self, labelled: str) -> Locator:
        found = self._window.page.locator(f"[role=treeitem]{labelled}").first
        expect(found).to_be_visible()
        return found


_UNDECIDED = re.compile("not checked|in part|checking|has changed since|checked last")
_TITLE = """
const { packageJSON } = vscode.extensions.getExtension("understudy.understudy");
const { commands } = packageJSON.contributes;
const { shortTitle, title } = commands.find((one) => one.command === command);
return shortTitle ?? title;
"""
