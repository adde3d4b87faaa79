"""The requests about a branch's edits one by one: list, text, accept, reject, reopen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from understudy.app.accept.editor import Accepted, AcceptEditor, AcceptWish, accept_in_editor
from understudy.app.accept.files import FileChanges, changed_files, texts_of
from understudy.app.accept.steps import CreateStep, DeleteStep, FileOperations, RenameStep, Step
from understudy.edits.parts import EditPart
from understudy.faces.answers.check import branch_json, check_json, conflict_json, left_json
from understudy.faces.answers.sound_json import sound_text
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import requests
from understudy.shadow.called import called
from understudy.values.errors import BadInput, Refused
from understudy.values.lines import split_lines
from understudy.values.paths import Root
from understudy.values.positions import width_of
from understudy.workspace.branches.parts import Wanted
from understudy.workspace.branches.reports import Parted
from understudy.workspace.progress import Audience


async def files(server: UnderstudyServer, params: requests.NameBranch, _: Audience) -> Json:
    """What a branch changes, file by file and hunk by hunk."""
    session = server.host.session
    branch, changes = await changed_files(session, params.branch, await server.live_base.fresh())
    return {
        "branch": branch.id,
        "title": branch.title,
        "called": called(branch.title, branch.files),
        "stamp": branch.stamp,
        "revision": branch.revision,
        "files": [_change_json(change) for change in changes],
    }


async def verdict(server: UnderstudyServer, params: requests.NameBranch, _: Audience) -> Json:
    """The last check of a branch over the documents of this connection: whole, else in part."""
    session = server.host.session
    branch = await session.branches.get(params.branch)
    kept = session.verdicts.of(branch.id, server.live_base)
    kept = kept or await session.verdicts.of_others(branch.id, server.live_base)
    part = session.verdicts.of(branch.id, server.live_base, whole=False)
    is_of_now = kept is not None and kept.is_of_now(branch)
    is_part_told = part is not None and not is_of_now and part.is_of_now(branch)
    return {
        "branch": branch.id,
        "revision": branch.revision,
        "check": None if kept is None else check_json(kept.checked),
        "ofNow": is_of_now,
        "inPart": check_json(part.checked) if part is not None and is_part_told else None,
    }


async def text(server: UnderstudyServer, params: requests.ShowFile, _: Audience) -> Json:
    """The user's text of a file and the branch's."""
    session = server.host.session
    path = session.root.relative(params.path)
    texts = await texts_of(session, params.branch, path, await server.live_base.fresh())
    return {
        "path": path,
        "origin": texts.origin,
        "before": None if texts.before is None else texts.before.sendable,
        "after": None if texts.after is None else texts.after.sendable,
    }


async def accept(server: UnderstudyServer, params: requests.AcceptBranch, _: Audience) -> Json:
    """Take edits of a branch into the documents of the editor that asks; only the user's may."""
    wish = AcceptWish(
        params.branch, _wanted(server, params), params.confirmed, params.ifStamp, params.timeout
    )
    editor = editor_of(server)
    session = server.host.session
    accepted = await accept_in_editor(
        session, server.live_base, editor, server.pending_accepts, wish
    )
    return accepted_json(accepted)


async def reject(server: UnderstudyServer, params: requests.RejectEdits, _: Audience) -> Json:
    """Drop edits of a branch; the archive keeps them."""
    wanted = _wanted(server, params)
    if wanted.is_all:
        text = "name paths or hunks; `understudy/branch/discard` puts a whole branch away"
        raise BadInput("bad-params", text, "paths")
    base = await server.live_base.fresh()
    session = server.host.session
    parted = await session.branches.reject(params.branch, base, wanted, params.ifStamp)
    return _parted_json(parted)


def accepted_json(accepted: Accepted) -> dict[str, Any]:
    """The answer of an accept; every outcome has all keys."""
    operations = accepted.operations
    return {
        "outcome": accepted.outcome,
        "text": accepted.text,
        "paths": list(accepted.paths),
        "created": list(operations.created),
        "deleted": list(operations.deleted),
        "renamed": [{"path": path, "to": to} for path, to in operations.renamed],
        "merged": list(accepted.merged),
        "unseen": list(accepted.unseen),
        "conflicts": [conflict_json(conflict) for conflict in accepted.conflicts],
        "left": left_json(accepted.left),
        **_parted_json(accepted.parted or Parted(None, None)),
    }


def workspace_edit(root: Root, steps: Sequence[Step]) -> lsp.WorkspaceEdit:
    """The steps as one edit, in their order."""
    changes = [change for step in steps for change in _document_changes(root, step)]
    return lsp.WorkspaceEdit(document_changes=changes)


def editor_of(server: UnderstudyServer) -> AcceptEditor:
    """The editor at the other end of a connection."""
    return _ConnectedEditor(server)


