"""The language `terminal-log`: symbols, folds, links and hovers in the logs of terminals.

They are registered for that language in the folder of logs alone (law 3), with editors that take
registrations; nothing is offered in the capabilities, which would be about all files.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import FeatureAlreadyRegisteredError, JsonRpcException

from understudy.faces.answers.sound_json import sound_text
from understudy.faces.lsp.connection import UnderstudyServer, rpc_error
from understudy.terminal.log.text import HEADER_LINES, CommandRecord, Link, is_log, links, records
from understudy.values.errors import UnderstudyError
from understudy.values.paths import path_of_uri, uri_of
from understudy.values.printable import printable, visible

LANGUAGE = "terminal-log"
MAX_BYTES = 32_000_000
_SECONDS = 5.0
_MAX_NAME = 100
Handler = Callable[..., Awaitable[Any]]
log = logging.getLogger(__name__)


def offer(server: UnderstudyServer) -> None:
    """Register what the editor can take; called once it is initialized."""
    able = server.client_capabilities.text_document
    wanted = [
        (method, handler)
        for method, ability, handler in _FEATURES
        if getattr(getattr(able, ability, None), "dynamic_registration", False)
    ]
    if not wanted:
        return
    session = server.host.session
    # The pattern is a glob: what has a meaning there is matched by any character.
    folder = "".join("?" if c in "*?[]{}!\\" else c for c in str(session.layout.terminals))
    selector = [lsp.TextDocumentFilterLanguage(language=LANGUAGE, pattern=f"{folder}/*.txt")]
    options = lsp.TextDocumentRegistrationOptions(document_selector=selector)
    for method, handler in wanted:
        with suppress(FeatureAlreadyRegisteredError):  # an editor that is initialized twice
            server.feature(method)(_named(handler))
    registrations = [
        lsp.Registration(f"understudy-{method}", method, options) for method, _ in wanted
    ]
    session.tasks.spawn(_register(server, registrations), "register the language of logs")


async def _register(server: UnderstudyServer, wanted: list[lsp.Registration]) -> None:
    try:
        await server.client_register_capability_async(lsp.RegistrationParams(wanted))
    except JsonRpcException as error:
        log.warning("the editor does not take the language of logs: %s", error)


def _named(handler: Handler) -> Handler:
    """The handler, whose refusals reach the editor as errors with a name."""

    async def handle(server: UnderstudyServer, params: Any) -> object:  # noqa: ANN401 - any of them
        try:
            return await handler(server, params)
        except UnderstudyError as error:
            raise rpc_error(error) from error

    return handle


async def _symbols(
    server: UnderstudyServer, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | None:
    """One symbol a command."""
    found = await _records(server, params.text_document.uri)
    return None if found is None else [_symbol(record) for record in found]


async def _folds(
    server: UnderstudyServer, params: lsp.FoldingRangeParams
) -> list[lsp.FoldingRange] | None:
    """One fold a command, and one for the header."""
    found = await _records(server, params.text_document.uri)
    if found is None:
        return None
    header = lsp.FoldingRange(0, HEADER_LINES - 1, kind=lsp.FoldingRangeKind.Comment)
    folds = [lsp.FoldingRange(r.first, r.last) for r in found if r.last > r.first]
    return [header, *folds]


async def _links(
    server: UnderstudyServer, params: lsp.DocumentLinkParams
) -> list[lsp.DocumentLink] | None:
    """The places in files that there are."""
    text = _text(server, params.text_document.uri)
    if text is None:
        return None
    found = await server.host.session.workers.run_elsewhere(links, text, seconds=_SECONDS)
    return [_document_link(link) for link in found]


async def _hover(server: UnderstudyServer, params: lsp.HoverParams) -> lsp.Hover | None:
    """How a command ended, on the lines that open and close its record."""
    line = params.position.line
    for record in await _records(server, params.text_document.uri) or []:
        if line == record.first or (line == record.last and record.closing is not None):
            content = lsp.MarkupContent(lsp.MarkupKind.Markdown, _facts(record))
            return lsp.Hover(content)
    return None


async def _records(server: UnderstudyServer, uri: str) -> list[CommandRecord] | None:
    text = _text(server, uri)
    if text is None:
        return None
    return await server.host.session.workers.run(records, text, size=len(text))


def _text(server: UnderstudyServer, uri: str) -> str | None:
    """A log's text as the editor has it, else as it is on disk; None for all that is no log."""
    document = server.workspace.text_documents.get(uri)
    if document is not None:
        text = document.source if document.language_id == LANGUAGE else ""
        return sound_text(text) if is_log(text) else None
    path = path_of_uri(uri)
    folder = server.host.session.layout.terminals
    try:
        if path is None or Path(path).resolve().parent != folder.resolve():
            return None
        with Path(path).open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    return text if is_log(text) else None


def _symbol(record: CommandRecord) -> lsp.DocumentSymbol:
    whole = lsp.Range(lsp.Position(record.first, 0), lsp.Position(record.last + 1, 0))
    name = (record.command or "").strip().split("\n")[0][:_MAX_NAME] or "(not known)"
    detail = [_end(record), record.cwd]
    return lsp.DocumentSymbol(
        name=name,
        detail=" - ".join(part for part in detail if part),
        kind=lsp.SymbolKind.Event,
        range=whole,
        selection_range=lsp.Range(whole.start, whole.start),
    )


def _document_link(link: Link) -> lsp.DocumentLink:
    place = f"L{link.target_line}" + (f",{link.target_column}" if link.target_column else "")
    return lsp.DocumentLink(
        range=lsp.Range(lsp.Position(link.line, link.start), lsp.Position(link.line, link.end)),
        target=f"{uri_of(Path(link.path))}#{place}",
    )


def _end(record: CommandRecord) -> str:
    if record.closing is None:
        return "still running"
    code = "exit code unknown" if record.exit_code is None else f"exit {record.exit_code}"
    return f"{code} - {record.seconds} s"


def _facts(record: CommandRecord) -> str:
    """Markdown; the command in a fence that it cannot close."""
    command = visible(record.command or "(not known)")
    fence = "`" * 4
    while fence in command:
        fence += "`"
    told = [f"{_end(record)}, begun {record.start}", record.closing or ""]
    # A log is a file like others: what stands in it is quoted, so that no link comes of it.
    quoted = [f"`{printable(line).replace('`', chr(39))}`" for line in told if line]
    lines = [f"{fence}sh", command, fence, "\n\n".join(quoted)]
    return "\n".join(lines)


_FEATURES: Sequence[tuple[str, str, Handler]] = (
    (lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "document_symbol", _symbols),
    (lsp.TEXT_DOCUMENT_FOLDING_RANGE, "folding_range", _folds),
    (lsp.TEXT_DOCUMENT_DOCUMENT_LINK, "document_link", _links),
    (lsp.TEXT_DOCUMENT_HOVER, "hover", _hover),
)
"""Method, the client's ability that goes with it, and what answers."""
