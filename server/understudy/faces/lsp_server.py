"""The LSP server: lifecycle and document sync. It offers no language feature in the user's files.

The editor's documents become the base; everything else is the custom requests of
`lsp_requests`. Nothing is published, completed or acted on in the user's files (law 3).
"""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import Any, cast

import cattrs
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.io_ import StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from understudy import __version__
from understudy.app.accept_editor import PendingAccepts
from understudy.app.door import Visitor
from understudy.app.editor_terminals import EditorTerminals
from understudy.app.host import Host, HostOptions, Listener, open_host
from understudy.app.live_base import LiveBase
from understudy.disk.lock import HostLock
from understudy.faces.frames import FrameReader
from understudy.faces.lsp_configuration import EditorConfiguration
from understudy.faces.lsp_options import host_options, is_of_a_user
from understudy.faces.lsp_tools import Chats
from understudy.faces.lsp_watch import Watching
from understudy.faces.sound_json import sound, sound_text
from understudy.shadow.base import Buffer
from understudy.values.errors import BadInput, Refused, UnderstudyError
from understudy.values.paths import Root, path_of_uri
from understudy.values.texts import PackedText, Text

log = logging.getLogger(__name__)
logging.getLogger("pygls.protocol.json_rpc").addFilter(
    # The client's mistakes are answered; what it sent that cannot be read, `_Protocol` logs itself.
    lambda record: (
        not (record.exc_info and is_named(record.exc_info[1]))
        and not str(record.msg).startswith("Unable to deserialize message")
    )
)

BRANCHES_CHANGED = "understudy/branchesChanged"
SERVERS_CHANGED = "understudy/serversChanged"
MCP_CHANGED = "understudy/mcpChanged"
OPTIONS_CHANGED = "understudy/optionsChanged"


