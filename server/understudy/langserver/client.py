"""One server's protocol state: handshake, its requests to us, what it published and when."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import field
from typing import Literal, TypeVar

from understudy.disk.voices import Voices
from understudy.langserver import methods
from understudy.langserver.capabilities import initialize_params
from understudy.langserver.connection import Connection, Dead, ErrorAnswer, Recorder
from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.langserver.spec import ServerSpec, section_of
from understudy.langserver.waiting import result_by
from understudy.process.running import Running
from understudy.values.frozen import frozen
from understudy.values.positions import PositionEncoding
from understudy.values.version import __version__

Configure = Callable[[ServerSpec, str | None, str | None], Json]
"""Settings for (spec, scope URI, section): how an editor's own settings reach a server."""

T = TypeVar("T")

_log = logging.getLogger(__name__)

_ERROR = 1
"""MessageType.Error of the protocol."""
_PROBES = "file:///understudy-probe/"
_PROBE_TURN_S = 0.1
"""How long a probe may go without a finding before it is shown once more."""
_MAX_ERRORS = 100
_MAX_KEPT = 100_000
"""Of a kind, what a server may have us keep: more than any project has files."""


@frozen(slots=True)
class Progress:
    """A step of a server's work, for the user to see; `percentage` is 0 to 100 where known."""

    server: str
    kind: Literal["begin", "report", "end"]
    text: str
    percentage: int | None


@frozen(slots=True)
class Publish:
    """What a server pushed for a document; `arrival` counts its messages."""

    version: int | None
    diagnostics: Json
    arrival: int


@frozen
class Hooks:
    """What the outside wants to see or decide; all are optional."""

    voices: Voices = field(default_factory=Voices)
    configure: Configure | None = None
    progress: Callable[[Progress], None] | None = None
    recorder: Recorder | None = None
    servers_changed: Callable[[], None] | None = None
    """Called when a server has started, failed to start, or ends."""
    apply_edit: Callable[[ServerSpec, Json], bool] | None = None
    """Gets the WorkspaceEdit that a server wants applied; says whether it was taken."""


