"""An editor that takes workspace edits: texts unsaved into its documents, files to disk."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from tests.e2e.lsp_client import SECONDS, Editor, Json, connect
from understudy.values.paths import path_of_uri
from understudy.values.positions import LineIndex

ABLE: Json = {
    "applyEdit": True,
    "workspaceEdit": {
        "documentChanges": True,
        "resourceOperations": ["create", "rename", "delete"],
    },
}
Answer = lsp.ApplyWorkspaceEditResult
Behaviour = Callable[["AcceptingEditor", lsp.WorkspaceEdit], Awaitable[Answer]]
REFUSED = Answer(applied=False, failure_reason="the user said no")


LINES = "".join(f"line {number}\n" for number in range(10))
OURS = (
    LINES.replace("line 1\n", "ONE\n").replace("line 5\n", "FIVE\n").replace("line 9\n", "NINE\n")
)


def write(path: str, text: str) -> Json:
    return {"kind": "write", "path": path, "text": text}


class AcceptingEditor:
    """`texts` are its open documents; `behave` decides what it does with an edit."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.asked: list[lsp.ApplyWorkspaceEditParams] = []
        self.arrived = asyncio.Event()
        self.behave: Behaviour = AcceptingEditor.apply

        @editor.client.feature(lsp.WORKSPACE_APPLY_EDIT)
        async def on_edit(_: object, params: lsp.ApplyWorkspaceEditParams) -> Answer:
            return await self._on_edit(params)

    def open(self, path: str, text: str | None = None) -> None:
        """Open a document, with the text on disk if no other is given."""
        on_disk = self.editor.root / path
        self.texts[path] = on_disk.read_bytes().decode() if text is None else text
        self.versions[path] = 1
        self.editor.open(path, self.texts[path], "plaintext")

    def type(self, path: str, text: str) -> None:
        """The user changes a document."""
        self.texts[path], self.versions[path] = text, self.versions[path] + 1
        self.editor.change(path, {"text": text}, version=self.versions[path])

    def close(self, path: str) -> None:
        del self.texts[path], self.versions[path]
        self.editor.close(path)

    async def accept(self, branch: str, **options: Any) -> Json:
        return await self.editor.ask("understudy/branch/accept", {"branch": branch, **options})

    async def hunks(self, branch: str, path: str) -> list[str]:
        """The ids of a file's hunks."""
        listed = await self.editor.ask("understudy/branch/files", {"branch": branch})
        (file,) = [file for file in listed["files"] if file["path"] == path]
        return [hunk["hunk"] for hunk in file["hunks"]]

    async def apply(self, edit: lsp.WorkspaceEdit) -> Answer:
        """Apply as VS Code does: nothing if a version is not that of now."""
        for change in edit.document_changes or ():
            if isinstance(change, lsp.TextDocumentEdit):
                version, path = change.text_document.version, self._path(change.text_document.uri)
                if version is not None and version != self.versions.get(path):
                    return Answer(applied=False)
        for change in edit.document_changes or ():
            self._take(change)
        return Answer(applied=True)

    def _take(self, change: Any) -> None:
        root = self.editor.root
        if isinstance(change, lsp.CreateFile):
            made = root / self._path(change.uri)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_bytes(b"")
        elif isinstance(change, lsp.DeleteFile):
            gone = self._path(change.uri)
            (root / gone).unlink()
            if gone in self.texts:
                self.close(gone)
        elif isinstance(change, lsp.RenameFile):
            old, new = self._path(change.old_uri), self._path(change.new_uri)
            (root / old).rename(root / new)
            text = self.texts.get(old)
            if text is not None:
                self.close(old)
                self.open(new, text)
        else:
            path = self._path(change.text_document.uri)
            if path not in self.texts:
                self.open(path)
            self.type(path, edited(self.texts[path], change.edits))

    def _path(self, uri: str) -> str:
        path = path_of_uri(uri)
        assert path is not None
        return path.relative_to(self.editor.root).as_posix()

    async def _on_edit(self, params: lsp.ApplyWorkspaceEditParams) -> Answer:
        self.asked.append(params)
        self.arrived.set()
        return await self.behave(self, params.edit)

    async def was_asked(self) -> None:
        """Wait until an edit has come."""
        await asyncio.wait_for(self.arrived.wait(), SECONDS)


def edited(text: str, edits: list[lsp.TextEdit]) -> str:
    """The text with edits that all speak of it as it is."""
    lines = LineIndex(text)
    spans = [
        (
            lines.offset(edit.range.start.line, edit.range.start.character),
            lines.offset(edit.range.end.line, edit.range.end.character),
            edit.new_text,
        )
        for edit in edits
    ]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@asynccontextmanager
async def accepting(
    root: Path, state: Path, options: Json | None = None, abilities: Json = ABLE
) -> AsyncIterator[AcceptingEditor]:
    """An editor of a user with the folder open; it is discreet but for the edits it asks for."""
    async with connect(root, state) as editor:
        made = AcceptingEditor(editor)
        assert "result" in await editor.initialize(options, abilities=abilities)
        yield made
        if editor.client.process.returncode is None:
            assert await editor.shut_down() == 0
        assert b"Traceback" not in editor.client.stderr, editor.client.stderr.decode()


async def branches_of(window: AcceptingEditor) -> dict[str, str | None]:
    listed = await window.editor.ask("understudy/branch/list", {"archived": True})
    return {branch["branch"]: branch["ended"] for branch in listed["branches"]}