class _ConnectedEditor:
    """The editor at the other end of this connection."""

    def __init__(self, server: UnderstudyServer) -> None:
        self._server = server

    def refuse_unable(self, operations: FileOperations) -> None:
        workspace = self._server.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace is not None else None
        kinds = {str(kind.value) for kind in (edits and edits.resource_operations) or ()}
        if workspace is None or not workspace.apply_edit:
            missing = "`workspace.applyEdit`"
        elif edits is None or not (edits.document_changes or kinds):
            missing = "`workspaceEdit.documentChanges`"
        elif not operations.kinds <= kinds:
            names = ", ".join(sorted(operations.kinds - kinds))
            missing = f"`workspaceEdit.resourceOperations` {names}"
        else:
            return
        text = f"this editor has no {missing}; accept with `understudy branches accept`"
        raise Refused("no-apply-edit", text)

    def apply(self, label: str, steps: Sequence[Step]) -> asyncio.Task[str | None]:
        server = self._server
        edit = workspace_edit(server.host.session.root, steps)
        params = lsp.ApplyWorkspaceEditParams(edit, sound_text(label))
        task = server.host.session.tasks.spawn(self._ask(params), "apply edit")
        server.running.add(task)
        task.add_done_callback(server.running.discard)
        return task

    async def _ask(self, params: lsp.ApplyWorkspaceEditParams) -> str | None:
        answering = asyncio.wrap_future(
            self._server.protocol.send_request(lsp.WORKSPACE_APPLY_EDIT, params)
        )
        # Never cancelled: pygls fails on an answer that comes after that.
        await asyncio.wait([answering])
        try:
            answer: lsp.ApplyWorkspaceEditResult = answering.result()
        except JsonRpcException as error:
            return f"the editor could not apply it: {error.message}"
        if answer.applied:
            return None
        return f"the editor did not apply it: {answer.failure_reason or 'it gives no reason'}"


def _document_changes(
    root: Root, step: Step
) -> list[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile]:
    uri = root.uri(step.path)
    if isinstance(step, DeleteStep):
        return [lsp.DeleteFile(uri)]
    if isinstance(step, RenameStep):
        return [lsp.RenameFile(uri, root.uri(step.to))]
    if isinstance(step, CreateStep):
        start = lsp.Position(0, 0)
        fill = lsp.TextEdit(lsp.Range(start, start), step.text.content)
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri)
        made = lsp.CreateFile(uri)
        return [made, lsp.TextDocumentEdit(document, [fill])] if fill.new_text else [made]
    lines = split_lines(step.before.content)
    edits = [
        lsp.TextEdit(
            lsp.Range(_line_start(lines, part.start), _line_start(lines, part.end)),
            "".join(part.added),
        )
        for part in step.parts
    ]
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri, step.version)
    return [lsp.TextDocumentEdit(document, [*edits])]


def _line_start(lines: Sequence[str], number: int) -> lsp.Position:
    """Where a line begins; past the last one the end of the text, which may lack a line end."""
    if number < len(lines) or not lines or lines[-1][-1] in "\r\n":
        return lsp.Position(number, 0)
    return lsp.Position(number - 1, sum(width_of(char, "utf-16") for char in lines[-1]))


def _change_json(change: FileChanges) -> dict[str, Any]:
    return {
        "path": change.path,
        "kind": change.kind,
        "origin": change.origin,
        "conflict": change.conflict,
        "added": change.n_added,
        "removed": change.n_removed,
        "runs": change.runs,
        "hunks": [_hunk_json(part) for part in change.parts],
    }


def _hunk_json(part: EditPart) -> dict[str, Any]:
    lines = [*(f"-{line}" for line in part.removed), *(f"+{line}" for line in part.added)]
    shown = [line.rstrip("\r\n")[:_SHOWN_CHARACTERS] for line in lines[:_SHOWN_LINES]]
    return {
        "hunk": part.id,
        "before": {"start": part.start, "end": part.end},
        "after": {"start": part.new_start, "end": part.new_end},
        "lines": shown,
        "left_out": len(lines) - len(shown),
    }


_SHOWN_LINES = 40
_SHOWN_CHARACTERS = 400
"""What a hunk shows of itself; the whole is in the file's texts."""


def _wanted(
    server: UnderstudyServer, params: requests.AcceptBranch | requests.RejectEdits
) -> Wanted:
    root = server.host.session.root
    hunks = {root.relative(path): tuple(ids) for path, ids in params.hunks.items()}
    return Wanted(tuple(root.relative(path) for path in params.paths), hunks)


def _parted_json(parted: Parted) -> dict[str, Any]:
    left = None if parted.branch is None else branch_json(parted.branch)
    return {"branch": left, "archived": parted.archived}