class Client:
    """The connection to one server process, and all evidence that came over it."""

    def __init__(self, spec: ServerSpec, child: Running, hooks: Hooks) -> None:
        self.spec = spec
        self.connection = Connection(child.stdout, child.stdin, self._on_message, hooks.recorder)
        self.capabilities: dict[str, Json] = {}
        self.encoding: PositionEncoding = "utf-16"
        self.registrations: dict[str, tuple[str, Json]] = {}
        self.publishes: dict[str, Publish] = {}
        self.validated: dict[str, int] = {}
        """Path -> arrival of the last notice that the document has been validated well."""
        self.failures: list[str] = []
        self.errors: list[str] = []
        self.configured = False
        self.content: Callable[[str], str | None] = lambda _uri: None
        self.edit_in_utf16: Callable[[Json], Json] = lambda edit: edit
        self._hooks = hooks
        self._probed: str | None = None
        self._waiters: set[asyncio.Future[None]] = set()
        self._titles: dict[str, str] = {}
        self._uris: dict[str, str | None] = {}

    async def initialize(self, deadline: float) -> None:
        """Shake hands; raises Dead, ErrorAnswer or asyncio.TimeoutError."""
        params = initialize_params(self.spec, __version__)
        result = await self.connection.request(methods.INITIALIZE, params, deadline)
        if not isinstance(fields_of(result).get("capabilities"), dict):
            raise Dead("its answer to initialize has no capabilities")
        self.capabilities = fields_of(result["capabilities"])
        chosen: Json = self.capabilities.get("positionEncoding", "utf-16")
        encoding: Json = self.spec.profile.positions or chosen
        if encoding not in ("utf-8", "utf-16", "utf-32"):
            raise Dead(f"it chose a position encoding that was not offered: {encoding!r}")
        self.encoding = encoding
        self.connection.notify(methods.INITIALIZED, {})
        settings = self._configuration(None, None)
        if settings and self.spec.profile.settings_by == "notification":
            self.connection.notify(methods.DID_CHANGE_CONFIGURATION, {"settings": settings})
        if self.spec.profile.ready == "configuration":
            await self.wait_until(lambda: self.configured, deadline)
        for path, text in self.spec.profile.probe.items():
            await self._probe(path, text, deadline)

    async def _probe(self, path: str, text: str, deadline: float) -> None:
        """Show a document that is nowhere until the server has found something in it.

        It is shown again and again: tombi 1.9.6 says nothing new about one that it read too early.
        """
        self._probed = uri = f"{_PROBES}{path}"
        document = {"uri": uri, "languageId": self.spec.profile.language_of(path)}
        opened = {"textDocument": {**document, "version": 1, "text": text}}
        self.connection.notify(methods.DID_OPEN, opened)
        version = 1
        while not await self._finds_soon(deadline):
            version += 1
            shown = {"uri": uri, "version": version}
            changed = {"textDocument": shown, "contentChanges": [{"text": text}]}
            self.connection.notify(methods.DID_CHANGE, changed)
        self.connection.notify(methods.DID_CLOSE, {"textDocument": {"uri": uri}})

    async def _finds_soon(self, deadline: float) -> bool:
        """Whether the probe is answered within its turn; raises Dead or asyncio.TimeoutError."""
        turn = asyncio.get_running_loop().time() + _PROBE_TURN_S
        try:
            await self.wait_until(lambda: self._probed is None, min(turn, deadline))
        except asyncio.TimeoutError:
            if turn >= deadline:
                raise
            return False
        return True

    async def wait_until(self, condition: Callable[[], bool], deadline: float) -> None:
        """Wait until a message makes the condition true; raises Dead or asyncio.TimeoutError."""
        loop = asyncio.get_running_loop()
        while not condition():
            if self.connection.dead is not None:
                raise Dead(self.connection.dead)
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiters.add(waiter)
            try:
                await result_by(waiter, deadline)
            finally:
                self._waiters.discard(waiter)

    @property
    def pulls(self) -> bool:
        """Whether the server has said that it answers textDocument/diagnostic."""
        return bool(self.pull_options())

    def pull_options(self) -> list[dict[str, Json]]:
        """The options of each offer of diagnostics, made at the start or registered later."""
        offers = [self.capabilities.get("diagnosticProvider")]
        offers += [o or {} for name, o in self.registrations.values() if name == methods.DIAGNOSTIC]
        return [fields_of(offer) for offer in offers if offer not in (None, False)]

    def offers(self, method: str) -> bool:
        """Whether the server has said that it knows a method, at the start or later."""
        if any(name == method for name, _ in self.registrations.values()):
            return True
        found: Json = self.capabilities
        for key in methods.PROVIDERS.get(method, ()):
            found = fields_of(found).get(key)
        return found not in (None, False)

    @property
    def action_kinds(self) -> tuple[str, ...]:
        """The kinds of code actions that the server has announced."""
        offers = [self.capabilities.get("codeActionProvider")]
        offers += [o for name, o in self.registrations.values() if name == methods.CODE_ACTION]
        kinds = (fields_of(offer).get("codeActionKinds") for offer in offers)
        lists = (items_of(one) for one in kinds if isinstance(one, list))
        return tuple(str(kind) for listed in lists for kind in listed)

    async def shut_down(self, deadline: float) -> None:
        """Ask it to end; silence and refusal are fine, the caller ends the process anyway."""
        try:
            await self.connection.request(methods.SHUTDOWN, None, deadline)
            self.connection.notify(methods.EXIT, None)
            self.connection.flush()
            await self.connection.drain(deadline)
        except (Dead, ErrorAnswer, asyncio.TimeoutError) as refusal:
            _log.debug("%s: no polite end: %s", self.spec.name, refusal)

    def answered(self, path: str) -> int:
        """The version of the document that was published last, -1 if there is none."""
        publish = self.publishes.get(path)
        return -1 if publish is None or publish.version is None else publish.version

    def path_of(self, uri: str) -> str | None:
        """The root-relative path of a URI as this server spells it."""
        if uri not in self._uris:
            _keep(self._uris, uri, self.spec.root.relative_of_uri(uri))
        return self._uris[uri]

    def _on_message(self, message: dict[str, Json]) -> None:
        method = message.get("method")
        params: Json = message.get("params")
        if method is not None and "id" in message:
            self._on_request(message["id"], method, params)
        elif method == methods.PUBLISH_DIAGNOSTICS:
            self._on_publish(fields_of(params))
        elif method == methods.ESLINT_STATUS:
            self._on_status(fields_of(params))
        elif method == methods.PROGRESS:
            self._on_progress(fields_of(params))
        elif method in (methods.LOG_MESSAGE, methods.SHOW_MESSAGE):
            fields = fields_of(params)
            self._on_log(str(fields.get("message", "")), is_error=fields.get("type") == _ERROR)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _on_request(self, request_id: Json, method: str, params: Json) -> None:
        """Answer at once and never with an error: seven servers fall silent after one."""
        fields = fields_of(params)
        result: Json = None
        if method == methods.CONFIGURATION:
            items = items_of(fields.get("items"))
            result = [self._configuration(i.get("scopeUri"), i.get("section")) for i in items]
        elif method == methods.REGISTER_CAPABILITY:
            for item in items_of(fields.get("registrations")):
                offer = (item["method"], item.get("registerOptions"))
                _keep(self.registrations, item["id"], offer)
        elif method == methods.UNREGISTER_CAPABILITY:
            for item in items_of(fields.get("unregisterations")):
                self.registrations.pop(item["id"], None)
        elif method == methods.WORKSPACE_FOLDERS:
            result = initialize_params(self.spec, __version__)["workspaceFolders"]
        elif method == methods.APPLY_EDIT:
            taken = self._hooks.apply_edit
            edit = self.edit_in_utf16(fields.get("edit"))
            applied = taken is not None and taken(self.spec, edit)
            result = {"applied": applied}
        elif method == methods.VSCODE_CONTENT:
            self._on_content(request_id, params)
            return
        self._answer(request_id, result)
        self.configured = self.configured or method == methods.CONFIGURATION

    def _on_content(self, request_id: Json, params: Json) -> None:
        uri: Json = next(iter(items_of(params)), params)
        text = self.content(str(uri))
        if text is not None:
            self._answer(request_id, text)
        elif self.connection.dead is None:
            # The one request that is refused: the server then says at the place of the reference
            # that the file could not be had, which is what the user should know.
            self.connection.refuse(request_id, methods.REQUEST_FAILED, "not available offline")

    def _answer(self, request_id: Json, result: Json) -> None:
        if self.connection.dead is None:
            self.connection.respond(request_id, result)

    def _configuration(self, scope: str | None, section: str | None) -> Json:
        if self._hooks.configure is not None:
            return self._hooks.configure(self.spec, scope, section)
        root = self.spec.profile.settings_root
        if section or root is None:
            return section_of(self.spec.settings, section)
        folder = initialize_params(self.spec, __version__)["workspaceFolders"][0]
        return {**fields_of(section_of(self.spec.settings, root)), "workspaceFolder": folder}

    def _on_publish(self, params: dict[str, Json]) -> None:
        if params.get("uri") == self._probed and params.get("diagnostics"):
            self._probed = None
        path = self.path_of(str(params.get("uri")))
        version = params.get("version")
        if path is not None:
            publish = Publish(
                version if isinstance(version, int) else None,
                params.get("diagnostics"),
                self.connection.n_received,
            )
            _keep(self.publishes, path, publish)

    def _on_status(self, params: dict[str, Json]) -> None:
        path = self.path_of(str(params.get("uri")))
        # Without a time it is said, too, of what was left alone silently.
        if path is not None and params.get("state") == 1 and "validationTime" in params:
            self.validated[path] = self.connection.n_received

    def _on_log(self, text: str, *, is_error: bool) -> None:
        if is_error and text and len(self.errors) < _MAX_ERRORS:
            self.errors.append(text.splitlines()[0][:300])
        if (
            any(mark in text for mark in self.spec.profile.failure_messages)
            and len(self.failures) < _MAX_ERRORS
        ):
            self.failures.append(text.splitlines()[0][:300])

    def _on_progress(self, params: dict[str, Json]) -> None:
        token, step = str(params.get("token")), fields_of(params.get("value"))
        kind: Json = step.get("kind")
        if self._hooks.progress is None or kind not in ("begin", "report", "end"):
            return
        if kind == "begin":
            _keep(self._titles, token, str(step.get("title", "")))
        parts = (self._titles.get(token, ""), step.get("message"))
        percentage = step.get("percentage")
        self._hooks.progress(
            Progress(
                self.spec.name,
                kind,
                " ".join(str(part) for part in parts if part),
                _whole(percentage),
            )
        )
        if kind == "end":
            self._titles.pop(token, None)


def _keep(kept: dict[str, T], key: str, value: T) -> None:
    """Put it in; the oldest goes where a server has named too many."""
    if key not in kept and len(kept) >= _MAX_KEPT:
        del kept[next(iter(kept))]
    kept[key] = value


def _whole(value: Json) -> int | None:
    """A number of the server's without its fraction, None for what is none or has no end."""
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and math.isfinite(value) else None
