"""What edits more than the buffer it was asked in: done in the branch, never by the client.

A client applies a workspace edit to files that it does not show, too, and some write those to disk.
What is asked in a document of the user's own edits the user's files, as with any language server.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, cast

from understudy.edits.model import edits_nothing
from understudy.faces.branch_lsp.capabilities import APPLY
from understudy.faces.branch_lsp.documents import Subject
from understudy.faces.branch_lsp.peer import ClientRefusal, Peer
from understudy.faces.branch_lsp.questions import Questions
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.view import BranchView, Sighting
from understudy.langserver.json_values import fields_of, items_of
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.values.structure import structure

Json = dict[str, Any]
_RENAME, _ACTION = "textDocument/rename", "textDocument/codeAction"
_PULL = "textDocument/diagnostic"
_APPLY_SECONDS = 10.0
_KEPT = ("title", "kind", "diagnostics", "isPreferred", "disabled")


@frozen
class _Chosen:
    """A code action that was offered: by whom, of which file, at which stamp of the branch."""

    server: str
    path: str
    since: str | None
    action: dict[str, Any]


class Actions:
    """Renames, code actions and commands over one branch."""

    def __init__(
        self, view: BranchView, questions: Questions, abilities: Abilities, peer: Peer
    ) -> None:
        self._view = view
        self._questions = questions
        self._peer = peer
        self._literals = abilities.action_literals

    async def rename(self, params: Json, subject: Subject) -> Json | None:
        """Rename in the branch, and leave nothing to the client; its own documents it edits itself.

        Raises Refused `of-the-branch` where a rename in those would edit files of the branch.
        """
        if subject.path is None:
            return None
        seen = await self._questions.sighting(subject)
        # basedpyright answers nothing to a rename until it has read the file; what it finds in a
        # file it says only after that.
        with suppress(OutsideFailure):  # one that is not asked for findings needs no such wait
            asked = {"textDocument": params["textDocument"]}
            await self._questions.one(_PULL, asked, subject.path, seen, None)
        found = await self._questions.asked(_RENAME, params, subject.path, seen)
        edit: Json | None = next((result for _, result in found if result), None)
        if edit is None or edits_nothing(edit):
            return edit
        if seen.stamp is None:
            return self._view.of_user(edit)
        await self._view.edit(edit, seen.stamp)
        return {"changes": {}}

    async def offer(self, params: Json, subject: Subject) -> list[Json] | None:
        """The code actions of all servers, each as a command of ours."""
        if subject.path is None:
            return None
        path, seen = subject.path, await self._questions.sighting(subject)
        found: list[tuple[str, Any]] = []
        failures: list[OutsideFailure] = []
        for server in self._questions.servers(path, seen):
            try:
                sent = await self._as_said(params, path, seen, server)
                found += await self._questions.asked(_ACTION, sent, path, seen, server)
            except OutsideFailure as failure:  # the others' are still worth having
                failures.append(failure)
        if failures and not found:
            raise failures[0]
        return [
            self._offered(action, {"server": server, "path": path, "since": seen.stamp})
            for server, actions in found
            for action in cast("list[Json]", actions or [])
        ]

    async def _as_said(self, params: Json, path: str, seen: Sighting, server: str | None) -> Json:
        """The params, with the diagnostics in them as the server itself says them.

        Its fixes may need what it keeps in them, which no client was shown.
        """
        context = fields_of(params.get("context"))
        wanted = [_identity(one) for one in items_of(context.get("diagnostics"))]
        if not wanted:
            return params
        asked = {"textDocument": params["textDocument"]}
        try:
            answer = await self._questions.one(_PULL, asked, path, seen, server)
        except OutsideFailure:  # one that is not asked for them: what the client knows must do
            return params
        own = [
            one
            for one in items_of(fields_of(answer.result).get("items"))
            if _identity(one) in wanted
        ]
        return {**params, "context": {**context, "diagnostics": own}} if own else params

    def _offered(self, action: Json, of: Json) -> Json:
        command = {
            "title": action["title"],
            "command": APPLY,
            "arguments": [{**of, "action": action}],
        }
        if not self._literals:
            return command
        return {**{key: action[key] for key in _KEPT if key in action}, "command": command}

    async def execute(self, params: Json) -> None:
        """Do what a code action of ours stands for.

        Raises BadInput `bad-params`, Refused `of-the-branch` as `rename`, OutsideFailure
        `text-moved` where the branch was edited since.
        """
        if params.get("command") != APPLY:
            raise BadInput("bad-params", f"there is only {APPLY}", "command")
        given = next(iter(items_of(params.get("arguments"))), None)
        await self._do(structure(given, _Chosen, "bad-params", "arguments[0]"))

    async def _do(self, chosen: _Chosen) -> None:
        one, action, since = self._questions.one, dict(chosen.action), chosen.since
        path, server = chosen.path, chosen.server
        subject = Subject(path, is_own=since is None)
        seen = await self._questions.sighting(subject)
        command: Json | None = action
        if not isinstance(action.get("command"), str):
            if "edit" not in action and "data" in action:
                resolved = await one("codeAction/resolve", action, path, seen, server)
                action = cast("Json", resolved.result or action)
            edit, command = action.get("edit"), action.get("command")
            if edit and not edits_nothing(edit):
                since = await self._edit(edit, since)
                seen = await self._questions.sighting(subject)
            elif not command:
                raise OutsideFailure("refused", "this action edits nothing", server)
        if command:
            sent = {key: command[key] for key in ("command", "arguments") if key in command}
            answer = await one("workspace/executeCommand", sent, path, seen, server)
            for edit in answer.edits:
                since = await self._edit(edit, since)

    async def _edit(self, edit: Json, since: Stamp | None) -> Stamp | None:
        """Make an edit the branch's, or have the client make it in the user's own documents."""
        if since is not None:
            return await self._view.edit(edit, since)
        params = {"label": "Understudy", "edit": self._view.of_user(edit)}
        try:
            answer = await self._peer.request("workspace/applyEdit", params, _APPLY_SECONDS)
        except (ClientRefusal, asyncio.TimeoutError) as refusal:
            raise OutsideFailure("refused", f"the client did not edit: {refusal!r}") from refusal
        if fields_of(answer).get("applied") is not True:
            raise OutsideFailure("refused", "the client did not apply the edit")
        return None


def _identity(diagnostic: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as JSON has it
    fields = fields_of(diagnostic)
    return fields.get("range"), fields.get("message")
