"""The MCP server on stdio, by the official SDK: it lists the tools and passes their calls on.

The SDK is loaded in this process alone: an editor's host serves the calls over its door, and
never waits for it.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.faces.answers.agent_text import capped
from understudy.faces.answers.sound_json import sound_text
from understudy.faces.calls.tools import (
    INSTRUCTIONS,
    INSTRUCTIONS_INSIDE,
    TOOLS,
    TOOLS_INSIDE,
    AgentReply,
)
from understudy.faces.inside.place import way_out
from understudy.faces.mcp.folders import ServedFolders
from understudy.faces.mcp.prompts import TITLE, get_prompt, icon_address, list_prompts
from understudy.faces.mcp.session import AgentSession
from understudy.faces.mcp.stdio import Refusals, stdio_streams
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import Root, path_of_uri
from understudy.values.version import __version__
from understudy.workspace.progress import Audience

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext

    from understudy.stage.model import Network

ROOTS_SECONDS = 5.0
"""A client that does not say by then which folder it has open means the working folder."""

log = logging.getLogger(__name__)


async def serve(roots: Sequence[Path], network: Network) -> None:
    """Serve one client on stdin and stdout until it goes away.

    `roots` are the folders that the user names, `network` is what its commands may have at most.
    Raises OutsideFailure `mcp-missing` where the SDK is not installed.
    """
    gc.disable()  # all that is loaded here stays: looking through it takes long
    try:
        import mcp_types as types  # noqa: PLC0415 - it takes half a second to load
        from mcp.server.lowlevel import Server  # noqa: PLC0415 - as above
    except ImportError as error:
        text = "the MCP SDK is not installed; the fix: pip install 'understudy[mcp]'"
        raise OutsideFailure("mcp-missing", text) from error
    finally:
        gc.enable()
    face = _Face(roots, network)
    server: Server[dict[str, Any]] = Server(
        "understudy",
        version=__version__,
        title=TITLE,
        icons=[types.Icon(src=icon_address(), mime_type="image/svg+xml", sizes=["any"])],
        instructions=INSTRUCTIONS if way_out() is None else INSTRUCTIONS_INSIDE,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
    changed = "notifications/roots/list_changed"
    server.add_notification_handler(changed, types.NotificationParams, face.roots_changed)
    try:
        async with stdio_streams(face.refusals) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await face.session.close()


class _Face:
    """One client's tools."""

    def __init__(self, roots: Sequence[Path], network: Network) -> None:
        self.session = AgentSession(network)
        self.folders = ServedFolders(roots, Path())
        self.refusals: Refusals = {}
        """What is wrong with a call's arguments that could not be read, by its id."""

    async def roots_changed(
        self, _context: ServerRequestContext, _: types.NotificationParams
    ) -> None:
        self.folders.forget()

    async def list_tools(
        self, context: ServerRequestContext, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        import mcp_types as types  # noqa: PLC0415 - see above

        try:
            await self.session.open(await self._root(context, None))
        except UnderstudyError as error:
            log.warning("no host yet: %s", error)  # the first call says so
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.is_read_only,
                        destructive_hint=tool.reaches_out,
                        idempotent_hint=tool.is_read_only,
                        open_world_hint=tool.reaches_out,
                    ),
                )
                for tool in (TOOLS if way_out() is None else TOOLS_INSIDE)
            ]
        )

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        import mcp_types as types  # noqa: PLC0415 - see above

        try:
            refusal = self.refusals.pop(context.request_id or 0, None)
            if refusal is not None:
                raise refusal
            arguments = dict(params.arguments or {})
            root = await self._root(context, arguments.pop("root", None))
            async with _telling(context) as audience:
                reply = await self.session.call(params.name, arguments, root, audience)
        except UnderstudyError as error:
            text = capped(f"{error.code}: {error}".split("\n")).rstrip("\n")
            reply, failed = AgentReply(text, {"error": error.code}), True
        else:
            failed = False
        content = [types.TextContent(type="text", text=sound_text(reply.text))]
        # Not as `structuredContent`: most clients would show a model that in the text's place.
        meta = {f"understudy/{key}": value for key, value in reply.facts.items()} or None
        return types.CallToolResult(content=list(content), is_error=failed, _meta=meta)

    async def _root(self, context: ServerRequestContext, wish: object) -> Root:
        return await self.folders.meant(wish, partial(_client_roots, context))


@asynccontextmanager
async def _telling(context: ServerRequestContext) -> AsyncGenerator[Audience, None]:
    """Pass progress on, each message once and in order; the SDK drops what nobody asked for.

    The protocol wants numbers that grow; ours start anew with each step, so messages are counted.
    """
    waiting: asyncio.Queue[str | None] = asyncio.Queue()

    async def send() -> None:
        said, number = "", 0
        while (text := await waiting.get()) is not None:
            if text != said:
                said, number = text, number + 1
                await context.session.report_progress(number, None, sound_text(text))

    def hear(text: str, done: int, total: int) -> None:
        waiting.put_nowait(f"{text} ({done} of {total})" if total else text)

    sending = asyncio.ensure_future(send())
    try:
        yield Audience(hear)
    finally:
        waiting.put_nowait(None)
        with suppress(Exception):  # the client is gone; whoever answers it sees that
            await sending


async def _client_roots(context: ServerRequestContext) -> Sequence[Path]:
    """What the client has open (protocols before 2026-07-28, "Roots"); nothing where it is mute."""
    import mcp_types as types  # noqa: PLC0415 - see above

    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not context.session.can_send_request:
        return ()
    try:
        request = context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        found = await asyncio.wait_for(request, ROOTS_SECONDS)
        paths = [path_of_uri(str(root.uri)) for root in found.roots]
    except Exception as error:  # noqa: BLE001 - the boundary: a client's answer may be anything
        log.warning("the client does not say which folder it has open: %s", error)
        return ()
    return [Path(path) for path in paths if path is not None]
