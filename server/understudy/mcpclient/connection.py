"""One connection to an MCP server, by the official SDK; what is asked comes back as it was sent.

The SDK validates what it receives and drops what it does not know; a catalogue wants the
definitions as they are, and one bad tool must not hide the others. So answers are taken as they
pass on their way to the SDK's session.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import shlex
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from understudy.mcpclient.child_stream import child_streams
from understudy.mcpclient.model import ToolServerStart
from understudy.process.launch import Child, Spawn, launch
from understudy.values.errors import OutsideFailure

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.client.session import ClientSession
    from mcp.shared.dispatcher import CallOptions, Dispatcher

Json = dict[str, Any]
MOST_PAGES, MOST_TOOLS = 100, 5000
"""A server that has more is not asked further; what was left out is said."""

_METHOD_NOT_FOUND = -32601
_NOT_MY_HANDSHAKE = frozenset({_METHOD_NOT_FOUND, -32600, -32602, -32022})
"""Method not found, invalid request, invalid params, unsupported protocol version."""

_UNAUTHORIZED = (401, 403)
_GRACE = 1.0
_LIST_CHANGED = "notifications/tools/list_changed"
_passing: contextvars.ContextVar[list[Json]] = contextvars.ContextVar("passing")
log = logging.getLogger(__name__)


class ToolConnection:
    """A session with one server; built with `connect`, used by any number of tasks."""

    def __init__(self, session: ClientSession, responses: _Responses) -> None:
        self._session = session
        self._responses = responses

    async def tools(self) -> Json:
        """`{tools, cut}`: every page of the list, whatever is in it; `cut` says why not all.

        Raises OutsideFailure `needs-auth`, `mcp-failed`, `mcp-refused`.
        """
        with self._naming():
            return await self._listed()

    async def call(self, tool: str, arguments: Json) -> Json:
        """The result as the server sent it; raises as `tools`."""
        import mcp_types as types  # noqa: PLC0415 - as below

        with self._naming():
            params = types.CallToolRequestParams(name=tool, arguments=arguments)
            return await self._ask(types.CallToolRequest(params=params))

    async def _listed(self) -> Json:
        import mcp_types as types  # noqa: PLC0415 - loaded where it is used
        from mcp import MCPError  # noqa: PLC0415 - as above

        tools: list[object] = []
        seen: set[str] = set()
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            try:
                page = await self._ask(types.ListToolsRequest(params=params))
            except MCPError as error:
                if error.code == _METHOD_NOT_FOUND and not tools and not self._responses.status:
                    return {"tools": [], "cut": None}  # it has none, and says so in this way
                raise
            listed = page.get("tools")
            if not isinstance(listed, list):
                raise OutsideFailure("mcp-failed", "its list of tools is no list")
            tools += cast("list[object]", listed)
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return {"tools": tools[:MOST_TOOLS], "cut": _beyond(len(tools))}
            if cursor in seen:
                return {"tools": tools[:MOST_TOOLS], "cut": "its pages go round in a circle"}
            seen.add(cursor)
            if len(tools) > MOST_TOOLS:
                return {"tools": tools[:MOST_TOOLS], "cut": _beyond(len(tools))}
        return {"tools": tools[:MOST_TOOLS], "cut": f"it has more than {MOST_PAGES} pages"}

    async def _ask(self, request: types.ClientRequest) -> Json:
        import mcp_types as types  # noqa: PLC0415 - as above
        from pydantic import ValidationError  # noqa: PLC0415 - as above

        passed: list[Json] = []
        token = _passing.set(passed)
        self._responses.status = None
        try:
            with suppress(ValidationError):  # we look at what is in it ourselves
                await self._session.send_request(request, types.EmptyResult)
        finally:
            _passing.reset(token)
        return passed[-1]

    @contextmanager
    def _naming(self) -> Generator[None, None, None]:
        """Say in our words what an error answer means.

        `mcp-failed` if the connection is of no more use, `mcp-refused` if it was an answer.
        """
        from mcp import MCPError  # noqa: PLC0415 - as above
        from mcp_types import CONNECTION_CLOSED  # noqa: PLC0415 - as above

        try:
            yield
        except MCPError as error:
            status = self._responses.status
            if status in _UNAUTHORIZED:
                raise OutsideFailure("needs-auth", f"it answers {status}") from error
            if status is not None:
                raise OutsideFailure("mcp-failed", f"it answers {status}") from error
            if error.code == CONNECTION_CLOSED:
                raise OutsideFailure("mcp-failed", str(error)) from error
            raise OutsideFailure("mcp-refused", f"{error} (code {error.code})") from error


class _Responses:
    """What the HTTP layer saw; the SDK turns 401 and 403 into errors that do not say so."""

    def __init__(self) -> None:
        self.status: int | None = None

    async def take(self, response: Any) -> None:  # noqa: ANN401 - httpx2.Response, loaded lazily
        # A server without a stream of its own answers the GET for one with 405, and is fine.
        is_ours = response.request.method == "POST"
        if is_ours and response.status_code >= 400 and self.status not in _UNAUTHORIZED:
            self.status = response.status_code


class _Watched:
    """The SDK's dispatcher, with each answer handed to the task that waits for it."""

    def __init__(self, dispatcher: Dispatcher[Any]) -> None:
        self._inner = dispatcher

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> Json:
        raw = await self._inner.send_raw_request(method, params, opts)
        passed = _passing.get(None)
        if passed is not None:
            passed.append(dict(raw))
        return raw

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        await self._inner.notify(method, params, opts)

    async def run(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed on as it is
        await self._inner.run(*args, **kwargs)


@asynccontextmanager
async def connect(
    start: ToolServerStart, spawn: Spawn, changed: Callable[[], None]
) -> AsyncGenerator[ToolConnection, None]:
    """Start or reach the server and shake hands; its end is the context's.

    Raises OutsideFailure `needs-auth`, `mcp-failed`, `mcp-missing`, `not-installed`,
    `cannot-start`.
    """
    try:
        from mcp.client.session import ClientSession  # noqa: PLC0415 - as above
        from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher  # noqa: PLC0415 - as above
    except ImportError as error:
        raise _missing(error) from error

    responses = _Responses()
    program: _Program | None = None
    try:
        async with AsyncExitStack() as stack:
            if start.kind == "http":
                source, sink = await stack.enter_async_context(_http_streams(start, responses))
            else:
                program = _Program(
                    await launch(
                        start.command, cwd=Path(start.cwd), env=start.env, log=Path(start.log),
                        spawn=spawn,
                    )
                )  # fmt: skip
                stack.push_async_callback(program.end)
                source, sink = await stack.enter_async_context(child_streams(program.child))
            session = ClientSession(
                dispatcher=_Watched(JSONRPCDispatcher(source, sink)),
                client_info=_who_we_are(),
                list_roots_callback=_roots(start),
                message_handler=_listener(changed),
            )
            await stack.enter_async_context(session)
            await _shake_hands(session, responses)
            yield ToolConnection(session, responses)
    except Exception as error:  # the boundary: a group of whatever the SDK met on the way
        raise _failure(error, responses, program) from error


def _missing(error: ImportError) -> OutsideFailure:
    """Without the SDK, or with another than its version 2."""
    fix = f'{shlex.quote(sys.executable)} -m pip install "mcp>=2.3,<3"'
    text = f"the Python that runs Understudy has no MCP SDK 2 ({error}); the fix: {fix}"
    return OutsideFailure("mcp-missing", text)


def _beyond(n_tools: int) -> str | None:
    return f"it has {n_tools} tools or more" if n_tools > MOST_TOOLS else None


async def _shake_hands(session: ClientSession, responses: _Responses) -> None:
    """By the handshake that all but the newest servers know.

    The probe for protocol 2026-07-28 makes old servers print pages of errors.
    """
    import mcp_types as types  # noqa: PLC0415 - as above
    from mcp import MCPError  # noqa: PLC0415 - as above
    from mcp_types.version import LATEST_MODERN_VERSION  # noqa: PLC0415 - as above

    try:
        await session.initialize()
    except MCPError as error:
        if error.code not in _NOT_MY_HANDSHAKE or responses.status in _UNAUTHORIZED:
            raise
        try:
            found = await session.send_discover(LATEST_MODERN_VERSION)
            session.adopt(types.DiscoverResult.model_validate(found))
        except (MCPError, ValueError):
            raise error from None


@asynccontextmanager
async def _http_streams(start: ToolServerStart, responses: _Responses) -> AsyncGenerator[Any, None]:
    import httpx2  # noqa: PLC0415 - as above
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - as above

    client = httpx2.AsyncClient(
        headers=dict(start.headers),
        timeout=httpx2.Timeout(30.0, read=600.0),
        event_hooks={"response": [responses.take]},
    )
    async with client, streamable_http_client(start.url, http_client=client) as streams:
        yield streams


class _Program:
    """A server's process; `status` is how it ended by itself, None if we had to end it."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.status: int | None = None

    async def end(self) -> None:
        """As the specification has it: close its stdin, wait, then end it and all it started."""
        self.child.stdin.close()
        self.status = await self.child.wait(_GRACE)
        await self.child.stop(_GRACE)


def _failure(
    error: BaseException, responses: _Responses, program: _Program | None
) -> OutsideFailure:
    if responses.status in _UNAUTHORIZED:
        return OutsideFailure("needs-auth", f"it answers {responses.status}")
    while inner := getattr(error, "exceptions", None):  # a group; Python 3.10 has no name for it
        error = cast("BaseException", inner[0])
    if isinstance(error, OutsideFailure):
        return error
    if responses.status is not None:
        return OutsideFailure("mcp-failed", f"it answers {responses.status}")
    text = str(error) or type(error).__name__
    if program is not None:
        if program.status is not None:
            text = f"it has ended (status {program.status})"
        if program.child.log.last_line:
            text = f"{text}; it says: {program.child.log.last_line}"
    return OutsideFailure("mcp-failed", text)


def _who_we_are():  # noqa: ANN202 - the SDK's type, which loads when it is used
    import mcp_types as types  # noqa: PLC0415 - as above

    from understudy.values.version import __version__  # noqa: PLC0415 - beside it

    return types.Implementation(name="understudy", version=__version__)


def _roots(start: ToolServerStart):  # noqa: ANN202 - the SDK's type of callback
    import mcp_types as types  # noqa: PLC0415 - as above

    async def answer(context: object) -> types.ListRootsResult:
        del context
        uri = Path(start.root).as_uri()
        return types.ListRootsResult.model_validate({"roots": [{"uri": uri}]})

    return answer


def _listener(changed: Callable[[], None]):  # noqa: ANN202 - as above
    async def hear(message: object) -> None:
        await asyncio.sleep(0)
        if getattr(message, "method", None) == _LIST_CHANGED:
            changed()

    return hear
