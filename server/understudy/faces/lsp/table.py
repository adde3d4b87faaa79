"""The custom requests `understudy/*`: what an LSP client may ask of a host, and tell it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext

from understudy.faces.calls.entry import EVERYONE, USER, Json, RequestEntry
from understudy.faces.calls.shared import SHARED
from understudy.faces.lsp import accept, base, review, terminals
from understudy.faces.lsp.audience import audience_of
from understudy.faces.lsp.connection import UnderstudyServer, rpc_error
from understudy.faces.lsp.doctor import examine
from understudy.faces.lsp.options import InitializationOptions
from understudy.faces.lsp.tool import call_tool
from understudy.faces.lsp.watch import watch
from understudy.faces.params import requests
from understudy.faces.params import review as of_review
from understudy.faces.params import terminals as of_terminals
from understudy.values.errors import UnderstudyError
from understudy.workspace.progress import NOBODY

log = logging.getLogger(__name__)

REQUESTS: tuple[RequestEntry[UnderstudyServer], ...] = (
    *SHARED,
    RequestEntry("understudy/branch/verdict", requests.NameBranch, EVERYONE, accept.verdict),
    RequestEntry("understudy/branch/files", requests.NameBranch, EVERYONE, accept.files),
    RequestEntry("understudy/branch/text", requests.ShowFile, EVERYONE, accept.text),
    RequestEntry("understudy/branch/accept", requests.AcceptBranch, USER, accept.accept),
    RequestEntry("understudy/branch/reject", requests.RejectEdits, EVERYONE, accept.reject),
    RequestEntry("understudy/branch/findings", of_review.FindInFile, EVERYONE, review.findings),
    RequestEntry("understudy/branch/fixes", of_review.FindFixes, EVERYONE, review.fixes),
    RequestEntry("understudy/watch", requests.WatchEdits, EVERYONE, watch),
    RequestEntry("understudy/tool", requests.CallTool, EVERYONE, call_tool),
    RequestEntry("understudy/terminal/switch", of_terminals.SwitchTerminal, USER, terminals.switch),
    RequestEntry("understudy/terminal/report", of_terminals.ReportTerminal, USER, terminals.report),
    RequestEntry(
        "understudy/terminal/focus", of_terminals.FocusTerminal, USER, terminals.set_focus
    ),
    RequestEntry("understudy/doctor", requests.Examine, EVERYONE, examine),
)

NOTICES: tuple[RequestEntry[UnderstudyServer], ...] = (
    RequestEntry("understudy/optionsChanged", InitializationOptions, USER, base.take_options),
)


def register(server: UnderstudyServer) -> None:
    """Register every custom request, and what the client tells without asking."""
    for request in REQUESTS:
        server.feature(request.method)(_handler(request))
    for notice in NOTICES:
        server.feature(notice.method)(_hearer(notice))


def _handler(request: RequestEntry[UnderstudyServer]) -> Callable[..., Awaitable[Json]]:
    async def handle(ls: UnderstudyServer, raw: object) -> Json:
        task = asyncio.current_task()
        assert task is not None
        ls.running.add(task)
        task.add_done_callback(ls.running.discard)
        try:
            if ls.configuration is not None:
                await ls.configuration.settled()
            return await request.answered(
                ls, raw, lambda params: audience_of(ls, request.method, params)
            )
        except UnderstudyError as error:
            raise rpc_error(error) from error

    return handle


def _hearer(notice: RequestEntry[UnderstudyServer]) -> Callable[..., Awaitable[None]]:
    async def hear(ls: UnderstudyServer, raw: object) -> None:
        try:
            await notice.answered(ls, raw, lambda _: nullcontext(NOBODY))
        except UnderstudyError as error:  # nobody waits for an answer
            log.warning("the editor's options are not used: %s", error)

    return hear
