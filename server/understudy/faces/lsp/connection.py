"""The connection of one LSP client: the host it has, and the messages as pygls reads them.

Nothing is published, completed or acted on in the user's files (law 3).
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import cattrs
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from understudy.app.accept.editor import PendingAccepts
from understudy.app.host.door import Visitor
from understudy.app.host.host import Host, HostOptions, Listener, open_host
from understudy.app.terminals.editor import EditorTerminals
from understudy.disk.lock import HostLock
from understudy.faces.answers.check import overlaps_json
from understudy.faces.answers.sound_json import sound, sound_text
from understudy.faces.calls.entry import Asker
from understudy.faces.lsp.chats import Chats
from understudy.faces.lsp.configuration import EditorConfiguration
from understudy.faces.lsp.keys import Keys
from understudy.faces.lsp.options import host_options, is_of_a_user, root_of
from understudy.faces.lsp.watching import Watching
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root
from understudy.values.version import WIRE, __version__
from understudy.workspace.live_base import LiveBase

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network

log = logging.getLogger(__name__)
logging.getLogger("pygls.protocol.json_rpc").addFilter(
    # The client's mistakes are answered; what cannot be read, `_Protocol` logs itself.
    lambda record: (
        not (record.exc_info and is_named(record.exc_info[1]))
        and not str(record.msg).startswith("Unable to deserialize message")
    )
)

BRANCHES_CHANGED = "understudy/branchesChanged"
SERVERS_CHANGED = "understudy/serversChanged"
MCP_CHANGED = "understudy/mcpChanged"
Welcome = Callable[[Host, Visitor], Awaitable[None]]


class UnderstudyServer(LanguageServer):
    """One editor connection: one base, over the host of its own process or one it is attached to.

    `claim` is the workspace's lock if it was taken already, or why it cannot be had; `welcome`
    serves whoever comes through the door of a host of our own.
    """

    def __init__(
        self,
        attached_to: Host | None = None,
        claim: HostLock | UnderstudyError | None = None,
        welcome: Welcome | None = None,
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
        self.watching = Watching(self, self)
        self.chats = Chats()
        """The sessions of the AI in the editor."""
        self.keys = Keys()
        self.pending_accepts = PendingAccepts()
        self.editor_terminals = EditorTerminals()
        self.is_of_a_user = attached_to is None
        """Whether the user sits at the other end, who alone accepts; an attached client says so."""
        self._claim = claim
        self._welcome = welcome
        self._host: Host | None = None
        self._live_base: LiveBase | None = None
        self._closing: asyncio.Future[None] | None = None
        self._listener = Listener(
            self._tell_branches,
            lambda: self.protocol.notify(SERVERS_CHANGED, {}),
            lambda: self.protocol.notify(MCP_CHANGED, {}),
            agent_began=self.watching.agent_began,
            watching_over=self.watching.turned_off,
        )
        self.configuration: EditorConfiguration | None = None
        self.offer_requests: Callable[[], None] = lambda: None
        """Make our own requests known, once: the client may send them from `initialized` on."""

    def _tell_branches(self) -> None:
        """Branches have changed: with what is known of those that collide."""
        now = self.host.session.overlaps.now
        told = {branch: overlaps_json(overlaps) for branch, overlaps in now.items()}
        self.protocol.notify(BRANCHES_CHANGED, {"overlaps": told})

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

    @property
    def asker(self) -> Asker:
        """Who sits at the other end."""
        return "user" if self.is_of_a_user else "agent"

    @property
    def network(self) -> Network:
        """What commands that this client runs may have at most."""
        return "host" if self.is_of_a_user else "none"

    async def open_host(self, params: lsp.InitializeParams) -> None:
        """Become the client's folder's host, or join that one; raises BadInput, and so Refused."""
        claim, self._claim = self._claim, None
        if isinstance(claim, UnderstudyError):
            raise claim
        try:
            given = params.initialization_options
            options = host_options(given)
            self.is_of_a_user = is_of_a_user(given, otherwise=self.is_of_a_user)
            root = root_of(params)
            if self.attached_to is None:
                host = await open_host(root, options, claim)
                self._live_base = host.session.bases.own
                if self._welcome is not None:
                    await host.open_door(partial(self._welcome, host))
                host.keep_tools()
                for line in host.recovered:
                    self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, line))
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
        said = cast("dict[str, object]", given or {}).keys() - {"user", "review"}
        if said:  # one that says nothing leaves the settings of the other editors alone
            host.reconfigure(options)
        host.session.pool.give_way()
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
        if getattr(message, "method", "").startswith("understudy/"):
            server.offer_requests()
        if getattr(message, "method", "") == lsp.INITIALIZE and message.params.capabilities.general:
            # Our own requests count in UTF-16, which every client must know: so does all else.
            message.params.capabilities.general.position_encodings = None
        super().handle_message(message)

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = {"understudy": {"wire": WIRE}}
        return result

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

    def refuse(self, number: str | int | None, error: BadInput) -> None:
        """Answer what is no message."""
        response = rpc_error(error).to_response_error()
        response.code = _INVALID_REQUEST if error.code == "bad-request" else _PARSE_ERROR
        self._send_data({"jsonrpc": "2.0", "id": number, "error": response})


def _mistakes(error: JsonRpcException) -> str:
    """What is wrong with a message that could not be read, and where in it."""
    cause = error.__cause__
    if isinstance(cause, cattrs.BaseValidationError):
        return "; ".join(cattrs.transform_error(cause))
    return f"cannot be understood: {cause}"


def is_named(error: BaseException | None) -> bool:
    """Whether an error is one of `rpc_error`: the client's to deal with, no failure of ours."""
    return isinstance(error, JsonRpcException) and error.data is not None


def rpc_error(error: UnderstudyError) -> JsonRpcException:
    """Our error as a JSON-RPC error with `data: {code, text, where}`."""
    kind = JsonRpcInvalidParams if isinstance(error, BadInput) else JsonRpcException
    code = JsonRpcInvalidParams.CODE if isinstance(error, BadInput) else _REQUEST_FAILED
    data = sound({"code": error.code, "text": error.text, "where": error.where})
    return kind(message=sound_text(str(error)), code=code, data=data)


_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
"""JSON-RPC 2.0, "Error object"."""
_REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: valid, but it could not be done."""
_CANCEL_SECONDS = 10.0


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