class UnderstudyServer(LanguageServer):
    """One editor connection: one base, over the host of its own process or one it is attached to.

    `claim` is the workspace's lock if it was taken already, or why it cannot be had.
    """

    def __init__(
        self, attached_to: Host | None = None, claim: HostLock | UnderstudyError | None = None
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - pygls leaves it untyped
            "understudy",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            converter_factory=_converter,
            protocol_cls=_Protocol,
        )
        self.attached_to = attached_to
        self.left = threading.Event()
        """Set when an attached client has said `exit`: this process goes on."""
        self.running: set[asyncio.Task[Any]] = set()
        """Requests of this client that are being answered."""
        self.watching = Watching(self)
        self.chats = Chats()
        """The sessions of the AI in the editor."""
        self.pending_accepts = PendingAccepts()
        self.editor_terminals = EditorTerminals()
        self.is_of_a_user = attached_to is None
        """Whether the user sits at the other end, who alone accepts; an attached client says so."""
        self._claim = claim
        self._host: Host | None = None
        self._live_base: LiveBase | None = None
        self._closing: asyncio.Future[None] | None = None
        self._listener = Listener(
            lambda: self.protocol.notify(BRANCHES_CHANGED, {}),
            lambda: self.protocol.notify(SERVERS_CHANGED, {}),
            lambda: self.protocol.notify(MCP_CHANGED, {}),
            agent_began=self.watching.agent_began,
            watching_over=self.watching.turned_off,
        )
        self.configuration: EditorConfiguration | None = None

    @property
    def host(self) -> Host:
        """The host; raises BadInput `not-initialized` before `initialize` has opened it."""
        if self._host is None:
            raise BadInput("not-initialized", "send `initialize` with a folder first")
        return self._host

    @property
    def live_base(self) -> LiveBase:
        """The base of this connection; raises as `host` does."""
        if self._live_base is None:
            raise BadInput("not-initialized", "send `initialize` with a folder first")
        return self._live_base

    def refuse_agents(self, what: str) -> None:
        """Raise Refused `not-for-agents` unless the user sits at the other end."""
        if not self.is_of_a_user:
            text = "only the user's editor or command line may; an editor that attaches to a host "
            raise Refused("not-for-agents", text + "says `user: true` at initialize", what)

    async def open_host(self, params: lsp.InitializeParams) -> None:
        """Become the host of the client's folder, or join the one that this server is attached to.

        Raises BadInput, and Refused for what a host refuses.
        """
        claim, self._claim = self._claim, None
        if isinstance(claim, UnderstudyError):
            raise claim
        try:
            given = params.initialization_options
            options = host_options(given)
            self.is_of_a_user = is_of_a_user(given, otherwise=self.is_of_a_user)
            root = _root(params)
            if self.attached_to is None:
                host = await open_host(root, options, claim)
                self._live_base = host.session.bases.own
                await host.open_door(partial(_welcome, host))
                host.keep_tools()
            else:
                host = self._join(root, given, options)
        except BaseException:  # whatever it is: undone, and raised again
            if isinstance(claim, HostLock):
                claim.release()
            raise
        self._host, self.configuration = host, EditorConfiguration(self, host, options)
        host.listeners.add(self._listener)

    def _join(self, root: Root, given: object, options: HostOptions) -> Host:
        host = self.attached_to
        assert host is not None
        if root != host.session.root:
            raise BadInput("other-root", f"this is the host of {host.session.root.path}", str(root))
        said = cast("dict[str, object]", given or {}).keys() - {"user"}
        if said:  # one that says nothing leaves the settings of the other editors alone
            host.reconfigure(options)
        self._live_base = host.session.bases.open()
        return host

    async def close_host(self) -> None:
        """Give the workspace back, or leave the host to the others; a second call waits for it.

        A client that asks for the end and then goes away does not stop it halfway.
        """
        closing = self._closing
        if closing is None:
            closing = self._closing = asyncio.ensure_future(self._close_host())
        await asyncio.shield(closing)

    async def _close_host(self) -> None:
        host, self._host = self._host, None
        if host is None:
            return
        host.listeners.discard(self._listener)
        self.editor_terminals.close()
        if self.attached_to is None:
            await host.close()
            return
        mine = set(self.running)
        for task in mine:  # a check that is cancelled frees its leases
            task.cancel()
        if mine:
            await asyncio.wait(mine, timeout=_CANCEL_SECONDS)
        await self.watching.stop()
        await self.chats.end()
        if self._live_base is not None:
            host.session.bases.close(self._live_base)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Keep errors in the log; the user did not ask, so no message pops up."""
        if not is_named(error):
            log.error("%s: %s", getattr(source, "__name__", source), error)


class _Protocol(LanguageServerProtocol):
    """pygls' protocol, but a request that cannot be understood is answered, not dropped.

    `exit` of an attached client ends its connection, not this process.
    """

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - pygls' own
        server = cast("UnderstudyServer", self._server)
        if server.attached_to is not None and getattr(message, "method", "") == lsp.EXIT:
            server.left.set()
            return
        if getattr(message, "method", "") == lsp.INITIALIZE and message.params.capabilities.general:
            # Our own requests count in UTF-16, which every client must know: so does all else.
            message.params.capabilities.general.position_encodings = None
        super().handle_message(message)

    def structure_message(self, data: dict[str, Any]) -> object:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            refusal = BadInput("bad-params", _mistakes(error), str(data.get("method")))
            if "id" in data and "method" in data:
                response = rpc_error(refusal).to_response_error()
                self._send_response(data["id"], None, response)
            log.warning("a message was dropped: %s", refusal)
            return JsonRPCNotification(method="$/dropped", jsonrpc="2.0", params=None)


def _mistakes(error: JsonRpcException) -> str:
    """What is wrong with a message that could not be read, and where in it."""
    cause = error.__cause__
    if isinstance(cause, cattrs.BaseValidationError):
        return "; ".join(cattrs.transform_error(cause))
    return f"cannot be understood: {cause}"


async def serve(reader: FrameReader, claim: HostLock | UnderstudyError | None) -> None:
    """Serve the client on stdin and stdout until it says `exit` or goes away."""
    server = _made(UnderstudyServer(claim=claim))
    # What is loaded stays: looking through all of it again and again would make typing wait.
    gc.collect()
    gc.freeze()
    server.protocol.set_writer(StdoutWriter(sys.stdout.buffer))
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(
        run_async(threading.Event(), reader, server.protocol, logger=log)
    )
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # Windows: a Ctrl-C is a KeyboardInterrupt there
            loop.add_signal_handler(signal_number, serving.cancel)
    try:
        await serving
    finally:
        await server.close_host()


async def serve_attached(host: Host, visitor: Visitor) -> None:
    """Serve a client that has attached to the host until it goes or the host ends."""
    server = _made(UnderstudyServer(attached_to=host))
    server.protocol.set_writer(visitor.writer)
    try:
        await run_async(server.left, visitor.reader, server.protocol, logger=log)
    except (asyncio.IncompleteReadError, ConnectionError):
        log.info("an attached client went away in the midst of a message")
    finally:
        await server.close_host()


def _made(server: UnderstudyServer) -> UnderstudyServer:
    from understudy.faces.lsp_requests import register  # noqa: PLC0415 - it needs this module

    server.feature(lsp.INITIALIZE)(_initialize)
    server.feature(lsp.INITIALIZED)(_initialized)
    server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(_ask_configuration)
    server.feature(OPTIONS_CHANGED)(_take_options)
    server.feature(lsp.SHUTDOWN)(_shut_down)
    server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_files_changed)
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(_did_open)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(_did_change)
    server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(_did_close)
    register(server)
    return server


async def _welcome(host: Host, visitor: Visitor) -> None:
    from understudy.faces.visits import welcome  # noqa: PLC0415 - it needs this module

    await welcome(host, visitor)


def is_named(error: BaseException | None) -> bool:
    """Whether an error is one of `rpc_error`: the client's to deal with, no failure of ours."""
    return isinstance(error, JsonRpcException) and error.data is not None


