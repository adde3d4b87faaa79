"""The client's questions, each asked of the servers of its file that see the branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from understudy.faces.branch_lsp.documents import OpenDocuments, Subject, uri_in
from understudy.faces.branch_lsp.shapes import Abilities, Maker, fitted, sealed, unsealed
from understudy.faces.branch_lsp.view import BranchView, Sighting
from understudy.values.errors import OutsideFailure
from understudy.workspace.sight.questions import ServerAnswer, ask_server

Json = dict[str, Any]
_ONE_FILE = (
    *("hover", "definition", "declaration", "typeDefinition", "implementation", "references"),
    *("documentSymbol", "documentHighlight", "signatureHelp", "prepareRename", "formatting"),
    *("rangeFormatting", "foldingRange", "selectionRange", "inlayHint", "completion"),
    "prepareCallHierarchy",
)
ABOUT_A_DOCUMENT = frozenset(f"textDocument/{name}" for name in _ONE_FILE)
"""Asked of one server after the other, until one has an answer."""

ABOUT_AN_ITEM = {
    "completionItem/resolve": None,
    "callHierarchy/incomingCalls": "item",
    "callHierarchy/outgoingCalls": "item",
}
"""About something that a server has answered before, and the parameter that it comes in."""


class Questions:
    """Asks the servers; `tell` gets what the client's log should have."""

    def __init__(
        self, view: BranchView, documents: OpenDocuments, abilities: Abilities,
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._view = view
        self._documents = documents
        self._abilities = abilities
        self._tell = tell
        self._told: set[str] = set()

    async def about_document(self, method: str, params: Json, subject: Subject) -> Any:  # noqa: ANN401 - as JSON has it
        """The first answer that a server has."""
        if subject.path is None:
            return None
        seen = await self.sighting(subject)
        found = await self.asked(method, params, subject.path, seen)
        if not found:
            return None
        server, result = next((one for one in found if one[1]), found[0])
        result = sealed(method, result, Maker(server, subject.path, subject.is_own))
        return fitted(method, result, self._abilities, uri_in(params))

    async def about_item(self, method: str, params: Json) -> Any:  # noqa: ANN401 - as JSON has it
        """What the server that has made an item says of it."""
        key = ABOUT_AN_ITEM[method]
        maker, raw = unsealed(params if key is None else params.get(key))
        seen = await self.sighting(Subject(maker.path, is_own=maker.is_own))
        sent = raw if key is None else {**params, key: raw}
        answer = await self.one(method, sent, maker.path, seen, maker.server)
        return sealed(method, answer.result, maker)

    async def symbols(self, params: Json) -> list[Json]:
        """What the servers of the open and of the edited files find in the whole folder."""
        seen = await self.sighting(Subject(None))
        edited = (path for path in sorted(seen.snapshot.edits) if seen.snapshot.exists(path))
        places: dict[str, str] = {}
        for path in (*(one.path for one in self._documents.open.values()), *edited):
            for server in filter(None, self.servers(path, seen)):
                places.setdefault(server, path)
        found: list[Json] = []
        for server, path in places.items():
            try:
                answer = await self.one("workspace/symbol", params, path, seen, server)
            except OutsideFailure as error:
                self._note(error)
            else:
                found += cast("list[Json]", answer.result or [])
        return found

    async def sighting(self, subject: Subject) -> Sighting:
        """The branch, or the user's own text, as it is now, with all that was typed.

        Raises BadInput `outside-root`; OutsideFailure `text-moved` where the subject was asked
        about with another text, `out-of-step` where its buffer does not show the branch's text.
        """
        if subject.path is not None:
            self._view.session.root.relative(subject.path)  # it may be the client's word
        await self._documents.settle_all()
        document = subject.document
        if document is not None and document.problem is not None:
            await self._documents.settle(document)  # it may be in step again by now
        if document is not None and document.problem is not None:
            raise OutsideFailure("out-of-step", document.problem)
        seen = await self._view.look(own=subject.is_own)
        if document is not None:
            now = seen.snapshot.read(document.path)
            if now is None or now.sendable != subject.text:
                self._documents.settle_soon(document)
                raise OutsideFailure("text-moved", "the text has moved; ask again", document.path)
        return seen

    async def asked(
        self, method: str, params: Json, path: str, seen: Sighting, server: str | None = None
    ) -> list[tuple[str, Any]]:
        """The servers' results up to the first that is not empty; `server` alone may be asked.

        None where no server knows such a question. Raises what they do where none has a result.
        """
        results: list[tuple[str, Any]] = []
        errors: list[OutsideFailure] = []
        for name in self.servers(path, seen) if server is None else [server]:
            try:
                answer = await self.one(method, params, path, seen, name)
            except OutsideFailure as error:
                errors.append(error)
                continue
            results.append((answer.server, answer.result))
            if answer.result:
                break
        for error in errors:
            self._note(error)
        serious = [error for error in errors if error.code != "not-offered"]
        if not results and serious:
            raise serious[0]
        return results

    async def one(
        self, method: str, params: Json, path: str, seen: Sighting, server: str | None
    ) -> ServerAnswer:
        """One server's answer; raises as `ask_server` does."""
        answer = await ask_server(
            self._view.session, seen.snapshot, method, params,
            owner=self._view.branch_id, deadline=seen.deadline, path=path, server=server,
        )  # fmt: skip
        if answer.unseen:
            self._say_once(f"{answer.server} cannot see, and may lack: {', '.join(answer.unseen)}")
        return answer

    def servers(self, path: str, seen: Sighting) -> list[str | None]:
        """Whom to ask about a file, who knows its types first; None: whoever there is."""
        chosen = self._view.session.servers.choose(path, seen.only)
        choices = [one for one in chosen if one.spec is not None]
        ordered = sorted(choices, key=lambda choice: choice.profile.group != "types")
        return [choice.name for choice in ordered if not choice.is_command] or [None]

    def _note(self, error: OutsideFailure) -> None:
        self._say_once(str(error))

    def _say_once(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self._tell(line)
