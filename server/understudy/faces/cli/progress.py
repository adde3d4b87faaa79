"""Progress on a terminal: one line on stderr that is gone at the end."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from understudy.faces.cli.streams import show_status

if TYPE_CHECKING:
    from understudy.workspace.progress import Progress


@contextmanager
def terminal_progress() -> Generator[Progress, None, None]:
    """Report to the person at the terminal while the body runs; elsewhere, nothing."""
    from understudy.workspace.progress import silent

    if not sys.stderr.isatty():
        yield silent
        return
    try:
        yield _status_line
    finally:
        show_status("")


def _status_line(message: str, done: int, total: int) -> None:
    counted = f" ({done}/{total})" if total else ""
    show_status(f"{message[:100]}{counted}")
