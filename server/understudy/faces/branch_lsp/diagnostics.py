"""What servers prove about the open documents, asked for by the client or published to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from understudy.faces.branch_lsp.documents import Document, OpenDocuments
from understudy.faces.branch_lsp.peer import Peer
from understudy.shadow.folder import Moved
from understudy.values.errors import UnderstudyError
from understudy.values.findings import SEVERITIES, Finding
from understudy.values.positions import LineIndex, Position
from understudy.values.verdicts import Answer

Json = dict[str, Any]
_INFORMATION = 3
log = logging.getLogger(__name__)


def diagnostics_of(answers: Iterable[Answer], text: str) -> list[Json]:
    """The findings of all servers; what is unknown is told where the file begins (law 1)."""
    index = LineIndex(text)
    found = list(answers)
    if not found:
        return [unknown("no-server", "no server of the catalogue is for this file")]
    told = [_diagnostic(one, index) for answer in found for one in answer.findings or ()]
    told += [
        unknown(answer.reason.code, f"{answer.server}: {answer.reason.text}")
        for answer in found
        if answer.reason is not None
    ]
    return told


def unknown(code: str, text: str) -> Json:
    """Tells in a document that something about it is not known, and why."""
    start = {"line": 0, "character": 0}
    return {
        "range": {"start": start, "end": start},
        "severity": _INFORMATION,
        "source": "understudy",
        "code": code,
        "message": f"unknown: {text}",
    }


def _diagnostic(finding: Finding, index: LineIndex) -> Json:
    def place(position: Position) -> Json:
        return {"line": position.line, "character": index.character(position)}

    told: Json = {
        "range": {"start": place(finding.range.start), "end": place(finding.range.end)},
        "severity": SEVERITIES.index(finding.severity) + 1,
        "source": finding.source or finding.server,
        "message": finding.message,
    }
    return told if finding.code is None else {**told, "code": finding.code}


class Publisher:
    """Publishes to a client that does not ask, document by document, as they change.

    `judge` gives the diagnostics of a document as it is now; it raises as servers fail.
    """

    def __init__(
        self,
        documents: OpenDocuments,
        peer: Peer,
        judge: Callable[[Document], Awaitable[list[Json]]],
    ) -> None:
        self._documents = documents
        self._peer = peer
        self._judge = judge
        self._stale: dict[str, Document] = {}
        self._is_wanted = asyncio.Event()

    def want(self, first: Document | None = None) -> None:
        """Something has changed, which every open document may feel; `first` has its turn first."""
        every = [one for one in (first, *self._documents.open.values()) if one is not None]
        self._stale = {one.uri: one for one in every}
        self._is_wanted.set()

    def forget(self, document: Document) -> None:
        """The client shows it no more."""
        self._stale.pop(document.uri, None)
        self._peer.notify(
            "textDocument/publishDiagnostics", {"uri": document.uri, "diagnostics": []}
        )

    async def run(self) -> None:
        """Publish as long as the client is there."""
        while True:
            await self._is_wanted.wait()
            self._is_wanted.clear()
            while self._stale:
                document = self._stale.pop(next(iter(self._stale)))
                await self._publish(document)

    async def _publish(self, document: Document) -> None:
        text, version = document.text, document.version
        try:
            told = await self._judge(document)
        except Moved:
            self._stale.setdefault(document.uri, document)
            return
        except UnderstudyError as error:
            told = [unknown(error.code, str(error))]
        if self._documents.open.get(document.uri) is not document:
            return
        if document.text != text:  # it is about another text: its turn comes again
            return
        params: Json = {"uri": document.uri, "diagnostics": told}
        if version is not None:
            params["version"] = version
        self._peer.notify("textDocument/publishDiagnostics", params)
