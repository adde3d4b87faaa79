"""Every call: what it takes, who may ask it, and what answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from understudy.app.progress import Audience
from understudy.faces import agent_calls, command_calls, context_calls, outline_calls
from understudy.faces import call_params as takes
from understudy.faces import params as wire
from understudy.faces.calls import Caller, Conversation, Json
from understudy.values.structure import structure

AGENTS: frozenset[Caller] = frozenset({"agent"})
COMMANDS: frozenset[Caller] = frozenset({"command"})


@dataclass(frozen=True)
class Call:
    """One call."""

    name: str
    takes: type[Any]
    callers: frozenset[Caller]
    answer: Callable[[Conversation, Any, Audience], Awaitable[Json]]

    def structured(self, params: object) -> object:
        """The params as a value; raises BadInput `bad-params`."""
        return structure({} if params is None else params, self.takes, "bad-params", self.name)


CALLS: Mapping[str, Call] = MappingProxyType(
    {
        call.name: call
        for call in (
            Call("begin", takes.Begin, AGENTS, agent_calls.begin),
            Call("lint", takes.Lint, AGENTS, agent_calls.lint),
            Call("run", takes.Run, AGENTS, agent_calls.run),
            Call("context", takes.Context, AGENTS, agent_calls.context),
            Call("mcp", takes.ToolServers, COMMANDS, context_calls.mcp),
            Call("check", takes.Check, COMMANDS, command_calls.check),
            Call("execute", takes.Execute, COMMANDS, command_calls.execute),
            Call("outline", wire.OutlineFile, COMMANDS, outline_calls.outline),
            Call("map", wire.MapFolder, COMMANDS, outline_calls.map_call),
            Call("branches", takes.Branches, COMMANDS, command_calls.branches),
            Call("diff", takes.Branch, COMMANDS, command_calls.diff),
            Call("accept", takes.Branch, COMMANDS, command_calls.accept),
            Call("discard", takes.Branch, COMMANDS, command_calls.discard),
        )
    }
)
"""Accepting and discarding is the user's, on the command line; no agent may ask for it."""
