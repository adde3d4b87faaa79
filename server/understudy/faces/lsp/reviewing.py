"""A review in the user's own files, for editors without an integration of ours.

Commands, code actions, lenses and a hover, with clients alone that ask for them by the option
`review`. They are in no file but those of a branch that the user has opened for review, until they
close it (law 3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from lsprotocol import types as lsp

from understudy.app.accept.editor import AcceptWish, accept_in_editor
from understudy.app.accept.files import FileChanges, changed_files
from understudy.faces.answers.hunks import (
    ACCEPT,
    REJECT,
    SEND_BACK,
    Choice,
    actions_of,
    diff_lines,
    lenses_of,
    span_of,
)
from understudy.faces.calls.asks import send_back
from understudy.faces.lsp.accept import accepted_json, editor_of
from understudy.faces.lsp.connection import UnderstudyServer, rpc_error
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError

Json = dict[str, Any]
REVIEW, CLOSE = "understudy.review", "understudy.review.close"


class Reviewing:
    """Which branch's changes are shown in the user's files; none before they say so."""

    def __init__(self, server: UnderstudyServer) -> None:
        self._server = server
        self._branch: str | None = None

    async def review(self, *arguments: Any) -> Json:  # noqa: ANN401 - as the client has them
        """Open the files of a branch (its id; without one, the newest) for review."""
        session = self._server.host.session
        branch = next((one for one in arguments if isinstance(one, str)), None)
        if branch is None:
            done = await session.in_folder.look()
            all_of_them = session.branches.summaries()
            with_edits = [one.id for one in all_of_them if one.n_files and one.id not in done]
            if not with_edits:
                lacks = " that are not in the folder already" if done else ""
                raise BadInput("unknown-branch", f"there is no branch with edits{lacks}")
            branch = with_edits[-1]
        changes = await self._changes(branch)
        self._branch = branch
        n_hunks = sum(len(change.parts) for change in changes)
        self._say(f"{branch}: {n_hunks} changes in {len(changes)} files are shown for review")
        await self._refresh()
        shown = [change.origin or change.path for change in changes if change.kind != "added"]
        if shown:
            await self._show(shown[0])
        return {"branch": branch, "files": [change.path for change in changes]}

    async def close(self, *_: Any) -> None:  # noqa: ANN401 - as the client has them
        """End the review: nothing of ours is left in the user's files."""
        self._branch = None
        await self._refresh()

    async def accept(self, *arguments: Any) -> Json:  # noqa: ANN401 - as the client has them
        """Take a change into the client's documents; only the user's may."""
        server, choice = self._server, self._chosen(arguments)
        # It names what it does; a client without dialogs has no other way to confirm it.
        wish = AcceptWish(choice.branch, choice.wanted, confirmed=True)
        editor, pending = editor_of(server), server.pending_accepts
        session, base = server.host.session, server.live_base
        accepted = await accept_in_editor(session, base, editor, pending, wish)
        if accepted.outcome != "applied":
            raise OutsideFailure("not-accepted", f"{accepted.outcome}: {accepted.text}")
        await self._refresh()
        return accepted_json(accepted)

    async def reject(self, *arguments: Any) -> None:  # noqa: ANN401 - as the client has them
        """Drop a change from its branch; the archive keeps it."""
        choice = self._chosen(arguments)
        server = self._server
        base = await server.live_base.fresh()
        await server.host.session.branches.reject(choice.branch, base, choice.wanted)
        await self._refresh()

    async def send_back(self, *arguments: Any) -> None:  # noqa: ANN401 - as the client has them
        """Ask the agent to change it; it hears that with its next call."""
        choice, server = self._chosen(arguments), self._server
        await send_back(server.host.session, server.live_base, choice)
        self._say(f"the agent is asked to change {choice.path} in {choice.branch}")

    async def lenses(self, params: lsp.CodeLensParams) -> list[Json] | None:
        """Those of a file under review; none in any other."""
        found = await self._under_review(params.text_document.uri)
        return None if found is None else lenses_of(found[0], found[1], "before")

    async def actions(self, params: lsp.CodeActionParams) -> list[Json] | None:
        """The same for the lines that are asked about."""
        found = await self._under_review(params.text_document.uri)
        if found is None:
            return None
        able = self._server.client_capabilities.text_document
        action = able and able.code_action
        literals = bool(action and action.code_action_literal_support)
        lines = params.range.start.line, params.range.end.line
        return actions_of(found[0], found[1], "before", lines, literals=literals)

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What would change in a line of a file under review."""
        found = await self._under_review(params.text_document.uri)
        for part in () if found is None else found[1].parts:
            first, last = span_of(part, "before")
            if first <= params.position.line <= last:
                text = "\n".join(diff_lines(part))
                fence = "`" * 3 + "`" * text.count("```")
                content = f"{fence}diff\n{text}\n{fence}"
                return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, content))
        return None

    def _chosen(self, arguments: Sequence[Any]) -> Choice:
        if not self._server.is_of_a_user:
            text = "only the user's editor may; one that attaches to a host says `user: true`"
            raise Refused("not-for-agents", text)
        return Choice.of(arguments)

    async def _under_review(self, uri: str) -> tuple[str, FileChanges] | None:
        path = self._server.host.session.root.relative_of_uri(uri)
        if self._branch is None or path is None:
            return None
        try:
            changes = await self._changes(self._branch, path)
        except BadInput:  # the branch has gone
            self._branch = None
            return None
        mine = (one for one in changes if (one.origin or one.path) == path and one.kind != "added")
        change = next(mine, None)
        return None if change is None else (self._branch, change)

    async def _changes(self, branch: str, path: str | None = None) -> list[FileChanges]:
        base = await self._server.live_base.fresh()
        return (await changed_files(self._server.host.session, branch, base, path))[1]

    def _say(self, text: str) -> None:
        self._server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))

    async def _show(self, path: str) -> None:
        window = self._server.client_capabilities.window
        if window is None or not (window.show_document and window.show_document.support):
            return
        uri = self._server.host.session.root.uri(path)
        self._server.window_show_document(lsp.ShowDocumentParams(uri, take_focus=True))

    async def _refresh(self) -> None:
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.code_lens and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)


def offer(server: UnderstudyServer) -> None:
    """Register what a review needs, before the capabilities are told."""
    reviewing = Reviewing(server)
    commands: dict[str, Callable[..., Awaitable[Any]]] = {
        REVIEW: reviewing.review,
        CLOSE: reviewing.close,
        ACCEPT: reviewing.accept,
        REJECT: reviewing.reject,
        SEND_BACK: reviewing.send_back,
    }
    for name, work in commands.items():
        server.command(name)(_command(work))
    server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)(_named(reviewing.lenses))
    server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)(_named(reviewing.actions))
    server.feature(lsp.TEXT_DOCUMENT_HOVER)(_named(reviewing.hover))


def _named(work: Callable[[Any], Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def answer(_server: UnderstudyServer, params: Any) -> Any:  # noqa: ANN401 - any of them
        return await _errors_named(work(params))

    return answer


def _command(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def answer(_server: UnderstudyServer, *arguments: Any) -> Any:  # noqa: ANN401 - as above
        return await _errors_named(work(*arguments))

    return answer


async def _errors_named(answering: Awaitable[Any]) -> Any:  # noqa: ANN401 - as above
    try:
        return await answering
    except Moved as moved:
        text = "the file changed on disk while it was read; ask again"
        raise rpc_error(OutsideFailure("base-moved", text, moved.path)) from moved
    except UnderstudyError as error:
        raise rpc_error(error) from error
