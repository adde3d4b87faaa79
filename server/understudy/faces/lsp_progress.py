"""Our progress as the client's `$/progress`, under the token that its request brought."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from lsprotocol import types as lsp

from understudy.app.progress import Progress, silent
from understudy.faces.lsp_server import UnderstudyServer


@asynccontextmanager
async def client_progress(
    server: UnderstudyServer, token: str | int | None, title: str
) -> AsyncGenerator[Progress, None]:
    """Report to the client while the body runs; nothing where it gave no token."""
    if token is None:
        yield silent
        return
    progress = server.work_done_progress

    def report(message: str, done: int, total: int) -> None:
        percentage = round(100 * done / total) if total else None
        progress.report(token, lsp.WorkDoneProgressReport(message=message, percentage=percentage))

    progress.begin(token, lsp.WorkDoneProgressBegin(title=title, cancellable=True))
    try:
        yield report
    finally:
        progress.end(token, lsp.WorkDoneProgressEnd())
