"""The verb `request`: an LSP request to a language server that sees the branch."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import time_limit
from understudy.workspace.session import Session
from understudy.workspace.sight.questions import ask_server

ALLOWED = frozenset(
    {
        "callHierarchy/incomingCalls",
        "callHierarchy/outgoingCalls",
        "codeAction/resolve",
        "completionItem/resolve",
        "textDocument/codeAction",
        "textDocument/completion",
        "textDocument/declaration",
        "textDocument/definition",
        "textDocument/documentHighlight",
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/formatting",
        "textDocument/hover",
        "textDocument/implementation",
        "textDocument/inlayHint",
        "textDocument/prepareCallHierarchy",
        "textDocument/prepareRename",
        "textDocument/rangeFormatting",
        "textDocument/references",
        "textDocument/rename",
        "textDocument/selectionRange",
        "textDocument/signatureHelp",
        "textDocument/typeDefinition",
        "workspace/executeCommand",
    }
)
"""What may be forwarded: questions, and commands, whose edits land in the branch."""


@frozen
class RequestAnswer:
    """A server's raw result (positions in UTF-16).

    `staged` says that it ran on a stage of its own, which has gone with all that it wrote there.
    `edited` are the paths that the server's own edits changed in the branch, `unseen` those of
    the snapshot that it cannot see, so that its answer may lack them.
    """

    server: str
    result: Any
    edited: tuple[str, ...]
    unseen: tuple[str, ...]
    staged: bool = False


async def request_on_branch(
    session: Session,
    branch_id: str,
    method: str,
    params: Mapping[str, Any],
    *,
    server: str | None = None,
    timeout_s: float | None = None,
    live_base: LiveBase | None = None,
) -> RequestAnswer:
    """Forward a request under a lease; edits that the server asks for become the branch's.

    Raises BadInput `method-not-allowed`, `unknown-branch`, and what `ask_server` raises.
    """
    if method not in ALLOWED:
        allowed = ", ".join(sorted(ALLOWED))
        raise BadInput("method-not-allowed", f"these may be forwarded: {allowed}", method)
    base = await (live_base or session.bases.own).fresh()
    snapshot = await session.branches.snapshot(branch_id, base)
    deadline = time.monotonic() + time_limit(timeout_s, session.settings.timeout_s)
    answer = await ask_server(
        session, snapshot, method, params, owner=branch_id, deadline=deadline, server=server
    )
    edited: tuple[str, ...] = ()
    edits = [{"kind": "workspaceEdit", "edit": edit} for edit in answer.edits]
    if edits:
        edited = (await session.branches.edit(branch_id, edits, base)).changed
    return RequestAnswer(answer.server, answer.result, edited, answer.unseen, answer.staged)