def rpc_error(error: UnderstudyError) -> JsonRpcException:
    """Our error as a JSON-RPC error with `data: {code, text, where}`."""
    kind = JsonRpcInvalidParams if isinstance(error, BadInput) else JsonRpcException
    code = JsonRpcInvalidParams.CODE if isinstance(error, BadInput) else _REQUEST_FAILED
    data = sound({"code": error.code, "text": error.text, "where": error.where})
    return kind(message=sound_text(str(error)), code=code, data=data)


_REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: valid, but it could not be done."""
_CANCEL_SECONDS = 10.0


async def _initialize(server: UnderstudyServer, params: lsp.InitializeParams) -> None:
    try:
        await server.open_host(params)
    except UnderstudyError as error:
        raise rpc_error(error) from error


def _initialized(server: UnderstudyServer, params: object) -> None:
    from understudy.faces.lsp_terminal_log import offer  # noqa: PLC0415 - it needs this module

    _ask_configuration(server, params)
    if server.configuration is not None:
        offer(server)


def _ask_configuration(server: UnderstudyServer, _params: object) -> None:
    if server.configuration is not None:
        server.configuration.ask()


def _take_options(server: UnderstudyServer, params: object) -> None:
    """Trust, interpreter and the like as the editor has them now; what is wrong is logged."""
    try:
        server.refuse_agents(OPTIONS_CHANGED)
        options = host_options(params)
        if server.configuration is not None:
            server.configuration.give(options)
    except UnderstudyError as error:
        log.warning("the editor's options are not used: %s", error)


async def _shut_down(server: UnderstudyServer, _params: None) -> None:
    await server.close_host()


def _files_changed(server: UnderstudyServer, _params: lsp.DidChangeWatchedFilesParams) -> None:
    server.watching.files_changed()


def _did_open(server: UnderstudyServer, params: lsp.DidOpenTextDocumentParams) -> None:
    _take_over(server, params.text_document.uri, params.text_document.language_id)


def _did_change(server: UnderstudyServer, params: lsp.DidChangeTextDocumentParams) -> None:
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


def _root(params: lsp.InitializeParams) -> Root:
    """The client's folder: the first workspace folder, else rootUri, else rootPath."""
    folders = params.workspace_folders or []
    uri = folders[0].uri if folders else params.root_uri
    path = path_of_uri(uri) if uri is not None else params.root_path
    if path is None:
        raise BadInput("no-such-root", "no folder is open; understudy needs one", uri)
    return Root.open(path)


def _converter() -> cattrs.Converter:
    """pygls' converter, but custom requests keep their params and results as they are.

    Its own hook makes named tuples of the former, which renames keys such as `src/a.py`, and looks
    at every value of the latter, which are plain JSON.
    """
    converter = default_converter()
    converter.register_unstructure_hook(JsonRPCResponseMessage, _plain)
    for kind in (JsonRPCRequestMessage, JsonRPCNotification):
        converter.register_structure_hook(kind, lambda raw, cls: cls(**{"params": None, **raw}))
    return converter


def _plain(message: JsonRPCResponseMessage) -> dict[str, Any]:
    return {"id": message.id, "jsonrpc": message.jsonrpc, "result": message.result}
