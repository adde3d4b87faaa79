"""The sessions of the AI in an editor: one a chat, with what each has begun with."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from understudy.faces.calls.conversation import RENEWED, Conversation
from understudy.faces.calls.table import answer
from understudy.faces.calls.tools import AgentBranch
from understudy.values.errors import BadInput

MAX_SESSIONS = 32
"""Editors do not say when a chat ends; the one that was silent longest is forgotten."""
MAX_SESSION_NAME = 1000


@dataclass
class Chat:
    """One chat session: its checkpoint is set at its first call here.

    `is_untold`: the session is older than that, and has to be told once.
    """

    conversation: Conversation
    is_new: bool = True
    is_untold: bool = False
    agent_branch: AgentBranch = field(init=False)

    def __post_init__(self) -> None:
        self.agent_branch = AgentBranch(partial(answer, self.conversation), self._begin)

    async def _begin(self) -> bool:
        await self.conversation.began()
        begins = self.is_new or self.is_untold
        if self.is_untold:
            self.conversation.beginning = RENEWED
        self.is_new = self.is_untold = False
        return begins


class Chats:
    """The chat sessions of one editor connection, each with a checkpoint and a branch."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, Chat] = OrderedDict()
        self._has_forgotten = False

    async def get(self, session: str, begin: Callable[[], Conversation]) -> Chat:
        """The session of that name, which may `begin` here; raises BadInput `bad-params`."""
        if len(session) > MAX_SESSION_NAME:
            text = f"a session's name has at most {MAX_SESSION_NAME} characters"
            raise BadInput("bad-params", text, "session")
        chat = self._chats.get(session)
        if chat is None:
            chat = Chat(begin(), is_untold=self._has_forgotten)
            self._chats[session] = chat
        self._chats.move_to_end(session)
        while len(self._chats) > MAX_SESSIONS:
            self._has_forgotten = True  # whichever comes back is taken for a new one
            await self._chats.popitem(last=False)[1].conversation.end()
        return chat

    async def end(self) -> None:
        """Drop the checkpoints of all sessions."""
        while self._chats:
            await self._chats.popitem()[1].conversation.end()
