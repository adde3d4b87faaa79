"""The requests `understudy/context/mcp/*`: the tools of the workspace's MCP servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from understudy.app.mcp_call import call_tool
from understudy.faces import context_params as wire
from understudy.faces.context_json import servers_json

if TYPE_CHECKING:
    from understudy.faces.lsp_server import UnderstudyServer


async def list_servers(server: UnderstudyServer, _: wire.ListToolServers) -> dict[str, Any]:
    """Every server that is defined."""
    catalogue = server.host.session.tool_servers
    return servers_json(await catalogue.states(), catalogue.problems)


async def sync(server: UnderstudyServer, params: wire.SyncToolServers) -> dict[str, Any]:
    """Ask the servers for their tools."""
    catalogue = server.host.session.tool_servers
    return servers_json(await catalogue.sync(params.servers), catalogue.problems)


async def allow(server: UnderstudyServer, params: wire.AllowToolServers) -> dict[str, Any]:
    """The user's consent, or its end."""
    server.refuse_agents("understudy/context/mcp/allow")
    catalogue = server.host.session.tool_servers
    found = await catalogue.allow(params.servers, withdraw=not params.allowed)
    return servers_json(found, catalogue.problems)


async def call(server: UnderstudyServer, params: wire.CallOtherTool) -> dict[str, Any]:
    """Call a tool."""
    session = server.host.session
    answer = await call_tool(
        session.tool_servers, session.context, params.tool, params.arguments, params.timeout
    )
    return {"text": answer.text, "failed": answer.failed, "path": answer.path}
