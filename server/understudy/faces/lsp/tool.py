"""The request `understudy/tool`: what agents get over MCP, for the AI in the editor."""

from __future__ import annotations

from functools import partial

from understudy.faces.answers.sound_json import sound_text
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Json
from understudy.faces.calls.tools import tool_named
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import requests
from understudy.workspace.progress import Audience


async def call_tool(server: UnderstudyServer, params: requests.CallTool, _: Audience) -> Json:
    """Answer one call of a chat session; its edits add up in a branch of the session's own."""
    tool = tool_named(params.tool)
    chat = await server.chats.get(params.session, partial(_conversation, server))
    if chat.is_new and params.resume is not None:
        chat.is_untold = True
        chat.agent_branch.branch = chat.agent_branch.branch or params.resume
    try:
        reply = await chat.agent_branch.answer(tool, params.input)
    finally:
        chat.is_new = False
    return {"text": sound_text(reply.text), "branch": chat.agent_branch.branch}


def _conversation(server: UnderstudyServer) -> Conversation:
    """A chat's side of the host; the editor asks its user before it passes a run on."""
    return Conversation(server.host, "agent", server.live_base, network=server.network)
