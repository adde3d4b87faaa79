"""The processes that the extension has started, below a window's extension host."""

from __future__ import annotations

import psutil

from tests.vscode.workbench import Window


def servers_of(window: Window) -> list[psutil.Process]:
    """The running `understudy lsp` processes, not what they have started themselves."""
    started = psutil.Process(window.driver.pid).children()
    return [one for one in started if _command(one)[-2:] == ["understudy", "lsp"]]


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
