"""The branch's changes in its own documents: lenses and code actions, and what they stand for.

The client shows the branch's text, and none of the user's: what is accepted is written into the
folder, as by `understudy branches accept`.
"""

from __future__ import annotations

from typing import Any

from understudy.app.accept.files import FileChanges, changed_files
from understudy.app.accept.folder import accept_part
from understudy.faces.answers.hunks import ACCEPT, REJECT, Choice, actions_of, lenses_of
from understudy.faces.branch_lsp.documents import Subject
from understudy.faces.branch_lsp.view import BranchView
from understudy.faces.calls.asks import send_back
from understudy.langserver.json_values import fields_of, items_of
from understudy.values.errors import BadInput

Json = dict[str, Any]


class ChangeOffers:
    """Offers the changes of one branch, and takes, drops or sends them back by the user's word."""

    def __init__(self, view: BranchView, *, literals: bool) -> None:
        self._view = view
        self._literals = literals

    async def lenses(self, subject: Subject) -> list[Json] | None:
        """The lenses of a document of the branch; none of one that is the user's own."""
        change = await self._of(subject)
        return None if change is None else lenses_of(self._view.branch_id, change, "after")

    async def actions(self, params: Json, subject: Subject) -> list[Json]:
        """The same for the lines that are asked about, unless actions of other kinds are wanted."""
        only = items_of(fields_of(params.get("context")).get("only"))
        if only and "quickfix" not in only:
            return []
        change = await self._of(subject)
        if change is None:
            return []
        places = [fields_of(fields_of(params.get("range")).get(side)) for side in ("start", "end")]
        first, last = (place.get("line") for place in places)
        if not isinstance(first, int) or not isinstance(last, int):
            raise BadInput("bad-params", "name the lines: params.range", "range")
        branch = self._view.branch_id
        return actions_of(branch, change, "after", (first, last), literals=self._literals)

    async def execute(self, command: str, arguments: object) -> None:
        """Do what one of the commands stands for.

        Raises BadInput `bad-params`, `unknown-hunk`; Conflict, Refused as `accept_part` does, and
        as `BranchView.refuse_deciding`.
        """
        self._view.refuse_deciding(command)
        choice = Choice.of(arguments)
        if choice.branch != self._view.branch_id:
            raise BadInput("bad-params", f"this server is of {self._view.branch_id}", choice.branch)
        session, base = self._view.session, self._view.live_base
        if command == ACCEPT:
            disk = await session.bases.disk([choice.path])
            book, passing = session.branches, session.unlisted
            await accept_part(book, passing, choice.branch, choice.wanted, disk)
        elif command == REJECT:
            await session.branches.reject(choice.branch, await base.fresh(), choice.wanted)
        else:
            await send_back(session, base, choice)

    async def _of(self, subject: Subject) -> FileChanges | None:
        if subject.path is None or subject.is_own or not self._view.decides:
            return None
        session, branch = self._view.session, self._view.branch_id
        base = await self._view.live_base.fresh()
        _, changes = await changed_files(session, branch, base, subject.path)
        return next((one for one in changes if one.path == subject.path), None)
