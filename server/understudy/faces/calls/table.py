"""Every call: what the command line and agents may ask of a host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any, cast

from understudy.faces.calls import check
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import AGENT, REHEARSAL, USER, Json, RequestEntry, Side
from understudy.faces.inside.bound import bound
from understudy.faces.params import calls as takes
from understudy.faces.params import code as of_code
from understudy.faces.params import context as of_context
from understudy.faces.params import requests
from understudy.values.errors import BadInput
from understudy.workspace.progress import NOBODY, Audience

Answering = Callable[[Conversation, Any, Audience], Awaitable[Json]]


def _late(found: Callable[[], Answering]) -> Answering:
    """What is loaded at its first call: a check that leaves a host waits for no other verb."""

    async def answering(conversation: Conversation, params: object, audience: Audience) -> Json:
        return await found()(conversation, params, audience)

    return answering


def _branches() -> ModuleType:
    from understudy.faces.calls import branches  # noqa: PLC0415 - see `_late`

    return branches


def _agents() -> ModuleType:
    from understudy.faces.calls import agents  # noqa: PLC0415 - see `_late`

    return agents


def _code() -> ModuleType:
    from understudy.faces.calls import agents_code  # noqa: PLC0415 - see `_late`

    return agents_code


def _events() -> ModuleType:
    from understudy.faces.calls import events  # noqa: PLC0415 - see `_late`

    return events


def _folder() -> ModuleType:
    from understudy.faces.calls import folder  # noqa: PLC0415 - see `_late`

    return folder


def _turns() -> ModuleType:
    from understudy.faces.calls import turns  # noqa: PLC0415 - see `_late`

    return turns


def _rehearsals() -> ModuleType:
    from understudy.faces.calls import rehearsals  # noqa: PLC0415 - see `_late`

    return rehearsals


def _run() -> ModuleType:
    from understudy.faces.calls import run  # noqa: PLC0415 - see `_late`

    return run


def _rank() -> ModuleType:
    from understudy.faces.calls.candidates import rank  # noqa: PLC0415 - see `_late`

    return rank


def _reward() -> ModuleType:
    from understudy.faces.calls.candidates import reward  # noqa: PLC0415 - see `_late`

    return reward


def _outlines() -> ModuleType:
    from understudy.faces.calls import outlines  # noqa: PLC0415 - see `_late`

    return outlines


def _questions() -> ModuleType:
    from understudy.faces.calls import questions  # noqa: PLC0415 - see `_late`

    return questions


def _refactorings() -> ModuleType:
    from understudy.faces.calls import refactorings  # noqa: PLC0415 - see `_late`

    return refactorings


def _tool_servers() -> ModuleType:
    from understudy.faces.calls import tool_servers  # noqa: PLC0415 - see `_late`

    return tool_servers


CALLS: Mapping[str, RequestEntry[Conversation]] = MappingProxyType(
    {
        call.method: call
        for call in (
            RequestEntry("begin", takes.BeginParams, AGENT, _late(lambda: _agents().begin)),
            RequestEntry("lint", takes.Lint, AGENT | REHEARSAL, _late(lambda: _agents().lint)),
            RequestEntry("run", takes.Run, AGENT, _late(lambda: _agents().run)),
            RequestEntry(
                "context", takes.Context, AGENT | REHEARSAL, _late(lambda: _agents().context)
            ),
            RequestEntry("code", takes.Code, AGENT | REHEARSAL, _late(lambda: _code().answer)),
            RequestEntry("check", takes.Check, USER | REHEARSAL, check.check_as_text),
            RequestEntry("report", takes.Report, USER | REHEARSAL, check.report),
            RequestEntry("text", takes.ReadText, USER, _late(lambda: _folder().text)),
            RequestEntry("listen", requests.Nothing, USER, _late(lambda: _events().listen)),
            RequestEntry("turn", takes.TellTurn, USER | REHEARSAL, _late(lambda: _turns().turn)),
            RequestEntry("affected", requests.ListAffected, USER | REHEARSAL, check.affected_files),
            RequestEntry("rank", takes.Rank, USER, _late(lambda: _rank().rank_candidates)),
            RequestEntry("reward", takes.Reward, USER, _late(lambda: _reward().score_patches)),
            RequestEntry(
                "ask", of_code.AskCode, USER | REHEARSAL, _late(lambda: _questions().ask_code)
            ),
            RequestEntry(
                "rename", of_code.RenameSymbol, USER, _late(lambda: _refactorings().rename_symbol)
            ),
            RequestEntry("move", of_code.MoveFile, USER, _late(lambda: _refactorings().move)),
            RequestEntry("execute", takes.Execute, USER, _late(lambda: _run().execute)),
            RequestEntry("rehearse", takes.Rehearse, USER, _late(lambda: _rehearsals().begin_one)),
            RequestEntry(
                "outline",
                requests.OutlineFile,
                USER | REHEARSAL,
                _late(lambda: _outlines().outline_file),
            ),
            RequestEntry(
                "map", requests.MapFolder, USER | REHEARSAL, _late(lambda: _outlines().map_files)
            ),
            RequestEntry(
                "branches", requests.ListBranches, USER, _late(lambda: _branches().list_all)
            ),
            RequestEntry(
                "diff", requests.NameBranch, USER | REHEARSAL, _late(lambda: _branches().diff)
            ),
            RequestEntry("accept", requests.AcceptFiles, USER, _late(lambda: _branches().accept)),
            RequestEntry("discard", requests.NameBranch, USER, _late(lambda: _branches().discard)),
            RequestEntry(
                "mcp/list",
                of_context.ListToolServers,
                USER,
                _late(lambda: _tool_servers().list_servers),
            ),
            RequestEntry(
                "mcp/sync", of_context.SyncToolServers, USER, _late(lambda: _tool_servers().sync)
            ),
            RequestEntry(
                "mcp/allow", of_context.AllowToolServers, USER, _late(lambda: _tool_servers().allow)
            ),
            RequestEntry(
                "mcp/call", of_context.CallOtherTool, USER, _late(lambda: _tool_servers().call)
            ),
        )
    }
)
"""Accepting and discarding is the user's, on the command line; no agent may ask for it. An agent
that lives in a branch reads that branch, and nothing else."""


_TOLD_WITH = frozenset({"lint", "run", "context", "code", "check", "turn"})
"""Calls whose text begins with what the user has asked meanwhile, where an agent asks."""


@cache
def _shared() -> Mapping[str, RequestEntry[Side]]:
    """What may be asked over LSP, too; loaded when somebody does."""
    from understudy.faces.calls.shared import SHARED  # noqa: PLC0415 - see `_late`

    return {request.method: request for request in SHARED}


async def answer(
    conversation: Conversation, name: str, params: object, audience: Audience = NOBODY
) -> Json:
    """Answer one call; raises BadInput `unknown-call`, and as `RequestEntry.answered`."""
    call = CALLS.get(name) or _shared().get(name)
    if call is None:
        known = ", ".join((*CALLS, *_shared()))
        raise BadInput("unknown-call", f"there are: {known}", name)
    conversation.host.refresh()
    if conversation.bound is not None:
        call.refuse(conversation.asker)
        params = bound(name, call.takes, params, conversation.bound)
    answered = await call.answered(conversation, params, lambda _: nullcontext(audience))
    if conversation.asker != "user" and name in _TOLD_WITH and _is_prose(params):
        from understudy.faces.calls.asks import with_asks  # noqa: PLC0415 - see `_late`

        return await with_asks(conversation, answered)
    return answered


def _is_prose(params: object) -> bool:
    """Whether the answer's text is read as it is: other forms are a program's."""
    given = cast("dict[str, object]", params) if isinstance(params, dict) else {}
    return given.get("format", "text") == "text"
