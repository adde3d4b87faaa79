"""The documents that the client has open, each brought to the branch's text, and it to theirs.

What is typed becomes the branch's, and what becomes of the branch is shown in the client's buffer.
Each document is settled by itself, one step at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from understudy.app.typed_text import Landed, take_typed
from understudy.faces.answers.sound_json import sound_text
from understudy.faces.branch_lsp.peer import ClientRefusal, Peer
from understudy.faces.branch_lsp.shapes import Abilities
from understudy.faces.branch_lsp.texts import changed_text, line_edits
from understudy.faces.branch_lsp.view import BranchView
from understudy.langserver.json_values import fields_of
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.workspace.tasks import Tasks

Json = dict[str, Any]
_APPLY_SECONDS = 10.0
"""How long the client may take to apply an edit, and again to tell what its buffer holds then."""
WARNING, INFORMATION = 2, 3
"""MessageType of the protocol."""
log = logging.getLogger(__name__)


@dataclass(eq=False)
class Document:
    """One open document.

    `text` is what the client's buffer holds, as it was told last; `seen` is how much of that the
    branch knows: what both had last. `problem` says why the buffer does not show the branch's text.
    """

    uri: str
    path: str
    version: int | None
    text: str
    seen: str
    language: str = ""
    is_own: bool = False
    """The user's, not the branch's: it was without edits of the branch when it was opened."""
    problem: str | None = None
    awaited: str | None = None
    """The text that the client was asked to make of its buffer."""
    unwanted: str | None = None
    """The branch's text that it did not make of it."""
    noted: tuple[str, str | None, Stamp | None] | None = None
    """What was last told of it: its text, its problem, and the stamp of the branch."""
    has_changed: asyncio.Event = field(default_factory=asyncio.Event)
    settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_told(self) -> bool:
        """Whether the branch knows all that was typed."""
        return self.is_own or self.text == self.seen

    def take(self, version: int | None, changes: object) -> None:
        """Take what the client says of its buffer; raises BadInput `bad-params`."""
        for text in changed_text(self.text, changes):
            self.text = text
            if text == self.awaited:
                self.seen, self.awaited = text, None
        self.version = version
        self.unwanted = None  # another text may take what this one did not
        self.has_changed.set()


@frozen
class Subject:
    """What a request is about, as it was when it came: a file, and the document that shows it.

    `text` is the text that the places in the request are in; without a path it is elsewhere.
    """

    path: str | None
    document: Document | None = None
    text: str | None = None
    is_own: bool = False


