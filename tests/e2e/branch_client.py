"""A client of `understudy lsp --branch` with buffers of its own, as an ordinary editor has them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.workspace import TextDocument

from tests.e2e.lsp_client import SECONDS, Editor, Json, connect

APPLIES: Json = {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}


class Buffers:
    """The open buffers of an editor; what the server asks to be edited is edited in them."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.takes_edits = True
        self._moved = asyncio.Event()
        self._ids = itertools.count(1)

        def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
            return self._apply(params)

        editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)(apply)

    def open(self, path: str, text: str | None = None) -> None:
        """Open a file as it is on disk, or with another text."""
        self.texts[path] = (self.editor.root / path).read_text() if text is None else text
        self.versions[path] = 1
        self.editor.open(path, self.texts[path])

    def type(self, path: str, old: str, new: str) -> None:
        """Replace a piece of text, which stands there once, as a person does."""
        before = self.texts[path]
        assert before.count(old) == 1, before
        start = before.index(old)
        self._change(path, _range(before, start, start + len(old)), new)

    def edit(self, path: str, edits: list[Json]) -> None:
        """Apply text edits of an answer, as an editor does."""
        for edit in sorted(edits, key=lambda e: _order(e["range"]["start"]), reverse=True):
            self._change(path, edit["range"], edit["newText"])

    async def until(self, path: str, text: str) -> None:
        """Wait until a buffer holds a text."""

        async def look() -> None:
            while self.texts[path] != text:
                self._moved.clear()
                await self._moved.wait()

        await asyncio.wait_for(look(), SECONDS)

    def place(self, path: str, piece: str, inside: int = 0) -> Json:
        """The params of a question about the first place of a piece of text."""
        text = self.texts[path]
        position = _range(text, text.index(piece) + inside, text.index(piece) + inside)["start"]
        return {"textDocument": {"uri": self.editor.uri(path)}, "position": position}

    async def ask(self, method: str, path: str, piece: str, **params: Any) -> Any:
        """The answer to a question about a place."""
        return await self.result(f"textDocument/{method}", {**self.place(path, piece), **params})

    async def result(self, method: str, params: Json) -> Any:
        """The answer to a request; an error fails the test."""
        response = await self.response(method, params)
        assert "error" not in response, response
        return response["result"]

    async def refusal(self, method: str, params: Json) -> Json:
        """The error that a request must be answered with."""
        response = await self.response(method, params)
        assert "error" in response, response
        return response["error"]

    async def response(self, method: str, params: Json) -> Json:
        """The whole response to a request, which is sent as it stands."""
        request = {"id": f"b{next(self._ids)}", "method": method, "params": params}
        return await self.editor.raw(request)

    async def pull(self, path: str) -> list[Json]:
        """The diagnostics, asked for."""
        params = {"textDocument": {"uri": self.editor.uri(path)}}
        report = await self.result("textDocument/diagnostic", params)
        assert report["kind"] == "full"
        return report["items"]

    def _change(self, path: str, place: Json, new: str) -> None:
        self.texts[path] = _applied(self.texts[path], [{"range": place, "newText": new}])
        self.versions[path] += 1
        change = {"range": place, "text": new}
        self.editor.change(path, change, version=self.versions[path])
        self._moved.set()

    def _apply(self, params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        if not self.takes_edits:
            return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="not by this one")
        wanted: list[tuple[str, int | None, list[lsp.TextEdit]]] = [
            (uri, None, list(edits)) for uri, edits in (params.edit.changes or {}).items()
        ]
        for change in params.edit.document_changes or ():
            assert isinstance(change, lsp.TextDocumentEdit)
            document = change.text_document
            edits = [edit for edit in change.edits if isinstance(edit, lsp.TextEdit)]
            wanted.append((document.uri, document.version, edits))
        for uri, version, edits in wanted:
            path = uri.removeprefix(self.editor.uri("")).removeprefix("/")
            if version not in (None, self.versions[path]):
                return lsp.ApplyWorkspaceEditResult(applied=False, failure_reason="it has moved")
            for edit in sorted(edits, key=lambda e: e.range.start, reverse=True):
                ends = (edit.range.start, edit.range.end)
                start, end = ({"line": at.line, "character": at.character} for at in ends)
                self._change(path, {"start": start, "end": end}, edit.new_text)
        return lsp.ApplyWorkspaceEditResult(applied=True)


def _order(place: Json) -> tuple[int, int]:
    return place["line"], place["character"]


def _range(text: str, start: int, end: int) -> Json:
    def place(offset: int) -> Json:
        before = text[:offset]
        column = before.rpartition("\n")[2]
        units = len(column.encode("utf-16-le")) // 2
        return {"line": before.count("\n"), "character": units}

    return {"start": place(start), "end": place(end)}


def _applied(text: str, edits: list[Json]) -> str:
    """The text after edits, as pygls has it: an implementation that is not ours."""
    document = TextDocument("file:///x", text)
    for edit in edits:
        start, end = (lsp.Position(**edit["range"][side]) for side in ("start", "end"))
        document.apply_change(
            lsp.TextDocumentContentChangePartial(range=lsp.Range(start, end), text=edit["newText"])
        )
    return document.source


@asynccontextmanager
async def open_branch(
    root: Path,
    state: Path,
    branch: str,
    *arguments: str,
    documents: Json | None = None,
    abilities: Json | None = None,
) -> AsyncIterator[Buffers]:
    """A client with the branch open; it ends politely, and the server with it."""
    async with connect(root, state, "--branch", branch, *arguments) as editor:
        buffers = Buffers(editor)
        response = await editor.initialize(
            abilities=APPLIES if abilities is None else abilities, documents=documents
        )
        assert "result" in response, response
        yield buffers
        if editor.client.process.returncode is None:
            assert await editor.shut_down() == 0
        assert b"Traceback" not in editor.client.stderr, editor.client.stderr.decode()
