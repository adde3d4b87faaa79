"""The custom requests `understudy/*`: what an LSP client may ask of a host, and tell it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import nullcontext

from understudy.faces.calls import branches, outlines, questions, refactorings
from understudy.faces.calls import tool_servers as tools
from understudy.faces.calls.check import affected_files, check
from understudy.faces.calls.entry import EVERYONE, USER, Json, RequestEntry
from understudy.faces.calls.run import run_on_branch
from understudy.faces.lsp import accept, base, context, terminals
from understudy.faces.lsp.audience import audience_of
from understudy.faces.lsp.connection import UnderstudyServer, rpc_error
from understudy.faces.lsp.doctor import examine
from understudy.faces.lsp.options import InitializationOptions
from understudy.faces.lsp.tool import call_tool
from understudy.faces.lsp.watch import watch
from understudy.faces.params import context as of_context
from understudy.faces.params import requests
from understudy.faces.params import terminals as of_terminals
from understudy.values.errors import UnderstudyError
from understudy.workspace.progress import NOBODY

log = logging.getLogger(__name__)

REQUESTS: tuple[RequestEntry[UnderstudyServer], ...] = (
    RequestEntry("understudy/branch/create", requests.CreateBranch, EVERYONE, branches.create),
    RequestEntry("understudy/branch/edit", requests.EditBranch, EVERYONE, branches.edit),
    RequestEntry("understudy/branch/check", requests.CheckBranch, EVERYONE, check),
    RequestEntry("understudy/branch/request", requests.RequestOnBranch, EVERYONE, branches.request),
    RequestEntry("understudy/branch/run", requests.RunOnBranch, EVERYONE, run_on_branch),
    RequestEntry("understudy/branch/diff", requests.NameBranch, EVERYONE, branches.diff),
    RequestEntry("understudy/branch/rebase", requests.RebaseBranch, EVERYONE, branches.rebase),
    RequestEntry("understudy/branch/verdict", requests.NameBranch, EVERYONE, accept.verdict),
    RequestEntry("understudy/branch/files", requests.NameBranch, EVERYONE, accept.files),
    RequestEntry("understudy/branch/text", requests.ShowFile, EVERYONE, accept.text),
    RequestEntry("understudy/branch/accept", requests.AcceptBranch, USER, accept.accept),
    RequestEntry("understudy/branch/reject", requests.RejectEdits, EVERYONE, accept.reject),
    RequestEntry("understudy/branch/reopen", requests.NameBranch, EVERYONE, accept.reopen),
    RequestEntry("understudy/branch/discard", requests.NameBranch, EVERYONE, branches.discard),
    RequestEntry("understudy/branch/list", requests.ListBranches, EVERYONE, branches.list_all),
    RequestEntry("understudy/checkpoint", requests.SetCheckpoint, EVERYONE, base.checkpoint),
    RequestEntry("understudy/watch", requests.WatchEdits, EVERYONE, watch),
    RequestEntry("understudy/tool", requests.CallTool, EVERYONE, call_tool),
    RequestEntry("understudy/affected", requests.ListAffected, EVERYONE, affected_files),
    RequestEntry("understudy/code", requests.AskCode, EVERYONE, questions.ask_code),
    RequestEntry(
        "understudy/code/rename", requests.RenameSymbol, EVERYONE, refactorings.rename_symbol
    ),
    RequestEntry("understudy/code/move", requests.MoveFile, EVERYONE, refactorings.move),
    RequestEntry("understudy/outline", requests.OutlineFile, EVERYONE, outlines.outline_file),
    RequestEntry("understudy/map", requests.MapFolder, EVERYONE, outlines.map_files),
    RequestEntry("understudy/context/put", of_context.PutOutput, EVERYONE, context.put),
    RequestEntry("understudy/context/get", of_context.GetPart, EVERYONE, context.get),
    RequestEntry("understudy/context/log", of_context.AppendLog, EVERYONE, context.append),
    RequestEntry("understudy/context/pack", of_context.PackLog, EVERYONE, context.pack),
    RequestEntry("understudy/context/topic", of_context.TopicOfLog, EVERYONE, context.topic),
    RequestEntry("understudy/context/simulate", of_context.SimulateLog, EVERYONE, context.simulate),
    RequestEntry("understudy/context/skills", of_context.ListSkills, EVERYONE, context.skills),
    RequestEntry("understudy/context/search", of_context.SearchContext, EVERYONE, context.search),
    RequestEntry(
        "understudy/context/mcp/list",
        of_context.ListToolServers,
        EVERYONE,
        tools.list_servers,
    ),
    RequestEntry("understudy/context/mcp/sync", of_context.SyncToolServers, EVERYONE, tools.sync),
    RequestEntry("understudy/context/mcp/allow", of_context.AllowToolServers, USER, tools.allow),
    RequestEntry("understudy/context/mcp/call", of_context.CallOtherTool, EVERYONE, tools.call),
    RequestEntry(
        "understudy/terminal/list", of_terminals.ListTerminals, EVERYONE, terminals.list_all
    ),
    RequestEntry("understudy/terminal/read", of_terminals.ReadTerminal, EVERYONE, terminals.read),
    RequestEntry(
        "understudy/terminal/wait", of_terminals.WaitForTerminal, EVERYONE, terminals.wait
    ),
    RequestEntry("understudy/terminal/switch", of_terminals.SwitchTerminal, USER, terminals.switch),
    RequestEntry("understudy/terminal/report", of_terminals.ReportTerminal, USER, terminals.report),
    RequestEntry(
        "understudy/terminal/focus", of_terminals.FocusTerminal, USER, terminals.set_focus
    ),
    RequestEntry("understudy/doctor", requests.Examine, EVERYONE, examine),
    RequestEntry("understudy/status", requests.Nothing, EVERYONE, base.status),
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