class OpenDocuments:
    """Owns the open documents of one client.

    `settled` hears of a document whose text has moved, or that shows the branch's text by now.
    """

    def __init__(
        self,
        view: BranchView,
        abilities: Abilities,
        peer: Peer,
        tasks: Tasks,
        settled: Callable[[Document], None],
    ) -> None:
        self.open: dict[str, Document] = {}
        self.stamp: Stamp | None = None
        """The branch's, when one of its texts was looked at last."""
        self._view = view
        self._abilities = abilities
        self._peer = peer
        self._tasks = tasks
        self._settled = settled

    def named(self, params: Json) -> Document | None:
        """The open document that a message names; raises BadInput `bad-params`."""
        return self.open.get(uri_in(params))

    def subject(self, params: Json) -> Subject:
        """What a request is about; raises BadInput `bad-params`."""
        document = self.named(params)
        if document is not None:
            return Subject(document.path, document, document.text, document.is_own)
        path = self._view.path_of(uri_in(params))
        return Subject(path, is_own=path is not None and self._view.is_own(path))

    def did_open(self, params: Json) -> None:
        """The client shows a document."""
        uri, item = uri_in(params), params["textDocument"]
        path = self._view.path_of(uri)
        if path is None:
            return  # elsewhere: not the branch's
        text = sound_text(str(item.get("text", "")))
        language, is_own = str(item.get("languageId", "")), self._view.is_own(path)
        document = Document(uri, path, item.get("version"), text, text, language, is_own)
        begun = self._view.text_on_disk(path)  # what else the buffer holds was typed
        document.seen = text if begun is None else begun
        self.open[uri] = document
        self._has_moved(document)

    def did_change(self, params: Json) -> None:
        """The client's buffer has changed."""
        document = self.named(params)
        if document is not None:
            document.take(params["textDocument"].get("version"), params.get("contentChanges"))
            self._has_moved(document)

    def did_close(self, params: Json) -> Document | None:
        """The client shows it no more; what was typed still becomes the branch's."""
        document = self.open.pop(uri_in(params), None)
        if document is not None:
            document.has_changed.set()
            if document.is_own:
                self._view.show_own(document.path, None, document.language, 0)
            elif not document.is_told:
                self.settle_soon(document)
        return document

    def _has_moved(self, document: Document) -> None:
        if document.is_own:
            text, version = document.text, document.version or 0
            self._view.show_own(document.path, text, document.language, version)
            self._settled(document)
        else:
            self.settle_soon(document)

    def settle_soon(self, document: Document) -> None:
        """Settle it in the background; what is wrong is told to the client."""
        self._tasks.spawn(self._settle_in_background(document), f"settle {document.path}")

    async def settle(self, document: Document) -> None:
        """Have the branch take what was typed, and the buffer show the branch's text.

        Raises as `take_typed` does.
        """
        if document.is_own:
            return
        async with document.settling:
            while True:
                landed = await self._take(document)
                if landed.collided:
                    self._note(document, _collision(document.path, landed))
                    return
                if not document.is_told:
                    continue
                if landed.text == document.text:
                    self._note(document, None)
                    return
                if not await self._bring(document, landed.text):
                    return

    async def settle_all(self) -> None:
        """Have the branch take all that was typed; raises as `settle` does."""
        for document in [one for one in self.open.values() if not one.is_told]:
            await self.settle(document)

    async def take_the_rest(self) -> None:
        """Have the branch take all that was typed in a client that has gone; raises as edits do."""
        for document in self.open.values():
            if not document.is_told:
                await self._take(document)

    def say(self, kind: int, text: str) -> None:
        """Show the user a line."""
        self._peer.notify("window/showMessage", {"type": kind, "message": text})

    async def _take(self, document: Document) -> Landed:
        """Have the branch take what was typed by now."""
        typed = document.text
        landed = await take_typed(
            self._view.session, self._view.branch_id, self._view.live_base,
            document.path, document.seen, typed,
        )  # fmt: skip
        self.stamp = landed.stamp
        if not landed.collided:
            document.seen = typed
        return landed

    async def _settle_in_background(self, document: Document) -> None:
        try:
            await self.settle(document)
        except Moved as moved:  # the next look will see what it has become
            log.info("%s has changed while it was read", moved.path)
        except UnderstudyError as error:
            self._note(document, str(error))

    async def _bring(self, document: Document, target: str | None) -> bool:
        """Have the client's buffer show the branch's text; whether to look again."""
        if self.open.get(document.uri) is not document:
            return False  # closed meanwhile
        if target is None:
            self._note(document, f"the branch has no file {document.path}: close this buffer")
            return False
        if not self._abilities.applies:
            self._note(document, _behind(document, "your client cannot apply edits"))
            return False
        if document.unwanted == target:
            return False
        shown, document.awaited = document.text, target
        document.has_changed.clear()
        edit = self._edit(document, target)
        try:
            params = {"label": f"Show {self._view.branch_id}", "edit": edit}
            answer = await self._peer.request("workspace/applyEdit", params, _APPLY_SECONDS)
            if fields_of(answer).get("applied") is True and document.text == shown:
                await asyncio.wait_for(document.has_changed.wait(), _APPLY_SECONDS)
        except (ClientRefusal, asyncio.TimeoutError) as refusal:
            log.warning("%s was not brought to the branch's text: %r", document.path, refusal)
        finally:
            document.awaited = None
        if document.text != shown:
            return True
        document.unwanted = target
        self._note(document, _behind(document, "your client did not apply the edit"))
        return False

    def _edit(self, document: Document, target: str) -> Json:
        edits = line_edits(document.text, target)
        if not self._abilities.versions:
            return {"changes": {document.uri: edits}}
        identity = {"uri": document.uri, "version": document.version}
        return {"documentChanges": [{"textDocument": identity, "edits": edits}]}

    def _note(self, document: Document, problem: str | None) -> None:
        """Note how it is, and tell of what is new."""
        if problem is not None and problem != document.problem:
            self.say(WARNING, problem)
        document.problem = problem
        noted = document.text, problem, self.stamp
        if noted != document.noted:
            document.noted = noted
            self._settled(document)


def uri_in(params: Json) -> str:
    """The document's URI; raises BadInput `bad-params`."""
    uri = fields_of(params.get("textDocument")).get("uri")
    if not isinstance(uri, str):
        raise BadInput("bad-params", "name the document: params.textDocument.uri")
    return uri


def _collision(path: str, landed: Landed) -> str:
    if landed.text is None:
        return f"{path} was deleted in the branch; what you type here is not taken"
    text = "was changed in the branch on the very lines that you changed"
    return f"{path} {text}; nothing of that is taken: undo, or close the buffer and open it anew"


def _behind(document: Document, why: str) -> str:
    text = "this buffer does not show the branch's text, and questions about it are not answered"
    return f"{document.path}: {text}: {why}; what you type is merged into the branch"
