"""The request `understudy/tool`: what agents get over MCP, for the AI in the editor."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from understudy.faces import params as wire
from understudy.faces.agent_tools import Rehearsal, tool_named
from understudy.faces.calls import Conversation
from understudy.faces.sound_json import sound_text
from understudy.values.errors import BadInput

if TYPE_CHECKING:
    from understudy.faces.lsp_server import UnderstudyServer

MAX_SESSIONS = 32
"""Editors do not say when a chat ends; the one that was silent longest is forgotten."""
MAX_SESSION_NAME = 1000


async def call_tool(server: UnderstudyServer, params: wire.CallTool) -> dict[str, Any]:
    """Answer one call of a chat session; its edits add up in a branch of the session's own."""
    tool = tool_named(params.tool)
    chat = await server.chats.get(server, params.session)
    if chat.is_new and chat.rehearsal.branch is None:
        chat.rehearsal.branch = params.resume
    try:
        text = await chat.rehearsal.answer(tool, params.input)
    finally:
        chat.is_new = False
    return {"text": sound_text(text), "branch": chat.rehearsal.branch}


@dataclass
class Chat:
    """One chat session: it begins with its first call, which is when its checkpoint is set."""

    conversation: Conversation
    is_new: bool = True
    rehearsal: Rehearsal = field(init=False)

    def __post_init__(self) -> None:
        self.rehearsal = Rehearsal(self.conversation.call, self._begin)

    async def _begin(self) -> bool:
        await self.conversation.began()
        return self.is_new


class Chats:
    """The chat sessions of one editor connection, each with a checkpoint and a branch."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, Chat] = OrderedDict()

    async def get(self, server: UnderstudyServer, session: str) -> Chat:
        """The session of that name, which may begin here; raises BadInput `bad-params`."""
        if len(session) > MAX_SESSION_NAME:
            text = f"a session's name has at most {MAX_SESSION_NAME} characters"
            raise BadInput("bad-params", text, "session")
        chat = self._chats.get(session)
        if chat is None:
            chat = Chat(Conversation(server.host, "agent", server.live_base))
            self._chats[session] = chat
        self._chats.move_to_end(session)
        while len(self._chats) > MAX_SESSIONS:
            await self._chats.popitem(last=False)[1].conversation.end()
        return chat

    async def end(self) -> None:
        """Drop the checkpoints of all sessions."""
        while self._chats:
            await self._chats.popitem()[1].conversation.end()
