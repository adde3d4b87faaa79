"""One request of the protocol to the language server that sees a snapshot.

What the server asks its client to edit meanwhile is given back; nothing is changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from understudy.edits.model import edits_nothing
from understudy.langserver.methods import EXECUTE_COMMAND
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import HOW_TO_TRUST, BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.own_folders import is_own
from understudy.values.paths import path_of_uri
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.blind_spots import unseen
from understudy.workspace.sight.sights import sights

_LONGEST = 8192
_numbers = itertools.count(1)


@frozen
class ServerAnswer:
    """A server's raw result (positions in UTF-16).

    `edits` are the LSP workspace edits that the server asked its client to make meanwhile,
    `unseen` the paths of the snapshot that it cannot see, so that its answer may lack them.
    `staged` says that it ran on a stage of its own, which has gone with all that it wrote there.
    """

    server: str
    result: Any
    edits: tuple[dict[str, Any], ...]
    unseen: tuple[str, ...]
    staged: bool = False


async def ask_server(
    session: Session,
    snapshot: Snapshot,
    method: str,
    params: Mapping[str, Any],
    *,
    owner: str,
    deadline: float,
    path: str | None = None,
    server: str | None = None,
    beside: Sequence[str] = (),
    is_ours: bool = False,
) -> ServerAnswer:
    """Forward one request under a lease; `deadline` is loop time, `owner` waits in the fair queue.

    `path` is the document that says which server (None: the one that the params name), `server`
    the server's name (None: the one that knows the types), `beside` are files that are open to it
    meanwhile. `is_ours`: the params name nothing but the path and what a server said itself. A
    command of the server that is not
    known to be harmless (`Profile.commands`) runs on a stage of its own, in a trusted folder alone:
    servers write files and start programs at such a word.
    Raises BadInput `bad-params`, `unknown-server`, `outside-root`, `own-folder`;
    Refused `untrusted`; OutsideFailure with a reason's code where the server cannot answer.
    """
    if is_ours and path is not None:
        named, sent = path, params
    else:
        named, sent = _located(session, snapshot, params, path)
    choice = server_for(session, named, server)
    (sight,) = await sights(session, choice, [snapshot])
    spec = sight.spec
    if spec is None:
        reason = choice.reason
        assert reason is not None
        raise OutsideFailure(reason.code, reason.text, choice.name)
    is_free = method == EXECUTE_COMMAND and _is_free(choice, params)
    if is_free:
        spec = await _apart(session, choice, spec)
    try:
        async with session.pool.lease(spec, owner, deadline) as lease:
            with session.taking_edits(spec) as taken:
                result = await lease.request(snapshot, named, method, sent, deadline, beside)
    finally:
        if is_free:  # nobody else may see what it wrote
            session.pool.retire(lambda used: used.key == spec.key)
    edits = tuple(cast("dict[str, Any]", edit) for edit in taken if not _is_empty(edit))
    hidden = () if is_free or sight.staged else unseen(snapshot, choice)
    return ServerAnswer(choice.name, result, edits, hidden, staged=is_free)


def server_for(session: Session, path: str, server: str | None = None) -> ServerChoice:
    """Who is asked about a file: the server of that name, else the one that knows the types.

    Raises BadInput `unknown-server`, OutsideFailure `no-server`.
    """
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
    session: Session, snapshot: Snapshot, params: Mapping[str, Any], path: str | None
) -> tuple[str, dict[str, Any]]:
    """The document that a request is about, and the params with its URI as servers know it."""
    _refuse_own(params, "params")
    named: list[tuple[str, dict[str, Any]]] = []
    for key in ("textDocument", "item", "data"):
        table = params.get(key)
        uri = cast("dict[str, object]", table).get("uri") if isinstance(table, dict) else None
        if not isinstance(uri, str):
            continue
        found = session.root.relative_of_uri(uri) if ":" in uri else uri
        if found is None and key != "textDocument" and path is not None:
            continue  # a server's own word for what lies in a library
        if found is None:
            raise BadInput("outside-root", "the document is not in the root", uri)
        found = session.root.relative(found)
        document = {**cast("dict[str, Any]", table), "uri": session.root.uri(found)}
        named.append((found, {**params, key: document} if key == "textDocument" else {**params}))
    if named:
        return named[0] if path is None else (path, named[0][1])
    if path is not None:
        return path, dict(params)
    for edited in sorted(snapshot.edits):  # a resolve or a command names no document
        if snapshot.edits[edited] is not None and session.servers.choose(edited):
            return edited, dict(params)
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
