"""The processes that the extension has started, below a window's extension host."""

from __future__ import annotations

import psutil

from tests.vscode.workbench import Window


def servers_of(window: Window) -> list[psutil.Process]:
    """The running `understudy lsp` processes."""
    return [one for one in _below(window) if "understudy" in _command(one)]


def programs_below(window: Window) -> set[str]:
    """Command lines of everything below the extension host."""
    return {" ".join(_command(one)) for one in _below(window)}


def _below(window: Window) -> list[psutil.Process]:
    return psutil.Process(window.driver.pid).children(recursive=True)


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
