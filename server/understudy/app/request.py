"""The verb `request`: an LSP request to a language server that sees the branch."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from understudy.app.blind_spots import unseen
from understudy.app.check_options import time_limit
from understudy.app.live_base import LiveBase
from understudy.app.server_choice import ServerChoice
from understudy.app.session import Session
from understudy.app.sight import sights
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure

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


@dataclass(frozen=True)
class RequestAnswer:
    """A server's raw result (positions in UTF-16).

    `edited` are the paths that the server's own edits changed in the branch, `unseen` those of
    the snapshot that it cannot see, so that its answer may lack them.
    """

    server: str
    result: Any
    edited: tuple[str, ...]
    unseen: tuple[str, ...]


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

    Raises BadInput `method-not-allowed`, `bad-params`, `unknown-branch`, `unknown-server`;
    OutsideFailure with a reason's code where the server cannot answer.
    """
    if method not in ALLOWED:
        allowed = ", ".join(sorted(ALLOWED))
        raise BadInput("method-not-allowed", f"these may be forwarded: {allowed}", method)
    base = await (live_base or session.bases.own).fresh()
    snapshot = await session.branches.snapshot(branch_id, base)
    path, sent = _located(session, snapshot, params)
    choice = _choice(session, path, server)
    (sight,) = await sights(session, choice, [snapshot])
    spec = sight.spec
    if spec is None:
        reason = choice.reason
        assert reason is not None
        raise OutsideFailure(reason.code, reason.text, choice.name)
    deadline = time.monotonic() + time_limit(timeout_s, session.settings.timeout_s)
    async with session.pool.lease(spec, branch_id, deadline) as lease:
        with session.taking_edits(spec) as taken:
            result = await lease.request(snapshot, path, method, sent, deadline)
    edited: tuple[str, ...] = ()
    if taken:
        edits = [{"kind": "workspaceEdit", "edit": edit} for edit in taken]
        edited = (await session.branches.edit(branch_id, edits, base)).changed
    hidden = () if sight.staged else unseen(snapshot, choice)
    return RequestAnswer(choice.name, result, edited, hidden)


def _located(
    session: Session, snapshot: Snapshot, params: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The document that a request is about, and the params with its URI as servers know it."""
    for key in ("textDocument", "item", "data"):
        table = params.get(key)
        uri = cast("dict[str, object]", table).get("uri") if isinstance(table, dict) else None
        if not isinstance(uri, str):
            continue
        path = session.root.relative_of_uri(uri) if ":" in uri else session.root.relative(uri)
        if path is None:
            raise BadInput("outside-root", "the document is not in the root", uri)
        if key != "textDocument":
            return path, dict(params)
        document = {**cast("dict[str, Any]", table), "uri": session.root.uri(path)}
        return path, {**params, "textDocument": document}
    for path in sorted(snapshot.edits):  # a resolve or a command names no document
        if snapshot.edits[path] is not None and session.servers.choose(path):
            return path, dict(params)
    raise BadInput("bad-params", "name the document: params.textDocument.uri")


def _choice(session: Session, path: str, server: str | None) -> ServerChoice:
    if server is not None:
        if server not in session.servers.names():
            known = ", ".join(session.servers.names())
            raise BadInput("unknown-server", f"there are: {known}", server)
        chosen = session.servers.choose(path, (server,))
    else:
        chosen = session.servers.choose(path)
    # The group of the types answers questions; a linter is asked only by its name.
    chosen = tuple(choice for choice in chosen if not choice.is_command)
    ordered = sorted(chosen, key=lambda choice: choice.profile.group != "types")
    if not ordered:
        raise OutsideFailure("no-server", "no server of the catalogue is for this file", path)
    return ordered[0]
