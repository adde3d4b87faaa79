"""One branch served to one client, from `initialize` on: who answers which message."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from understudy.app.check.document import judge_document
from understudy.app.host.host import Host, Listener
from understudy.faces.answers.hunks import CHOICES
from understudy.faces.branch_lsp.actions import Actions
from understudy.faces.branch_lsp.changes import ChangeOffers
from understudy.faces.branch_lsp.diagnostics import Publisher, diagnostics_of, unknown
from understudy.faces.branch_lsp.documents import (
    INFORMATION,
    WARNING,
    Document,
    OpenDocuments,
    Subject,
)
from understudy.faces.branch_lsp.peer import Answering, ClientRefusal, Json, Peer
from understudy.faces.branch_lsp.questions import ABOUT_A_DOCUMENT, ABOUT_AN_ITEM, Questions
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.view import BranchView
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.stamps import Stamp
from understudy.workspace.tasks import Tasks

_REFRESH_SECONDS = _LOOK_SECONDS = 10.0
log = logging.getLogger(__name__)


class Service:
    """Serves a branch; `close` it when the client has gone."""

    def __init__(
        self, host: Host, view: BranchView, abilities: Abilities, peer: Peer, tasks: Tasks
    ) -> None:
        self._host = host
        self._view = view
        self._abilities = abilities
        self._peer = peer
        self._tasks = tasks
        self._documents = OpenDocuments(view, abilities, peer, tasks, self._settled)
        self._questions = Questions(view, self._documents, abilities, self._log)
        self._changes = ChangeOffers(view, literals=abilities.action_literals)
        self._actions = Actions(view, self._questions, abilities, peer)
        self._publisher = Publisher(self._documents, peer, self._judge)
        self._listener = Listener(self._branches_changed, lambda: None)
        self._is_gone = False
        """The branch is no more, and the client knows."""
        host.listeners.add(self._listener)
        tasks.spawn(self._watch(), f"watch what {view.branch_id} is over")
        if not abilities.pulls:
            tasks.spawn(self._publisher.run(), "publish diagnostics")

    def begin(self, method: str, params: Json) -> Answering:
        """What answers a request, whose documents are meant as they are now.

        Raises BadInput `unknown-method`, `bad-params`.
        """
        self._host.refresh()
        if method in ABOUT_A_DOCUMENT:
            return self._questions.about_document(method, params, self._documents.subject(params))
        if method in ABOUT_AN_ITEM:
            return self._questions.about_item(method, params)
        match method:
            case "textDocument/diagnostic":
                return self._report(self._documents.subject(params))
            case "textDocument/rename":
                return self._actions.rename(params, self._documents.subject(params))
            case "textDocument/codeAction":
                return self._offer(params, self._documents.subject(params))
            case "textDocument/codeLens":
                return self._changes.lenses(self._documents.subject(params))
            case "workspace/symbol":
                return self._questions.symbols(params)
            case "workspace/executeCommand":
                command = params.get("command")
                if command in CHOICES:
                    return self._choose(str(command), params.get("arguments"))
                return self._actions.execute(params)
            case "understudy/side":
                return self._side(self._documents.subject(params))
            case "shutdown":
                return self._shut_down()
            case _:
                raise BadInput("unknown-method", "a branch's server does not answer this", method)

    def hear(self, method: str, params: Json) -> None:
        """Take what the client tells; raises BadInput `bad-params`."""
        match method:
            case "textDocument/didOpen":
                self._documents.did_open(params)
            case "textDocument/didChange":
                self._documents.did_change(params)
            case "textDocument/didSave":
                self._saved(params)
            case "textDocument/didClose":
                document = self._documents.did_close(params)
                if document is not None and not self._abilities.pulls:
                    self._publisher.forget(document)
            case _:
                pass  # settings and the like: they are the folder's, and its editors'

    async def close(self) -> None:
        """The client has gone; what it has typed still becomes the branch's."""
        self._host.listeners.discard(self._listener)
        try:
            await self._documents.take_the_rest()
        except UnderstudyError as error:
            log.warning("what was typed last is not taken: %s", error)
        finally:
            self._view.close()

    async def _shut_down(self) -> None:
        """Have the branch take all that was typed."""
        try:
            await self._documents.settle_all()
        except UnderstudyError as error:
            self._documents.say(WARNING, f"what was typed last is not taken: {error}")

    async def _offer(self, params: Json, subject: Subject) -> list[Json] | None:
        """The changes here, then what servers would do."""
        changes = await self._changes.actions(params, subject)
        try:
            offered = await self._actions.offer(params, subject)
        except OutsideFailure as failure:
            if not changes and failure.code != "no-server":
                raise
            offered = []  # what there is to decide does not wait for a server
        return [*changes, *offered] if offered is not None else changes or None

    async def _choose(self, command: str, arguments: object) -> None:
        await self._documents.settle_all()
        await self._changes.execute(command, arguments)
        self._branches_changed()

    async def _side(self, subject: Subject) -> Json:
        """The branch that a document shows, or null for one of the user's own."""
        is_the_branchs = subject.path is not None and not subject.is_own
        return {"branch": self._view.branch_id if is_the_branchs else None}

    async def _report(self, subject: Subject) -> Json:
        """The answer to a pull of diagnostics."""
        if subject.path is None:
            items = [unknown("outside-root", "this document is not in the branch's folder")]
        elif subject.document is None:
            items = await self._judge_path(subject.path, is_own=subject.is_own)
        else:
            items = await self._judge(subject.document)
        return {"kind": "full", "items": items}

    async def _judge(self, document: Document) -> list[Json]:
        """The diagnostics of an open document, which shows the branch's text.

        Raises OutsideFailure `text-moved` where that is another by the time of the answer.
        """
        await self._documents.settle(document)
        if document.problem is not None:
            return [unknown("out-of-step", document.problem)]
        text = document.text
        told = await self._judge_path(document.path, is_own=document.is_own)
        if document.text != text:
            raise OutsideFailure("text-moved", "the text has moved; ask again", document.path)
        return told

    async def _judge_path(self, path: str, *, is_own: bool) -> list[Json]:
        seen = await self._questions.sighting(Subject(path, is_own=is_own))
        text = seen.snapshot.read(path)
        if text is None:
            return [unknown("unsupported", "there is no such file")]
        answers = await judge_document(
            self._view.session, seen.snapshot, path,
            owner=self._view.branch_id, deadline=seen.deadline, only=seen.only,
        )  # fmt: skip
        return diagnostics_of(answers, text.sendable)

    def _settled(self, document: Document) -> None:
        """A document has moved: what is known of it and of those that use it is out of date."""
        if not self._abilities.pulls:
            self._publisher.want(document)

    def _branches_changed(self) -> None:
        self._tasks.spawn(self._follow(), f"follow {self._view.branch_id}")

    async def _follow(self) -> None:
        """Show in the client what has become of the branch."""
        try:
            stamp = await self._view.stamp()
        except UnderstudyError as error:
            if not self._is_gone:
                self._is_gone = True
                self._documents.say(WARNING, f"{error}: this server has nothing to show any more")
                self._publisher.want()
            return
        self._is_gone = False
        if stamp != self._documents.stamp:  # else it was an edit of ours
            await self._show_anew()

    async def _watch(self) -> None:
        """Look now and then whether the user's text has moved under the branch."""
        last: Stamp | None = None
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if not self._documents.open:
                continue
            with suppress(UnderstudyError, Moved):  # a question about it will say so
                now = (await self._view.look()).snapshot.stamp
                seen, last = self._documents.stamp if last is None else last, now
                if seen not in (None, now):
                    await self._show_anew()

    async def _show_anew(self) -> None:
        """Have all documents show the branch's text, and what is known of them told again."""
        for document in self._documents.open.values():
            self._documents.settle_soon(document)
        if not self._abilities.pulls:
            self._publisher.want()
        elif self._abilities.refreshes:
            await self._ask_to_pull()

    async def _ask_to_pull(self) -> None:
        try:
            await self._peer.request("workspace/diagnostic/refresh", {}, _REFRESH_SECONDS)
        except (ClientRefusal, asyncio.TimeoutError) as refusal:
            self._log(f"the client does not ask for diagnostics anew: {refusal!r}")

    def _saved(self, params: Json) -> None:
        """The client may have written the branch's text into the folder: that must be told."""
        document = self._documents.named(params)
        if document is not None and self._view.has_written(document.path, document.text):
            text = (
                f"your editor has written {document.path} into your folder: it has the branch's "
                "text now; see the page of your editor on how to keep it from that"
            )
            self._documents.say(WARNING, text)

    def _log(self, line: str) -> None:
        self._peer.notify("window/logMessage", {"type": INFORMATION, "message": line})
