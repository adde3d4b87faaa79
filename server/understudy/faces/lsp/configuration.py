"""The editor's own settings: ours and those of its language servers, asked for as they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from understudy.app.host.host import Host, HostOptions
from understudy.values.errors import UnderstudyError

ANSWER_SECONDS = 5.0
"""An editor that does not answer by then is served with what is known."""

log = logging.getLogger(__name__)


class EditorConfiguration:
    """Keeps the host's settings as the editor has them."""

    def __init__(self, server: LanguageServer, host: Host, given: HostOptions) -> None:
        self._server = server
        self._host = host
        self._given = given
        self._asking: asyncio.Task[None] | None = None
        self._answered: tuple[Sequence[str], Sequence[object]] = ((), ())

    def give(self, given: HostOptions) -> None:
        """Take what the editor has said anew of all that it says at `initialize`.

        What it said over `workspace/configuration` still counts. Raises as `Host.reconfigure`.
        """
        before, self._given = self._given, given
        try:
            self._host.reconfigure(self._merged(*self._answered))
        except UnderstudyError:
            self._given = before
            raise

    def ask(self) -> None:
        """Ask the editor again, in the background; it must be able to answer."""
        workspace = self._server.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            if self._asking is not None:
                self._asking.cancel()
            self._asking = self._host.session.tasks.spawn(self._ask(), "editor configuration")

    async def settled(self) -> None:
        """Wait until the last question is answered, or given up."""
        if self._asking is not None and not self._asking.done():
            await asyncio.wait([self._asking], timeout=ANSWER_SECONDS)

    async def _ask(self) -> None:
        session = self._host.session
        sections = ("understudy", *session.servers.sections())
        uri = session.root.path.as_uri()
        items = [lsp.ConfigurationItem(scope_uri=uri, section=section) for section in sections]
        try:
            question = self._server.workspace_configuration_async(lsp.ConfigurationParams(items))
            answer = await asyncio.wait_for(question, ANSWER_SECONDS)
            self._host.reconfigure(self._merged(sections, answer))
            self._answered = sections, answer
        except (JsonRpcException, asyncio.TimeoutError, UnderstudyError) as error:
            log.warning("the editor's settings are not used: %s", error)

    def _merged(self, sections: Sequence[str], answer: Sequence[object]) -> HostOptions:
        """What `initialize` brought, with what the editor says now over it."""
        tables = {
            section: cast("dict[str, Any]", value)
            for section, value in zip(sections, answer, strict=False)
            if isinstance(value, dict) and value
        }
        ours = tables.pop("understudy", {})
        return replace(
            self._given,
            settings={**self._given.settings, **ours},
            server_settings={**self._given.server_settings, **tables},
        )
