"""The MCP server on stdio, by the official SDK: it lists the tools and passes their calls on.

The SDK is loaded in this process alone: an editor's host serves the calls over its door, and
never waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy import __version__
from understudy.app.progress import Audience
from understudy.faces.agent_tools import INSTRUCTIONS, TOOLS
from understudy.faces.mcp_tools import AgentSession
from understudy.faces.sound_json import sound_text
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.paths import path_of_uri

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext

ROOTS_SECONDS = 5.0
"""A client that does not say by then which folder it has open means the working folder."""

log = logging.getLogger(__name__)


async def serve(root: Path | None) -> None:
    """Serve one client on stdin and stdout until it goes away.

    Raises OutsideFailure `mcp-missing` where the SDK is not installed.
    """
    try:
        from mcp.server.lowlevel import Server  # noqa: PLC0415 - it takes half a second to load
        from mcp.server.stdio import stdio_server  # noqa: PLC0415 - as above
    except ImportError as error:
        text = "the MCP SDK is not installed; the fix: pip install 'understudy[mcp]'"
        raise OutsideFailure("mcp-missing", text) from error
    face = _Face(root)
    server: Server[dict[str, Any]] = Server(
        "understudy",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
    )
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await face.session.close()


class _Face:
    """One client's tools."""

    def __init__(self, root: Path | None) -> None:
        self.session = AgentSession()
        self._root = root
        self._folder: Path | None = None
        self._finding = asyncio.Lock()

    async def list_tools(
        self, context: ServerRequestContext, _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        import mcp_types as types  # noqa: PLC0415 - see above

        try:
            await self.session.open(await self._client_folder(context))
        except UnderstudyError as error:
            log.warning("no host yet: %s", error)  # the first call says so
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.is_read_only,
                        destructive_hint=tool.reaches_out,
                        open_world_hint=tool.reaches_out,
                    ),
                )
                for tool in TOOLS
            ]
        )

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        import mcp_types as types  # noqa: PLC0415 - see above

        try:
            folder = await self._client_folder(context)
            async with _telling(context) as audience:
                arguments = params.arguments or {}
                text = await self.session.call(params.name, arguments, folder, audience)
        except UnderstudyError as error:
            text, failed = f"{error.code}: {error}", True
        else:
            failed = False
        content = [types.TextContent(type="text", text=sound_text(text))]
        return types.CallToolResult(content=list(content), is_error=failed)

    async def _client_folder(self, context: ServerRequestContext) -> Path:
        """The folder that was named at the start, else the client's own, else the working one."""
        if self._root is not None:
            return self._root
        async with self._finding:
            if self._folder is None:
                self._folder = await _first_root(context) or Path()
            return self._folder


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
                await context.session.report_progress(number, None, text)

    def hear(text: str, done: int, total: int) -> None:
        waiting.put_nowait(f"{text} ({done} of {total})" if total else text)

    sending = asyncio.ensure_future(send())
    try:
        yield Audience(hear)
    finally:
        waiting.put_nowait(None)
        with suppress(Exception):  # the client is gone; whoever answers it sees that
            await sending


async def _first_root(context: ServerRequestContext) -> Path | None:
    """What the client says (protocols before 2026-07-28, "Roots"); None where it says nothing."""
    import mcp_types as types  # noqa: PLC0415 - see above

    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not context.session.can_send_request:
        return None
    try:
        request = context.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        found = await asyncio.wait_for(request, ROOTS_SECONDS)
        paths = [path_of_uri(str(root.uri)) for root in found.roots]
    except Exception as error:  # noqa: BLE001 - the boundary: a client's answer may be anything
        log.warning("the client does not say which folder it has open: %s", error)
        return None
    return next((Path(path) for path in paths if path is not None), None)
