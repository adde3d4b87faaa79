"""The requests that every face may make: over LSP and over calls they are the same ones."""

from __future__ import annotations

from understudy.faces.calls import (
    asks,
    branches,
    folder,
    kept,
    outlines,
    questions,
    refactorings,
    rehearsals,
    terminals,
)
from understudy.faces.calls import tool_servers as tools
from understudy.faces.calls.check import affected_files, check, traces
from understudy.faces.calls.entry import EVERYONE, USER, RequestEntry, Side
from understudy.faces.calls.run import run_on_branch
from understudy.faces.params import code as of_code
from understudy.faces.params import context as of_context
from understudy.faces.params import requests, review
from understudy.faces.params import terminals as of_terminals

SHARED: tuple[RequestEntry[Side], ...] = (
    RequestEntry("understudy/branch/create", requests.CreateBranch, EVERYONE, branches.create),
    RequestEntry("understudy/branch/rename", requests.RenameBranch, USER, branches.rename),
    RequestEntry("understudy/branch/fork", requests.ForkBranch, EVERYONE, branches.fork),
    RequestEntry("understudy/branch/edit", requests.EditBranch, EVERYONE, branches.edit),
    RequestEntry("understudy/branch/check", requests.CheckBranch, EVERYONE, check),
    RequestEntry("understudy/branch/request", requests.RequestOnBranch, EVERYONE, branches.request),
    RequestEntry("understudy/branch/run", requests.RunOnBranch, EVERYONE, run_on_branch),
    RequestEntry("understudy/branch/diff", requests.NameBranch, EVERYONE, branches.diff),
    RequestEntry("understudy/branch/rebase", requests.RebaseBranch, EVERYONE, branches.rebase),
    RequestEntry("understudy/branch/discard", requests.NameBranch, EVERYONE, branches.discard),
    RequestEntry("understudy/branch/reopen", requests.NameBranch, EVERYONE, branches.reopen),
    RequestEntry("understudy/branch/list", requests.ListBranches, EVERYONE, branches.list_all),
    RequestEntry("understudy/branch/ask", review.AskForChange, USER, asks.ask),
    RequestEntry("understudy/branch/unask", review.WithdrawAsk, USER, asks.unask),
    RequestEntry("understudy/branch/asks", requests.NameBranch, EVERYONE, asks.list_asks),
    RequestEntry("understudy/branch/sendFindings", requests.NameBranch, USER, asks.send_findings),
    RequestEntry("understudy/branch/sendConflict", review.SendConflict, USER, asks.send_conflict),
    RequestEntry(
        "understudy/rehearsal/agents", requests.Nothing, USER, rehearsals.installed_agents
    ),
    RequestEntry("understudy/rehearsal/stop", requests.NameBranch, USER, rehearsals.stop),
    RequestEntry("understudy/checkpoint", requests.SetCheckpoint, EVERYONE, folder.checkpoint),
    RequestEntry("understudy/affected", requests.ListAffected, EVERYONE, affected_files),
    RequestEntry("understudy/traces", requests.TraceChecks, EVERYONE, traces),
    RequestEntry("understudy/code", of_code.AskCode, EVERYONE, questions.ask_code),
    RequestEntry(
        "understudy/code/rename", of_code.RenameSymbol, EVERYONE, refactorings.rename_symbol
    ),
    RequestEntry("understudy/code/move", of_code.MoveFile, EVERYONE, refactorings.move),
    RequestEntry("understudy/code/act", of_code.TakeAction, EVERYONE, refactorings.act_at),
    RequestEntry("understudy/code/format", of_code.LayOutFile, EVERYONE, refactorings.format_text),
    RequestEntry(
        "understudy/code/imports", of_code.LayOutFile, EVERYONE, refactorings.sort_imports
    ),
    RequestEntry("understudy/outline", requests.OutlineFile, EVERYONE, outlines.outline_file),
    RequestEntry("understudy/map", requests.MapFolder, EVERYONE, outlines.map_files),
    RequestEntry("understudy/context/put", of_context.PutOutput, EVERYONE, kept.put),
    RequestEntry("understudy/context/get", of_context.GetPart, EVERYONE, kept.get),
    RequestEntry("understudy/context/log", of_context.AppendLog, EVERYONE, kept.append),
    RequestEntry("understudy/context/pack", of_context.PackLog, EVERYONE, kept.pack),
    RequestEntry("understudy/context/topic", of_context.TopicOfLog, EVERYONE, kept.topic),
    RequestEntry("understudy/context/simulate", of_context.SimulateLog, EVERYONE, kept.simulate),
    RequestEntry("understudy/context/stats", of_context.StatsOfLogs, EVERYONE, kept.stats),
    RequestEntry("understudy/context/skills", of_context.ListSkills, EVERYONE, kept.skills),
    RequestEntry("understudy/context/search", of_context.SearchContext, EVERYONE, kept.search),
    RequestEntry(
        "understudy/context/mcp/list", of_context.ListToolServers, EVERYONE, tools.list_servers
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
    RequestEntry("understudy/status", requests.Nothing, EVERYONE, folder.status),
)
