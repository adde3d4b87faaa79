"""The LSP server of a client: its lifecycle, its documents, and who answers which message.

The editor's documents become the base; everything else is the custom requests of `table`. No
language feature is offered in the user's files (law 3).
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
from contextlib import suppress
from functools import cache, partial
from typing import cast

from lsprotocol import types as lsp
from pygls.io_ import StdoutWriter

from understudy.app.host.door import Visitor
from understudy.app.host.host import Host
from understudy.disk.lock import HostLock
from understudy.faces.answers.sound_json import sound_text
from understudy.faces.frames import FrameReader
from understudy.faces.lsp.connection import (
    UnderstudyServer,
    Welcome,
    rpc_error,
)
from understudy.faces.lsp.messages import Taker, serve_messages
from understudy.faces.lsp.options import wants_review
from understudy.shadow.base import Buffer
from understudy.values.errors import UnderstudyError
from understudy.values.texts import PackedText, Text


async def serve(
    reader: FrameReader, claim: HostLock | UnderstudyError | None, welcome: Welcome
) -> None:
    """Serve the client on stdin and stdout until it says `exit` or goes away.

    `welcome` serves whoever comes through the door of the host that this process becomes.
    """
    server = made(UnderstudyServer(claim=claim, welcome=welcome))
    _freeze()
    server.protocol.set_writer(StdoutWriter(sys.stdout.buffer))
    loop = asyncio.get_running_loop()
    taker = cast("Taker", server.protocol)
    serving = asyncio.ensure_future(serve_messages(threading.Event(), reader, taker))
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(signal_number) == signal.SIG_IGN:
            continue  # whoever started us in the background wants it so
        with suppress(NotImplementedError):  # Windows: a Ctrl-C is a KeyboardInterrupt there
            loop.add_signal_handler(signal_number, serving.cancel)
    try:
        await serving
    finally:
        await server.close_host()


async def serve_attached(host: Host, visitor: Visitor) -> None:
    """Serve a client that has attached to the host until it goes or the host ends."""
    server = made(UnderstudyServer(attached_to=host))
    server.protocol.set_writer(visitor.writer)
    try:
        await serve_messages(server.left, visitor.reader, cast("Taker", server.protocol))
    finally:
        await server.close_host()


def _freeze() -> None:
    """What is loaded stays: looking through all of it again and again would make typing wait."""
    gc.collect()
    gc.freeze()


def made(server: UnderstudyServer) -> UnderstudyServer:
    """The server, with all that answers its client."""
    server.feature(lsp.INITIALIZE)(_initialize)
    server.feature(lsp.INITIALIZED)(_initialized)
    server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(_ask_configuration)
    server.feature(lsp.SHUTDOWN)(_shut_down)
    server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_files_changed)
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(_did_open)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(_did_change)
    server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(_did_close)
    server.offer_requests = cache(partial(_offer_requests, server))
    return server


def _offer_requests(server: UnderstudyServer) -> None:
    """Load what answers our own requests: `initialize` is answered without all of that."""
    from understudy.faces.lsp.table import register  # noqa: PLC0415 - see above

    register(server)
    _freeze()


async def _initialize(server: UnderstudyServer, params: lsp.InitializeParams) -> None:
    try:
        await server.open_host(params)
    except UnderstudyError as error:
        raise rpc_error(error) from error
    if wants_review(params.initialization_options):
        from understudy.faces.lsp import reviewing  # noqa: PLC0415 - few ask for it

        reviewing.offer(server)


def _initialized(server: UnderstudyServer, params: object) -> None:
    _ask_configuration(server, params)
    server.offer_requests()
    if server.configuration is not None:
        from understudy.faces.lsp.terminal_log import offer  # noqa: PLC0415 - as the requests

        offer(server)


def _ask_configuration(server: UnderstudyServer, _params: object) -> None:
    if server.configuration is not None:
        server.configuration.ask()


async def _shut_down(server: UnderstudyServer, _params: None) -> None:
    await server.close_host()


def _files_changed(server: UnderstudyServer, _params: lsp.DidChangeWatchedFilesParams) -> None:
    server.watching.files_changed()


def _did_open(server: UnderstudyServer, params: lsp.DidOpenTextDocumentParams) -> None:
    _take_over(server, params.text_document.uri, params.text_document.language_id)


def _did_change(server: UnderstudyServer, params: lsp.DidChangeTextDocumentParams) -> None:
    if server.is_of_a_user and server.keys.is_key(params):
        server.host.session.pool.typing_pause.typed()
    _take_over(server, params.text_document.uri, None)


def _did_close(server: UnderstudyServer, params: lsp.DidCloseTextDocumentParams) -> None:
    path = server.host.session.root.relative_of_uri(params.text_document.uri)
    if path is not None:
        server.live_base.set_buffer(path, None)


def _take_over(server: UnderstudyServer, uri: str, language_id: str | None) -> None:
    """Put the editor's text of a document into the base; documents elsewhere are not ours."""
    path = server.host.session.root.relative_of_uri(uri)
    if path is None:
        return
    base = server.live_base
    document = server.workspace.get_text_document(uri)
    known = base.now.buffers.get(path)
    form = known.text.form if known is not None else base.form_on_disk(path)
    # JSON can carry half a surrogate pair, which no file can hold.
    content = sound_text(document.source or "")
    text = PackedText.hold(Text(content, *form))
    language = language_id or (known.language_id if known else document.language_id or "")
    base.set_buffer(path, Buffer(text, language, document.version or 0))
