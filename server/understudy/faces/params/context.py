"""What the requests `understudy/context/*` take; the reference is made from these."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from understudy.context.excerpt import BUDGET
from understudy.faces.params.requests import doc
from understudy.values.frozen import frozen


@frozen
class PutOutput:
    """Store an output exactly, and get a receipt for it."""

    text: str | None = field(default=None, metadata=doc("the output; or `base64`"))
    base64: str | None = field(default=None, metadata=doc("the output's bytes"))
    label: str = field(default="output", metadata=doc("part of the file's name: the tool's name"))
    kind: Literal["tool", "file"] = field(default="tool", metadata=doc("the folder of the store"))
    tier: Literal["project", "user"] = field(
        default="project",
        metadata=doc("whose store: this workspace's, or the user's, which every workspace reads"),
    )
    exit: int | None = field(default=None, metadata=doc("the exit status, if there is one"))
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class GetPart:
    """Read, tail or grep a file of the store."""

    path: str = field(metadata=doc("as a receipt names it"))
    lines: tuple[int, ...] | None = field(
        default=None, metadata=doc("first and last line, counted from 1")
    )
    tail: int | None = field(default=None, metadata=doc("so many last lines"))
    grep: str | None = field(default=None, metadata=doc("the lines that have this text"))
    regex: bool = field(default=False, metadata=doc("`grep` is a regular expression"))
    budget: int = field(default=BUDGET, metadata=doc("bytes of the answer; what is cut is counted"))


@frozen
class AppendLog:
    """Append to a session's log; long results become receipts."""

    log: str = field(metadata=doc("the log's name"))
    events: list[Any] = field(metadata=doc("what happened, in order; see Context as files"))
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class PackLog:
    """Make the prompt of a log for the next call of the model."""

    log: str = field(metadata=doc("the log's name"))
    at: int | None = field(default=None, metadata=doc("s since 1970 of that call; null: now"))
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class TopicOfLog:
    """The last rounds in short, to tell whether the user's newest message begins a new topic."""

    log: str = field(metadata=doc("the log's name"))
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class SimulateLog:
    """What a log's prompts cost, as they were and by each rule."""

    log: str = field(metadata=doc("the log's name"))
    prices: dict[str, Any] = field(
        default_factory=dict[str, Any], metadata=doc("`read`, `write`, `ttl`: 0.1, 1.25, 300 s")
    )
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class StatsOfLogs:
    """What logs have in their prompts, and what their files have saved and cost."""

    log: str | None = field(default=None, metadata=doc("this log only; null: all"))
    policy: dict[str, Any] = field(default_factory=dict[str, Any], metadata=doc("see Policy"))


@frozen
class ListSkills:
    """The skills of the folder and the user."""

    client: str | None = field(default=None, metadata=doc("also look in `.CLIENT/skills`"))
    strict: bool = field(
        default=False, metadata=doc("refuse what the specification does not allow")
    )


@frozen
class SearchContext:
    """Search outputs, histories, tools and skills."""

    text: str = field(metadata=doc("words, ranked; or what to grep for"))
    grep: bool = field(default=False, metadata=doc("every line that has the text"))
    regex: bool = field(default=False, metadata=doc("every line that matches the pattern"))
    kinds: tuple[str, ...] = field(
        default=(), metadata=doc("of `tool file history mcp skills user`; none: all")
    )
    limit: int = field(default=20, metadata=doc("hits at most"))


@frozen
class ListToolServers:
    """The MCP servers that the workspace defines, and how they are; none is started."""


@frozen
class SyncToolServers:
    """List the tools of allowed servers now, whatever they answered before."""

    servers: tuple[str, ...] = field(default=(), metadata=doc("these only; none: all"))


@frozen
class AllowToolServers:
    """Note that the user allows these servers, as they are defined now, to be started."""

    servers: tuple[str, ...] = field(metadata=doc("their names"))
    allowed: bool = field(default=True, metadata=doc("false: no longer"))


@frozen
class CallOtherTool:
    """Call a tool of an allowed server; its result is kept in the store."""

    tool: str = field(metadata=doc("SERVER/TOOL, as `mcp/INDEX.md` lists them"))
    arguments: dict[str, Any] = field(
        default_factory=dict[str, Any], metadata=doc("what the tool takes")
    )
    timeout: float | None = field(default=None, metadata=doc("time limit in s (default 120)"))
