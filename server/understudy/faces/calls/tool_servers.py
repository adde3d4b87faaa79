"""What every face may ask about the workspace's MCP servers and their tools."""

from __future__ import annotations

from understudy.app.context.call_tool import call_tool
from understudy.faces.answers.context import servers_json
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import context as requests
from understudy.workspace.progress import Audience


async def list_servers(side: Side, _params: requests.ListToolServers, _: Audience) -> Json:
    """Every server that is defined."""
    catalogue = side.host.session.tool_servers
    return servers_json(await catalogue.states(), catalogue.problems)


async def sync(side: Side, params: requests.SyncToolServers, _: Audience) -> Json:
    """Ask the servers for their tools."""
    catalogue = side.host.session.tool_servers
    return servers_json(await catalogue.sync(params.servers), catalogue.problems)


async def allow(side: Side, params: requests.AllowToolServers, _: Audience) -> Json:
    """The user's consent, or its end."""
    catalogue = side.host.session.tool_servers
    found = await catalogue.allow(params.servers, withdraw=not params.allowed)
    return servers_json(found, catalogue.problems)


async def call(side: Side, params: requests.CallOtherTool, _: Audience) -> Json:
    """Call a tool."""
    session = side.host.session
    answer = await call_tool(
        session.tool_servers, session.context, params.tool, params.arguments, params.timeout
    )
    return {"text": answer.text, "failed": answer.failed, "path": answer.path}
