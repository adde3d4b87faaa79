"""The custom requests `understudy/*`: each structures its params, calls one verb, and answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from understudy import __version__
from understudy.app.check import check
from understudy.app.check_options import CheckOptions
from understudy.app.request import request_on_branch
from understudy.app.revisions import revision_sides
from understudy.app.sides import base_side, branch_side, checkpoint_side
from understudy.faces import (
    context_params,
    lsp_accept,
    lsp_context,
    lsp_mcp,
    lsp_terminals,
    terminal_params,
)
from understudy.faces import params as wire
from understudy.faces.doctor_text import examine
from understudy.faces.lsp_outline import map_files, outline_file
from understudy.faces.lsp_progress import client_progress
from understudy.faces.lsp_run import run_on_branch
from understudy.faces.lsp_server import UnderstudyServer, rpc_error
from understudy.faces.lsp_tools import call_tool
from understudy.faces.lsp_watch import watch
from understudy.faces.sound_json import sound
from understudy.faces.wire import branch_json, check_json, conflict_json, status_json, summary_json
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.structure import structure

log = logging.getLogger(__name__)
Handler = Callable[[UnderstudyServer, Any], Awaitable[dict[str, Any]]]


@dataclass(frozen=True)
class Request:
    """One custom request: its method, what it takes, and what answers it."""

    method: str
    takes: type[Any]
    answer: Handler


async def _create(server: UnderstudyServer, params: wire.CreateBranch) -> dict[str, Any]:
    branch = await server.host.session.branches.create(params.title)
    return branch_json(branch)


async def _edit(server: UnderstudyServer, params: wire.EditBranch) -> dict[str, Any]:
    session = server.host.session
    base = await server.live_base.fresh()
    edited = await session.branches.edit(params.branch, params.edits, base, params.ifStamp)
    return {**branch_json(edited.branch), "changed": list(edited.changed)}


async def _check(server: UnderstudyServer, params: wire.CheckBranch) -> dict[str, Any]:
    host = server.host
    session = host.session
    options = CheckOptions(
        params.scope, params.severity, params.servers, params.timeout, params.strict
    )
    if params.before is not None and params.revision is not None:
        raise BadInput("bad-params", "name a checkpoint or a revision, not both", "revision")
    if params.branch is None and params.before is None and params.revision is None:
        text = "name a branch, a checkpoint as `before`, or a `revision`"
        raise BadInput("bad-params", text, "branch")
    after = base_side if params.branch is None else branch_side(session.branches, params.branch)
    before = base_side
    if params.before is not None:
        before = checkpoint_side(host.checkpoints.get(params.before))
    async with client_progress(server, params.workDoneToken, "check") as progress:
        if params.revision is not None:
            sides = await revision_sides(session, params.revision, progress)
            before = sides.before
            after = sides.after if params.branch is None else after
        judged = None if params.branch is None else await session.branches.get(params.branch)
        checked = await check(
            session, before, after, options,
            owner=params.branch or "base", progress=progress, live_base=server.live_base,
        )  # fmt: skip
    if judged is not None and params.before is None and params.revision is None:
        session.verdicts.keep(judged, options, server.live_base, checked)
    return check_json(checked)


async def _request(server: UnderstudyServer, params: wire.RequestOnBranch) -> dict[str, Any]:
    answer = await request_on_branch(
        server.host.session,
        params.branch,
        params.method,
        params.params,
        server=params.server,
        timeout_s=params.timeout,
        live_base=server.live_base,
    )
    return {
        "server": answer.server,
        "result": answer.result,
        "edited": list(answer.edited),
        "unseen": list(answer.unseen),
    }


async def _diff(server: UnderstudyServer, params: wire.NameBranch) -> dict[str, Any]:
    session = server.host.session
    diff = await session.branches.diff(params.branch, await server.live_base.fresh())
    return {"diff": diff.text, "conflicts": list(diff.conflicts)}


async def _rebase(server: UnderstudyServer, params: wire.RebaseBranch) -> dict[str, Any]:
    session = server.host.session
    for path, text in params.resolve.items():
        if not isinstance(text, str | None):
            raise BadInput("bad-params", "expected a text, or null", f"resolve.{path}")
    base = await server.live_base.fresh()
    report = await session.branches.rebase(params.branch, base, params.resolve)
    return {
        **branch_json(report.branch),
        "merged": list(report.merged),
        "conflicts": [conflict_json(conflict) for conflict in report.conflicts],
    }


async def _discard(server: UnderstudyServer, params: wire.NameBranch) -> dict[str, Any]:
    await server.host.session.branches.discard(params.branch)
    return {"branch": params.branch}


async def _list(server: UnderstudyServer, params: wire.ListBranches) -> dict[str, Any]:
    found = server.host.session.branches.summaries(params.archived)
    return {"branches": [summary_json(summary) for summary in found]}


async def _checkpoint(server: UnderstudyServer, params: wire.SetCheckpoint) -> dict[str, Any]:
    host = server.host
    if params.drop is not None:
        host.checkpoints.drop(params.drop)
        return {"dropped": params.drop}
    checkpoint = await host.checkpoints.create(await server.live_base.fresh(), params.title)
    return {
        "checkpoint": checkpoint.id,
        "title": checkpoint.title,
        "pinned": checkpoint.n_pinned,
        "notPinned": checkpoint.n_unpinned,
    }


async def _status(server: UnderstudyServer, _params: wire.Nothing) -> dict[str, Any]:
    session = server.host.session
    return {
        "version": __version__,
        **status_json(session, server.live_base.now, await session.pool.status()),
    }


REQUESTS = (
    Request("understudy/branch/create", wire.CreateBranch, _create),
    Request("understudy/branch/edit", wire.EditBranch, _edit),
    Request("understudy/branch/check", wire.CheckBranch, _check),
    Request("understudy/branch/request", wire.RequestOnBranch, _request),
    Request("understudy/branch/run", wire.RunOnBranch, run_on_branch),
    Request("understudy/branch/diff", wire.NameBranch, _diff),
    Request("understudy/branch/rebase", wire.RebaseBranch, _rebase),
    Request("understudy/branch/verdict", wire.NameBranch, lsp_accept.verdict),
    Request("understudy/branch/files", wire.NameBranch, lsp_accept.files),
    Request("understudy/branch/text", wire.ShowFile, lsp_accept.text),
    Request("understudy/branch/accept", wire.AcceptBranch, lsp_accept.accept),
    Request("understudy/branch/reject", wire.RejectEdits, lsp_accept.reject),
    Request("understudy/branch/reopen", wire.NameBranch, lsp_accept.reopen),
    Request("understudy/branch/discard", wire.NameBranch, _discard),
    Request("understudy/branch/list", wire.ListBranches, _list),
    Request("understudy/checkpoint", wire.SetCheckpoint, _checkpoint),
    Request("understudy/watch", wire.WatchEdits, watch),
    Request("understudy/tool", wire.CallTool, call_tool),
    Request("understudy/outline", wire.OutlineFile, outline_file),
    Request("understudy/map", wire.MapFolder, map_files),
    Request("understudy/context/put", context_params.PutOutput, lsp_context.put),
    Request("understudy/context/get", context_params.GetPart, lsp_context.get),
    Request("understudy/context/log", context_params.AppendLog, lsp_context.append),
    Request("understudy/context/pack", context_params.PackLog, lsp_context.pack),
    Request("understudy/context/topic", context_params.TopicOfLog, lsp_context.topic),
    Request("understudy/context/simulate", context_params.SimulateLog, lsp_context.simulate),
    Request("understudy/context/skills", context_params.ListSkills, lsp_context.skills),
    Request("understudy/context/search", context_params.SearchContext, lsp_context.search),
    Request("understudy/context/mcp/list", context_params.ListToolServers, lsp_mcp.list_servers),
    Request("understudy/context/mcp/sync", context_params.SyncToolServers, lsp_mcp.sync),
    Request("understudy/context/mcp/allow", context_params.AllowToolServers, lsp_mcp.allow),
    Request("understudy/context/mcp/call", context_params.CallOtherTool, lsp_mcp.call),
    Request("understudy/terminal/list", terminal_params.ListTerminals, lsp_terminals.list_all),
    Request("understudy/terminal/read", terminal_params.ReadTerminal, lsp_terminals.read),
    Request("understudy/terminal/wait", terminal_params.WaitForTerminal, lsp_terminals.wait),
    Request("understudy/terminal/switch", terminal_params.SwitchTerminal, lsp_terminals.switch),
    Request("understudy/terminal/report", terminal_params.ReportTerminal, lsp_terminals.report),
    Request("understudy/terminal/focus", terminal_params.FocusTerminal, lsp_terminals.set_focus),
    Request("understudy/doctor", wire.Examine, examine),
    Request("understudy/status", wire.Nothing, _status),
)


def register(server: UnderstudyServer) -> None:
    """Register every custom request."""
    for request in REQUESTS:
        server.feature(request.method)(_handler(request))


def _handler(request: Request) -> Callable[[UnderstudyServer, Any], Awaitable[dict[str, Any]]]:
    async def handle(ls: UnderstudyServer, raw: object) -> dict[str, Any]:
        task = asyncio.current_task()
        assert task is not None
        ls.running.add(task)
        task.add_done_callback(ls.running.discard)
        try:
            if ls.configuration is not None:
                await ls.configuration.settled()
            params = structure(raw or {}, request.takes, "bad-params", request.method)
            return sound(await request.answer(ls, params))
        except Moved as moved:
            text = "the file changed on disk while it was read; ask again"
            raise rpc_error(OutsideFailure("base-moved", text, moved.path)) from moved
        except UnderstudyError as error:
            raise rpc_error(error) from error
        except Exception as error:  # the boundary: the client is told, the log has the traceback
            log.exception("%s failed", request.method)
            text = f"{type(error).__name__}: {error}"
            raise rpc_error(OutsideFailure("internal", text, request.method)) from error

    return handle
