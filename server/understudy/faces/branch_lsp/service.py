"""One branch served to one client, from `initialize` on: who answers which message."""

from __future__ import annotations

from understudy.app.check.document import judge_document
from understudy.app.host.host import Host, Listener
from understudy.faces.branch_lsp.actions import Actions
from understudy.faces.branch_lsp.diagnostics import Publisher, diagnostics_of, unknown
from understudy.faces.branch_lsp.documents import INFORMATION, WARNING, Document, Documents
from understudy.faces.branch_lsp.peer import Answering, ClientRefusal, Json, Peer
from understudy.faces.branch_lsp.questions import ABOUT_A_DOCUMENT, ABOUT_AN_ITEM, Questions
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.view import BranchView
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.workspace.tasks import Tasks

_REFRESH_SECONDS = 10.0


class Service:
    """Serves a branch; `close` it when the client has gone."""

    def __init__(
        self, host: Host, branch: str, abilities: Abilities, peer: Peer, tasks: Tasks
    ) -> None:
        self._host = host
        self._branch = branch
        self._abilities = abilities
        self._peer = peer
        self._tasks = tasks
        self._view = view = BranchView(host.session, branch)
        self._documents = Documents(view, abilities, peer, tasks, self._settled)
        self._questions = Questions(view, self._documents, abilities, self._log)
        self._actions = Actions(view, self._questions, abilities)
        self._publisher = Publisher(self._documents, peer, self._judge)
        self._listener = Listener(self._branches_changed, lambda: None)
        self._is_gone = False
        """The branch is no more, and the client knows."""
        host.listeners.add(self._listener)
        if not abilities.pulls:
            tasks.spawn(self._publisher.run(), f"publish diagnostics of {branch}")

    def begin(self, method: str, params: Json) -> Answering:
        """What answers a request, whose documents are meant as they are now.

        Raises BadInput `unknown-method`, `bad-params`.
        """
        self._host.refresh()
        document = self._documents.named(params) if "textDocument" in params else None
        text = None if document is None else document.text
        if method in ABOUT_A_DOCUMENT:
            return self._questions.about_document(method, params, document, text)
        if method in ABOUT_AN_ITEM:
            return self._questions.about_item(method, params)
        match method:
            case "textDocument/diagnostic":
                return self._report(params, document)
            case "textDocument/rename":
                return self._actions.rename(params, document, text)
            case "textDocument/codeAction":
                return self._actions.offer(params, document, text)
            case "workspace/symbol":
                return self._questions.symbols(params)
            case "workspace/executeCommand":
                return self._actions.execute(params)
            case "shutdown":
                return self.settle()
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

    async def settle(self) -> None:
        """Have the branch take all that was typed; raises as edits do."""
        await self._documents.settle_all()

    async def close(self) -> None:
        """The client has gone; what it has typed still becomes the branch's."""
        self._host.listeners.discard(self._listener)
        try:
            await self._documents.take_the_rest()
        except UnderstudyError as error:
            self._documents.say(WARNING, f"not taken: {error}")

    async def _report(self, params: Json, document: Document | None) -> Json:
        """The answer to a pull of diagnostics."""
        path = self._questions.path_in(params)
        if path is None:
            items = [unknown("outside-root", "this document is not in the branch's folder")]
        elif document is None:
            items = await self._judge_path(path)
        else:
            items = await self._judge(document)
        return {"kind": "full", "items": items}

    async def _judge(self, document: Document) -> list[Json]:
        """The diagnostics of an open document, which shows the branch's text.

        Raises OutsideFailure `text-moved` where that is another by the time of the answer.
        """
        await self._documents.settle(document)
        if document.problem is not None:
            return [unknown("out-of-step", document.problem)]
        text = document.text
        told = await self._judge_path(document.path)
        if document.text != text:
            raise OutsideFailure("text-moved", "the text has moved; ask again", document.path)
        return told

    async def _judge_path(self, path: str) -> list[Json]:
        await self._documents.settle_all()
        seen = await self._view.look()
        text = seen.snapshot.read(path)
        if text is None:
            return [unknown("unsupported", "the branch has no such file")]
        answers = await judge_document(
            self._view.session, seen.snapshot, path, owner=self._branch, deadline=seen.deadline
        )
        return diagnostics_of(answers, text.sendable)

    def _settled(self, document: Document) -> None:
        """A document has moved: what is known of it and of those that use it is out of date."""
        if not self._abilities.pulls:
            self._publisher.want(document)

    def _branches_changed(self) -> None:
        self._tasks.spawn(self._follow(), f"follow {self._branch}")

    async def _follow(self) -> None:
        """Show in the client what has become of the branch."""
        try:
            branch = await self._host.session.branches.get(self._branch)
        except UnderstudyError as error:
            if not self._is_gone:
                self._is_gone = True
                self._documents.say(WARNING, f"{error}: this server has nothing to show any more")
                self._publisher.want()
            return
        self._is_gone = False
        if branch.stamp == self._documents.stamp:
            return  # it was an edit of ours
        for document in self._documents.open.values():
            self._documents.settle_soon(document)
        if self._abilities.refreshes:
            await self._ask_to_pull()

    async def _ask_to_pull(self) -> None:
        try:
            await self._peer.request("workspace/diagnostic/refresh", {}, _REFRESH_SECONDS)
        except (ClientRefusal, TimeoutError) as refusal:
            self._log(f"the client does not ask for diagnostics anew: {refusal!r}")

    def _saved(self, params: Json) -> None:
        """The client has written a file of the user's: nobody else would say so."""
        document = self._documents.named(params)
        if document is not None:
            text = (
                f"your editor has written {document.path} into your folder: it has the branch's "
                "text now; see the page of your editor on how to keep it from that"
            )
            self._documents.say(WARNING, text)

    def _log(self, line: str) -> None:
        self._peer.notify("window/logMessage", {"type": INFORMATION, "message": line})
