"""What edits more than the buffer it was asked in: done in the branch, never by the client.

A client applies a workspace edit to files that it does not show, too, and some write those to disk.
"""

from __future__ import annotations

from typing import Any, cast

from understudy.edits.model import edits_nothing
from understudy.faces.branch_lsp.capabilities import APPLY
from understudy.faces.branch_lsp.documents import Document
from understudy.faces.branch_lsp.questions import Questions
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.view import BranchView
from understudy.values.errors import BadInput, OutsideFailure

Json = dict[str, Any]
_RENAME, _ACTION = "textDocument/rename", "textDocument/codeAction"
_KEPT = ("title", "kind", "diagnostics", "isPreferred", "disabled")


class Actions:
    """Renames, code actions and commands over one branch."""

    def __init__(self, view: BranchView, questions: Questions, abilities: Abilities) -> None:
        self._view = view
        self._questions = questions
        self._literals = abilities.action_literals

    async def rename(
        self, params: Json, document: Document | None, text: str | None
    ) -> Json | None:
        """Rename in the branch; what the client itself is left to do is nothing."""
        path = self._questions.path_in(params)
        if path is None:
            return None
        seen = await self._questions.sighting(document, text)
        found = await self._questions.asked(_RENAME, params, path, seen)
        edit: Json | None = next((result for _, result in found if result), None)
        if edit is None:
            return None
        if not edits_nothing(edit):
            await self._view.edit(edit, seen.stamp)
        return {"changes": {}}

    async def offer(
        self, params: Json, document: Document | None, text: str | None
    ) -> list[Json] | None:
        """The code actions of all servers, each as a command of ours."""
        path = self._questions.path_in(params)
        if path is None:
            return None
        seen = await self._questions.sighting(document, text)
        found = await self._questions.asked(_ACTION, params, path, seen, everyone=True)
        return [
            self._offered(action, {"server": server, "path": path, "since": seen.stamp})
            for server, actions in found
            for action in cast("list[Json]", actions or [])
        ]

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

        Raises BadInput `bad-params`, OutsideFailure `text-moved` where the branch was edited since.
        """
        match params.get("command"), params.get("arguments"):
            case (
                "understudy.apply",
                [{"server": str(server), "path": str(path), "since": str(since), "action": action}],
            ) if isinstance(action, dict):
                await self._do(cast("Json", action), server, path, since)
            case _:
                text = f"expected {APPLY} with the arguments of a code action"
                raise BadInput("bad-params", text, "command")

    async def _do(self, action: Json, server: str, path: str, since: str) -> None:
        one = self._questions.one
        seen = await self._questions.sighting(None, None)
        if isinstance(action.get("command"), str):
            command: Json | None = action
        else:
            if "edit" not in action and "data" in action:
                resolved = await one("codeAction/resolve", action, path, seen, server)
                action = cast("Json", resolved.result or action)
            edit, command = action.get("edit"), action.get("command")
            if edit and not edits_nothing(edit):
                since = await self._view.edit(edit, since)
                seen = await self._view.look()
            elif not command:
                raise OutsideFailure("refused", "this action edits nothing", server)
        if command:
            sent = {key: command[key] for key in ("command", "arguments") if key in command}
            answer = await one("workspace/executeCommand", sent, path, seen, server)
            for edit in answer.edits:
                since = await self._view.edit(edit, since)
