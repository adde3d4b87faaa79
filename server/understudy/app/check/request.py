"""The verb `request`: an LSP request to a language server that sees the branch."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from understudy.app.check.blind_spots import unseen
from understudy.app.check.sight import sights
from understudy.edits.model import edits_nothing
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.own_folders import is_own
from understudy.values.paths import path_of_uri
from understudy.values.trust import HOW_TO_TRUST
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import time_limit
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session

_COMMAND = "workspace/executeCommand"
_LONGEST = 8192
_numbers = itertools.count(1)
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

    A command of the server that is not known to be harmless (`Profile.commands`) runs on a stage of
    its own, in a trusted folder alone: servers write files and start programs at such a word.
    Raises BadInput `method-not-allowed`, `bad-params`, `unknown-branch`, `unknown-server`,
    `outside-root`, `own-folder`; Refused `untrusted`;
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
    is_free = method == _COMMAND and _is_free(choice, params)
    if is_free:
        spec = await _apart(session, choice, spec)
    deadline = time.monotonic() + time_limit(timeout_s, session.settings.timeout_s)
    try:
        async with session.pool.lease(spec, branch_id, deadline) as lease:
            with session.taking_edits(spec) as taken:
                result = await lease.request(snapshot, path, method, sent, deadline)
    finally:
        if is_free:  # nobody else may see what it wrote
            session.pool.retire(lambda used: used.key == spec.key)
    edited: tuple[str, ...] = ()
    edits = [{"kind": "workspaceEdit", "edit": edit} for edit in taken if not _is_empty(edit)]
    if edits:
        edited = (await session.branches.edit(branch_id, edits, base)).changed
    hidden = () if is_free or sight.staged else unseen(snapshot, choice)
    return RequestAnswer(choice.name, result, edited, hidden, staged=is_free)


def _is_free(choice: ServerChoice, params: Mapping[str, Any]) -> bool:
    """Whether a command may do anything, as far as the profile knows."""
    command = params.get("command")
    if not isinstance(command, str):
        raise BadInput("bad-params", "name the command: params.command", "params.command")
    return command not in choice.profile.commands


async def _apart(session: Session, choice: ServerChoice, spec: ServerSpec) -> ServerSpec:
    """A process for one command, on a stage that nobody else uses."""
    if not session.trusted:
        text = (
            f"this command of {choice.name} may write files or execute what lies in the folder, "
            f"and it is not trusted: {HOW_TO_TRUST}"
        )
        raise Refused("untrusted", text, "params.command")
    refusal = await session.server_stages.refusal()
    if refusal is not None:
        text = f"this command of {choice.name} may write files, and there is no stage for it"
        raise OutsideFailure("unsupported", f"{text}: {refusal}", choice.name)
    return spec.on_stage(f"{spec.staged or ''} for command {next(_numbers)}")


def _is_empty(edit: object) -> bool:
    return isinstance(edit, dict) and edits_nothing(cast("dict[str, Any]", edit))


def _located(
    session: Session, snapshot: Snapshot, params: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The document that a request is about, and the params with its URI as servers know it."""
    _refuse_own(params, "params")
    named: list[tuple[str, dict[str, Any]]] = []
    for key in ("textDocument", "item", "data"):
        table = params.get(key)
        uri = cast("dict[str, object]", table).get("uri") if isinstance(table, dict) else None
        if not isinstance(uri, str):
            continue
        path = session.root.relative_of_uri(uri) if ":" in uri else uri
        if path is None:
            raise BadInput("outside-root", "the document is not in the root", uri)
        path = session.root.relative(path)
        document = {**cast("dict[str, Any]", table), "uri": session.root.uri(path)}
        named.append((path, {**params, key: document} if key == "textDocument" else {**params}))
    if named:
        return named[0]
    for path in sorted(snapshot.edits):  # a resolve or a command names no document
        if snapshot.edits[path] is not None and session.servers.choose(path):
            return path, dict(params)
    raise BadInput("bad-params", "name the document: params.textDocument.uri")


def _refuse_own(value: object, where: str) -> None:
    """Raise BadInput `own-folder` for a URI or a path of what is ours: a server would open it."""
    if isinstance(value, str):
        path = path_of_uri(value) if value.startswith("file:") else Path(value)
        if path is not None and len(value) < _LONGEST and path.is_absolute():
            with suppress(OSError, ValueError):
                if is_own(path.resolve()):
                    raise BadInput("own-folder", "Understudy's own files are not served", where)
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            _refuse_own(item, f"{where}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            _refuse_own(item, f"{where}[{index}]")


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
